//===- DescribeProgram.cpp - The steps of a host function as JSON ---------===//

#include "octavo/Codegen/Driver.h"

#include "dialects/Aten/IR/Aten.h"
#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace octavo;
namespace json = llvm::json;

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static json::Object describeTensor(Type type, Attribute strides) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> steps = getRowMajorStrides(tensor.getShape());
  if (auto given = dyn_cast_or_null<DenseI64ArrayAttr>(strides))
    steps.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  return json::Object{{"shape", json::Array(tensor.getShape())},
                      {"strides", json::Array(steps)},
                      {"dtype", printType(tensor.getElementType())}};
}

/// An attribute of aten.call's `args`: what JSON cannot say is an object.
static json::Value describeAttribute(Attribute attribute) {
  return TypeSwitch<Attribute, json::Value>(attribute)
      .Case([](BoolAttr value) { return json::Value(value.getValue()); })
      .Case([](IntegerAttr value) { return json::Value(value.getInt()); })
      .Case([](FloatAttr value) {
        double number = value.getValueAsDouble();
        if (std::isfinite(number))
          return json::Value(number);
        return json::Value(json::Object{{"float", std::isnan(number) ? "nan"
                                                  : number > 0 ? "inf"
                                                               : "-inf"}});
      })
      .Case(
          [](StringAttr value) { return json::Value(value.getValue().str()); })
      .Case([](TypeAttr value) {
        return json::Value(
            json::Object{{"dtype", printType(value.getValue())}});
      })
      .Case([](ArrayAttr list) {
        json::Array result;
        for (Attribute element : list)
          result.push_back(describeAttribute(element));
        return json::Value(std::move(result));
      })
      .Case([](DictionaryAttr fields) {
        json::Object result;
        for (NamedAttribute field : fields)
          result[field.getName().getValue()] =
              describeAttribute(field.getValue());
        return json::Value(std::move(result));
      })
      .Case([](aten::OperandAttr operand) {
        return json::Value(
            json::Object{{"operand", int64_t(operand.getIndex())}});
      })
      .Case([](aten::NoneAttr) { return json::Value(nullptr); })
      .Default([](Attribute other) {
        std::string text;
        llvm::raw_string_ostream(text) << other;
        return json::Value(json::Object{{"attribute", text}});
      });
}

namespace {
/// Walks one host function.
class Describer {
public:
  Describer(func::FuncOp function, const llvm::StringMap<int64_t> &kernels,
            const llvm::StringMap<KernelShape> &shapes)
      : function(function), kernels(kernels), shapes(shapes) {}

  llvm::Expected<json::Array> describeSteps();
  json::Array describeInputs();
  llvm::Expected<json::Array> describeOutputs();

private:
  llvm::Expected<json::Object> placeOf(Value value, Operation *reader);
  llvm::Expected<json::Object> placeOf(OpResult result, ArrayAttr places);
  llvm::Expected<json::Object> describeLaunch(LaunchOp launch);
  llvm::Expected<json::Object> describeCall(CallOp call);
  Attribute stridesOf(Value value);

  func::FuncOp function;
  const llvm::StringMap<int64_t> &kernels;
  const llvm::StringMap<KernelShape> &shapes;
};
} // namespace

static llvm::Error failAt(Operation *op, const Twine &message) {
  // With the location in the usual form, as a diagnostic would have it.
  op->emitError(message);
  return llvm::createStringError(message);
}

llvm::Expected<json::Object> Describer::placeOf(OpResult result,
                                                ArrayAttr places) {
  if (!places)
    return failAt(result.getOwner(), "results have no places yet");
  auto place = cast<PlaceAttr>(places[result.getResultNumber()]);
  StringRef kind = stringifyPlaceKind(place.getKind());
  return json::Object{{kind, place.getAt()}};
}

llvm::Expected<json::Object> Describer::placeOf(Value value,
                                                Operation *reader) {
  // A reshape of a row-major value lies where the value lies.
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return json::Object{{"input", int64_t(argument.getArgNumber())}};
  // Nothing is read there.
  if (isa<tensor::EmptyOp>(value.getDefiningOp()) &&
      hasNoElements(value.getType()))
    return json::Object{{"workspace", 0}};
  auto result = cast<OpResult>(value);
  if (auto launch = dyn_cast<LaunchOp>(result.getOwner()))
    return placeOf(result, launch.getPlacesAttr());
  if (auto call = dyn_cast<CallOp>(result.getOwner()))
    return placeOf(result, call.getPlacesAttr());
  return failAt(reader, "an operand comes from " +
                            result.getOwner()->getName().getStringRef() +
                            ", which is no step of a program");
}

Attribute Describer::stridesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return function.getArgAttr(argument.getArgNumber(),
                               OctavoDialect::getStridesAttrName());
  return {};
}

/// The nodes of PyTorch's graph that a location stands for: the importer names
/// each "module/node".
static json::Array describeNodes(Location location) {
  llvm::SetVector<StringRef> nodes;
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part)) {
      StringRef name = named.getName().getValue();
      nodes.insert(name.substr(name.rfind('/') + 1));
    }
    return WalkResult::advance();
  });
  json::Array result;
  for (StringRef node : nodes)
    result.push_back(node.str());
  return result;
}

