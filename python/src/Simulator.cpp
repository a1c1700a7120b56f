//===- Simulator.cpp - Bindings of the simulator's arithmetic -------------===//
//
// For tests, which compare the simulator with oracles that exist in Python.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "lib/Simulator/Matrix/FloatFormats.h"
#include "lib/Simulator/Matrix/Matrix.h"
#include "lib/Simulator/Timing/Constants.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace octavo::sim;

namespace {

using Words = py::array_t<uint32_t, py::array::c_style | py::array::forcecast>;

/// Checks that `words` is `registers` registers of 64 lanes.
const uint32_t *checkRegisters(const Words &words, size_t registers,
                               const char *name) {
  if (words.ndim() != 2 || size_t(words.shape(0)) != registers ||
      words.shape(1) != 64)
    throw py::value_error(std::string(name) + ": expected uint32 of shape (" +
                          std::to_string(registers) + ", 64)");
  return words.data();
}

const MatrixInstruction &findInstruction(const std::string &mnemonic,
                                         const std::string &arch) {
  const MatrixInstruction *row = lookupMatrixInstruction(mnemonic, arch);
  if (!row)
    throw py::value_error(arch + " has no matrix instruction " + mnemonic);
  return *row;
}

MatrixModel parseModel(const MatrixInstruction &row, const std::string &name) {
  if (name.empty())
    return resolveModel(row, std::nullopt);
  for (MatrixModel model :
       {MatrixModel::CDNA3, MatrixModel::ExactBlock, MatrixModel::FmaChain})
    if (getModelName(model) == name && resolveModel(row, model) == model)
      return model;
  throw py::value_error("model " + name + " is not defined for " +
                        row.mnemonic.str());
}

uint32_t countRegisters(const MatrixInstruction &row, bool isA, uint32_t code) {
  if (!row.selectsFormat)
    return isA ? row.aRegisters : row.bRegisters;
  std::optional<MatrixElement> element = getSelectedElement(code);
  if (!element)
    throw py::value_error("no element format " + std::to_string(code));
  return getOperandRegisters(row, *element);
}

Words runMatrix(const std::string &mnemonic, const std::string &arch,
                const Words &a, const Words &b, const Words &c,
                const py::kwargs &options) {
  const MatrixInstruction &row = findInstruction(mnemonic, arch);
  std::map<std::string, uint32_t> fields = {{"cbsz", 0},
                                            {"abid", 0},
                                            {"blgp", 0},
                                            {"scale_byte_a", 0},
                                            {"scale_byte_b", 0}};
  std::map<std::string, Words> registers;
  std::string model;
  for (auto [key, value] : options) {
    std::string name = py::cast<std::string>(key);
    if (name == "model")
      model = py::cast<std::string>(value);
    else if (name == "index" || name == "scale_a" || name == "scale_b")
      registers[name] = py::cast<Words>(value);
    else if (fields.count(name))
      fields[name] = py::cast<uint32_t>(value);
    else
      throw py::type_error("sim_matrix has no option " + name);
  }
  MatrixOperands operands{};
  operands.cbsz = fields["cbsz"];
  operands.abid = fields["abid"];
  operands.blgp = fields["blgp"];
  if (llvm::Error error =
          checkModifiers(row, operands.cbsz, operands.abid, operands.blgp))
    throw py::value_error(llvm::toString(std::move(error)));
  operands.scaleByteA = fields["scale_byte_a"] & 3;
  operands.scaleByteB = fields["scale_byte_b"] & 3;
  operands.a = checkRegisters(a, countRegisters(row, true, operands.cbsz), "a");
  operands.b =
      checkRegisters(b, countRegisters(row, false, operands.blgp), "b");
  operands.c = checkRegisters(c, row.cRegisters, "c");
  auto take = [&](const char *name) -> const uint32_t * {
    auto found = registers.find(name);
    return found == registers.end() ? nullptr
                                    : checkRegisters(found->second, 1, name);
  };
  operands.index = take("index");
  operands.scaleA = take("scale_a");
  operands.scaleB = take("scale_b");
  if (row.sparse && !operands.index)
    throw py::value_error(mnemonic + " needs index");
  Words d({size_t(row.cRegisters), size_t(64)});
  operands.d = d.mutable_data();
  executeMatrix(row, operands, parseModel(row, model));
  return d;
}

py::list listMatrix(const std::string &arch) {
  py::list out;
  for (const MatrixInstruction &row : getMatrixInstructions(arch)) {
    py::dict entry;
    entry["mnemonic"] = row.mnemonic.str();
    entry["shape"] = py::make_tuple(row.m, row.n, row.k, row.blocks);
    entry["registers"] =
        py::make_tuple(row.aRegisters, row.bRegisters, row.cRegisters);
    entry["sparse"] = row.sparse;
    entry["scaled"] = row.scaled;
    entry["passes"] = row.passes;
    out.append(entry);
  }
  return out;
}

py::list listConstants(const std::string &arch) {
  py::list out;
  for (const TimingConstant &row : listTimingConstants(arch)) {
    py::dict entry;
    entry["name"] = row.name.str();
    entry["value"] = row.value;
    entry["unit"] = row.unit.str();
    entry["kind"] = getKindName(row.kind).str();
    entry["source"] = row.source.str();
    out.append(entry);
  }
  return out;
}

FloatFormat parseFormat(const std::string &name) {
  static const std::map<std::string, FloatFormat> formats = {
      {"f8E4M3FN", FloatFormat::E4M3FN},
      {"f8E5M2", FloatFormat::E5M2},
      {"f8E4M3FNUZ", FloatFormat::E4M3FNUZ},
      {"f8E5M2FNUZ", FloatFormat::E5M2FNUZ},
      {"f6E2M3FN", FloatFormat::E2M3},
      {"f6E3M2FN", FloatFormat::E3M2},
      {"f4E2M1FN", FloatFormat::E2M1},
      {"f8E8M0FNU", FloatFormat::E8M0},
      {"bf16", FloatFormat::BF16},
      {"f16", FloatFormat::F16}};
  auto found = formats.find(name);
  if (found == formats.end())
    throw py::value_error("no float format " + name);
  return found->second;
}

Words encode(const std::string &format, const Words &bits, bool saturate) {
  FloatFormat to = parseFormat(format);
  if (to == FloatFormat::E8M0)
    throw py::value_error("E8M0 has no conversion from f32");
  Words out(bits.size());
  for (py::ssize_t i = 0; i < bits.size(); ++i)
    out.mutable_data()[i] = encodeNearestEven(
        to, bits.data()[i], saturate ? Overflow::Saturate : Overflow::Special);
  return out;
}

Words decode(const std::string &format, const Words &codes) {
  FloatFormat from = parseFormat(format);
  Words out(codes.size());
  for (py::ssize_t i = 0; i < codes.size(); ++i)
    out.mutable_data()[i] = decodeToBits(from, codes.data()[i]);
  return out;
}

} // namespace

void octavo::bindSimulator(py::module_ &m) {
  py::module_ sim = m.def_submodule(
      "simulator", "Arithmetic of the simulator, for tests against oracles.");
  sim.def("sim_matrix", runMatrix, py::arg("mnemonic"), py::arg("arch"),
          py::arg("a"), py::arg("b"), py::arg("c"),
          "D of one matrix instruction. Operands are uint32 arrays of shape "
          "(registers, 64). Options: model, cbsz, abid, blgp, index, scale_a, "
          "scale_b (1, 64), scale_byte_a, scale_byte_b.");
  sim.def("sim_matrix_instructions", listMatrix, py::arg("arch"),
          "The matrix instructions of a chip, each a dict.");
  sim.def("timing_constants", listConstants, py::arg("arch"),
          "Constants of the timing model, each a dict: name, value, unit, kind "
          "(measured, published, assumed), source.");
  sim.def("sim_encode", encode, py::arg("format"), py::arg("f32_bits"),
          py::arg("saturate"), "Codes of f32 bits, nearest even; 1-D.");
  sim.def("sim_decode", decode, py::arg("format"), py::arg("codes"),
          "f32 bits of codes; 1-D.");
}
