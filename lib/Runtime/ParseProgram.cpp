//===- ParseProgram.cpp - The text of a program ---------------------------===//

#include "octavo/Runtime/Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

using namespace octavo::runtime;
namespace json = llvm::json;

template <typename... Args>
static llvm::Error fail(const char *format, const Args &...args) {
  return llvm::createStringError(("program: " + std::string(format)).c_str(),
                                 args...);
}

static llvm::Expected<uint64_t> getNumber(const json::Object &object,
                                          llvm::StringRef key) {
  std::optional<int64_t> number = object.getInteger(key);
  if (!number || *number < 0)
    return fail("'%s' is not a number", key.str().c_str());
  return static_cast<uint64_t>(*number);
}

static unsigned getBits(llvm::StringRef dtype) {
  return llvm::StringSwitch<unsigned>(dtype)
      .Cases({"i1", "i8", "ui8"}, 8)
      .Cases({"i16", "f16", "bf16", "ui16"}, 16)
      .Cases({"i32", "f32", "ui32"}, 32)
      .Cases({"i64", "f64", "ui64", "complex<f32>"}, 64)
      .Case("complex<f64>", 128)
      .Cases({"f4E2M1FN", "i4"}, 4)
      .StartsWith("f8", 8)
      .Default(0);
}

/// Bytes from the first to behind the last element of a strided tensor.
static llvm::Expected<uint64_t> getExtent(const json::Object &tensor) {
  const json::Array *shape = tensor.getArray("shape");
  const json::Array *strides = tensor.getArray("strides");
  unsigned bits = getBits(tensor.getString("dtype").value_or(""));
  if (!shape || !strides || shape->size() != strides->size() || bits == 0)
    return fail("a tensor needs 'shape', 'strides' of the same rank and a "
                "known 'dtype'");
  uint64_t last = 0;
  for (auto [size, stride] : llvm::zip(*shape, *strides)) {
    std::optional<int64_t> extent = size.getAsInteger();
    std::optional<int64_t> step = stride.getAsInteger();
    if (!extent || !step || *extent < 0 || *step < 0)
      return fail("a tensor's sizes and strides are numbers from 0");
    if (*extent == 0)
      return 0;
    last += (*extent - 1) * *step;
  }
  return ((last + 1) * bits + 7) / 8;
}

static llvm::Error readTensors(const json::Object &root, llvm::StringRef key,
                               std::vector<uint64_t> &bytes) {
  const json::Array *list = root.getArray(key);
  if (!list)
    return fail("'%s' is missing", key.str().c_str());
  for (const json::Value &value : *list) {
    const json::Object *tensor = value.getAsObject();
    if (!tensor)
      return fail("'%s' holds something else than tensors", key.str().c_str());
    auto extent = getExtent(*tensor);
    if (!extent)
      return extent.takeError();
    bytes.push_back(*extent);
  }
  return llvm::Error::success();
}

llvm::Error Program::parseKernels(const json::Object &root) {
  const json::Array *list = root.getArray("objects");
  if (!list)
    return fail("'objects' is missing");
  for (const json::Value &value : *list) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return fail("an object is an offset and a number of bytes");
    auto offset = getNumber(*object, "offset");
    if (!offset)
      return offset.takeError();
    auto bytes = getNumber(*object, "bytes");
    if (!bytes)
      return bytes.takeError();
    if (*offset > code.size() || *bytes > code.size() - *offset)
      return fail("the code object is shorter than the program says");
    objects.push_back({*offset, *bytes});
  }
  list = root.getArray("kernels");
  if (!list)
    return fail("'kernels' is missing");
  for (const json::Value &value : *list) {
    const json::Object *kernel = value.getAsObject();
    std::optional<llvm::StringRef> name;
    if (!kernel || !(name = kernel->getString("name")))
      return fail("a kernel has no name");
    auto object = getNumber(*kernel, "object");
    if (!object)
      return object.takeError();
    auto lanes = getNumber(*kernel, "lanes");
    if (!lanes)
      return lanes.takeError();
    auto bytes = getNumber(*kernel, "kernarg_bytes");
    if (!bytes)
      return bytes.takeError();
    if (*object >= objects.size())
      return fail("kernel '%s' lies in an object that is not there",
                  name->str().c_str());
    kernels.push_back({name->str(), static_cast<uint32_t>(*object),
                       static_cast<uint32_t>(*lanes),
                       static_cast<uint32_t>(*bytes)});
  }
  return llvm::Error::success();
}