llvm::Expected<json::Object> Describer::describeLaunch(LaunchOp launch) {
  StringRef name = launch.getKernel();
  auto kernel = kernels.find(name);
  auto shape = shapes.find(name);
  if (kernel == kernels.end())
    return failAt(launch, "kernel '" + name + "' has no code");
  if (shape == shapes.end() || shape->second.grid[0] == 0)
    return failAt(launch, "kernel '" + name + "' has no 'tile.grid'");
  json::Array args;
  for (Value input : launch.getInputs()) {
    auto place = placeOf(input, launch);
    if (!place)
      return place.takeError();
    args.push_back(std::move(*place));
  }
  for (Value output : launch.getOutputs()) {
    auto place = placeOf(output, launch);
    if (!place)
      return place.takeError();
    args.push_back(std::move(*place));
  }
  return json::Object{{"launch", kernel->second},
                      {"grid", json::Array(shape->second.grid)},
                      {"nodes", describeNodes(launch.getLoc())},
                      {"args", std::move(args)}};
}

llvm::Expected<json::Object> Describer::describeCall(CallOp call) {
  json::Array inputs, outputs;
  for (Value input : call.getInputs()) {
    auto place = placeOf(input, call);
    if (!place)
      return place.takeError();
    json::Object tensor = describeTensor(input.getType(), stridesOf(input));
    tensor["place"] = std::move(*place);
    inputs.push_back(std::move(tensor));
  }
  for (Value output : call.getOutputs()) {
    auto place = placeOf(output, call);
    if (!place)
      return place.takeError();
    json::Object tensor = describeTensor(output.getType(), {});
    tensor["place"] = std::move(*place);
    outputs.push_back(std::move(tensor));
  }
  json::Object step{{"call", call.getCallee().str()},
                    {"reason", call.getReason().str()},
                    {"inputs", std::move(inputs)},
                    {"outputs", std::move(outputs)}};
  if (DictionaryAttr args = call.getArgsAttr())
    step["args"] = describeAttribute(args);
  return step;
}

llvm::Expected<json::Array> Describer::describeSteps() {
  json::Array steps;
  for (Operation &op : function.front()) {
    llvm::Expected<json::Object> step = json::Object();
    if (auto launch = dyn_cast<LaunchOp>(op))
      step = describeLaunch(launch);
    else if (auto call = dyn_cast<CallOp>(op))
      step = describeCall(call);
    else if (isa<func::ReturnOp>(op))
      continue;
    else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      continue;
    else if (isa<tensor::EmptyOp>(op) &&
             hasNoElements(op.getResult(0).getType()))
      continue;
    else
      return failAt(&op,
                    op.getName().getStringRef() + " is no step of a program");
    if (!step)
      return step.takeError();
    steps.push_back(std::move(*step));
  }
  return steps;
}

json::Array Describer::describeInputs() {
  json::Array inputs;
  for (BlockArgument argument : function.getArguments())
    inputs.push_back(describeTensor(argument.getType(), stridesOf(argument)));
  return inputs;
}

llvm::Expected<json::Array> Describer::describeOutputs() {
  json::Array outputs;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    json::Object tensor = describeTensor(
        type, function.getResultAttr(i, OctavoDialect::getStridesAttrName()));
    auto writes = function.getResultAttrOfType<IntegerAttr>(
        i, OctavoDialect::getWritesAttrName());
    tensor["writes"] =
        writes ? json::Value(writes.getInt()) : json::Value(nullptr);
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

static json::Object describeKernel(const KernelResources &kernel,
                                   uint32_t lanes, size_t object) {
  return json::Object{{"name", kernel.name},
                      {"object", int64_t(object)},
                      {"lanes", lanes},
                      {"kernarg_bytes", kernel.kernargBytes},
                      {"lds_bytes", kernel.ldsBytes},
                      {"scratch_bytes", kernel.scratchBytes},
                      {"vgprs", kernel.vgprs},
                      {"agprs", kernel.agprs},
                      {"sgprs", kernel.sgprs},
                      {"spills", kernel.vgprSpills + kernel.sgprSpills}};
}

llvm::Expected<json::Object>
octavo::describeProgram(ModuleOp module, StringRef target,
                        const llvm::StringMap<KernelShape> &shapes,
                        ArrayRef<CodeObject> objects) {
  json::Array kernelList, objectList;
  llvm::StringMap<int64_t> kernels;
  int64_t offset = 0;
  for (auto [index, object] : llvm::enumerate(objects)) {
    objectList.push_back(json::Object{{"offset", offset},
                                      {"bytes", int64_t(object.bytes.size())}});
    offset += object.bytes.size();
    for (const KernelResources &kernel : object.kernels) {
      auto shape = shapes.find(kernel.name);
      uint32_t lanes =
          shape != shapes.end() ? shape->second.lanes : kernel.maxLanes;
      kernels[kernel.name] = kernelList.size();
      kernelList.push_back(describeKernel(kernel, lanes, index));
    }
  }
  json::Object result{{"version", 1},
                      {"target", target.str()},
                      {"objects", std::move(objectList)},
                      {"kernels", std::move(kernelList)},
                      {"inputs", json::Array()},
                      {"outputs", json::Array()},
                      {"workspace_bytes", 0},
                      {"steps", json::Array()}};
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.empty())
    return result;
  if (functions.size() > 1)
    return failAt(functions[1], "a program has one host function");
  func::FuncOp function = functions[0];
  Describer describer(function, kernels, shapes);
  auto steps = describer.describeSteps();
  if (!steps)
    return steps.takeError();
  auto outputs = describer.describeOutputs();
  if (!outputs)
    return outputs.takeError();
  auto workspace = function->getAttrOfType<IntegerAttr>(
      OctavoDialect::getWorkspaceAttrName());
  result["inputs"] = describer.describeInputs();
  result["outputs"] = std::move(*outputs);
  result["workspace_bytes"] = workspace ? workspace.getInt() : 0;
  result["steps"] = std::move(*steps);
  return result;
}