llvm::Error Program::parseArgument(const json::Object &argument,
                                   Launch &launch) {
  auto append = [&](const void *bytes, uint32_t size) {
    uint32_t offset = llvm::alignTo(launch.bytes, size);
    arguments.resize(launch.begin + offset + size);
    std::memcpy(arguments.data() + launch.begin + offset, bytes, size);
    launch.bytes = offset + size;
    return offset;
  };
  auto address = [&](Patch::Kind kind, llvm::StringRef key,
                     size_t count) -> llvm::Error {
    auto number = getNumber(argument, key);
    if (!number)
      return number.takeError();
    bool isWorkspace = kind == Patch::Workspace;
    if (isWorkspace ? *number > workspaceBytes : *number >= count)
      return fail("there is no %s %zu", key.str().c_str(), size_t(*number));
    uint64_t addend = argument.getInteger("offset").value_or(0);
    uint64_t zero = 0;
    uint32_t offset = append(&zero, 8);
    patches.push_back({kind, isWorkspace ? 0 : uint32_t(*number), offset,
                       isWorkspace ? *number : addend});
    return llvm::Error::success();
  };
  if (argument.get("input"))
    return address(Patch::Input, "input", inputBytes.size());
  if (argument.get("output"))
    return address(Patch::Output, "output", outputBytes.size());
  if (argument.get("workspace"))
    return address(Patch::Workspace, "workspace", 0);
  if (auto number = argument.getInteger("i32")) {
    int32_t value = static_cast<int32_t>(*number);
    append(&value, 4);
  } else if (auto wide = argument.getInteger("i64")) {
    append(&*wide, 8);
  } else if (auto real = argument.getNumber("f32")) {
    float value = static_cast<float>(*real);
    append(&value, 4);
  } else if (auto exact = argument.getNumber("f64")) {
    append(&*exact, 8);
  } else {
    return fail("an argument is none of input, output, workspace, i32, i64, "
                "f32, f64");
  }
  return llvm::Error::success();
}

llvm::Error Program::parseLaunch(const json::Object &step) {
  auto kernel = getNumber(step, "launch");
  if (!kernel)
    return kernel.takeError();
  const json::Array *grid = step.getArray("grid");
  const json::Array *args = step.getArray("args");
  if (*kernel >= kernels.size() || !grid || grid->size() != 3 || !args)
    return fail("a launch needs a kernel, a grid of three numbers and args");
  Launch launch = {};
  launch.kernel = static_cast<uint32_t>(*kernel);
  for (auto [size, value] : llvm::zip(launch.grid, *grid)) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number || *number < 1 || *number > INT32_MAX)
      return fail("a grid's size is a number from 1");
    size = static_cast<uint32_t>(*number);
  }
  arguments.resize(llvm::alignTo(arguments.size(), 16));
  launch.begin = arguments.size();
  launch.patchBegin = patches.size();
  for (const json::Value &value : *args) {
    const json::Object *argument = value.getAsObject();
    if (!argument)
      return fail("an argument is an object");
    if (llvm::Error error = parseArgument(*argument, launch))
      return error;
  }
  launch.patchEnd = patches.size();
  const Kernel &callee = kernels[launch.kernel];
  if (llvm::alignTo(launch.bytes, 8) != llvm::alignTo(callee.kernargBytes, 8))
    return fail("kernel '%s' takes %u bytes of arguments, the launch has %u",
                callee.name.c_str(), callee.kernargBytes, launch.bytes);
  launches.push_back(launch);
  return llvm::Error::success();
}

llvm::Error Program::parse(const json::Object &root) {
  if (root.getInteger("version") != 1)
    return fail("unknown version");
  if (llvm::Error error = readTensors(root, "inputs", inputBytes))
    return error;
  if (llvm::Error error = readTensors(root, "outputs", outputBytes))
    return error;
  auto bytes = getNumber(root, "workspace_bytes");
  if (!bytes)
    return bytes.takeError();
  workspaceBytes = *bytes;
  if (llvm::Error error = parseKernels(root))
    return error;
  const json::Array *steps = root.getArray("steps");
  if (!steps)
    return fail("'steps' is missing");
  for (auto [number, value] : llvm::enumerate(*steps)) {
    const json::Object *step = value.getAsObject();
    if (step && step->get("call")) {
      segments.push_back({0, 0, static_cast<int32_t>(number)});
      continue;
    }
    if (!step || !step->get("launch"))
      return fail("step %zu is neither a launch nor a call", number);
    if (llvm::Error error = parseLaunch(*step))
      return error;
    uint32_t end = launches.size();
    if (segments.empty() || segments.back().step >= 0)
      segments.push_back({end - 1, end, -1});
    segments.back().end = end;
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Program>> Program::load(llvm::StringRef text,
                                                       llvm::StringRef code) {
  auto value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *root = value->getAsObject();
  if (!root)
    return fail("the text is not an object");
  auto program = std::make_unique<Program>();
  program->code = code.str();
  if (llvm::Error error = program->parse(*root))
    return std::move(error);
  return program;
}
