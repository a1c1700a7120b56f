//===- Argument.cpp - Kernel arguments from the command line --------------===//

#include "Argument.h"

#include "ElementType.h"

#include <cmath>
#include <cstring>

using namespace octavo::sim;
using llvm::StringRef;

/// Arrays beyond this are a slip of the finger, not a test.
static constexpr uint64_t kMaxArrayBytes = uint64_t(1) << 36;

static llvm::Error bad(StringRef text, const llvm::Twine &what) {
  return llvm::createStringError("--arg " + text + ": " + what);
}

//===----------------------------------------------------------------------===//
// Made arrays
//===----------------------------------------------------------------------===//

namespace {
/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every host.
struct Random {
  uint64_t state;

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In (0, 1].
  double uniform() { return double((next() >> 11) + 1) * 0x1p-53; }
  /// Box and Muller.
  double normal() {
    double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
};
} // namespace

static llvm::Error fillArray(StringRef text, StringRef how,
                             const ElementType &type, uint64_t count,
                             llvm::MutableArrayRef<uint8_t> bytes) {
  auto [name, seedText] = how.split(':');
  Random random = {0};
  if (!seedText.empty() && seedText.getAsInteger(0, random.state))
    return bad(text, "the seed is no number");
  auto each = [&](auto value) {
    for (uint64_t i = 0; i < count; ++i)
      storeReal(type, value(i), bytes.data() + i * type.bytes);
    return llvm::Error::success();
  };
  if (name == "zeros")
    return llvm::Error::success();
  if (name == "ones")
    return each([](uint64_t) { return 1.0; });
  if (name == "arange")
    return each([](uint64_t i) { return double(i); });
  if (name == "uniform")
    return each([&](uint64_t) { return random.uniform(); });
  if (name == "randn")
    return each([&](uint64_t) { return random.normal(); });
  return bad(text, "arrays are made by zeros, ones, arange, uniform[:SEED] or "
                   "randn[:SEED]");
}

static llvm::Expected<Argument> parseMade(StringRef text, StringRef typeName,
                                          StringRef rest) {
  const ElementType *type = lookupElementType(typeName);
  if (!type)
    return bad(text,
               "no type " + typeName + "; there are " + listElementTypes());
  auto [shapeText, how] = rest.split(']');
  if (!how.consume_front(":"))
    return bad(text, "expected TYPE[4096x4096]:randn:7");
  Argument argument;
  argument.isArray = true;
  argument.array.type = type->npy.str();
  llvm::SmallVector<StringRef, 4> parts;
  shapeText.split(parts, 'x');
  uint64_t count = 1;
  for (StringRef part : parts) {
    uint64_t size;
    if (part.getAsInteger(10, size) ||
        __builtin_mul_overflow(count, size, &count))
      return bad(text, "bad shape [" + shapeText + "]");
    argument.array.shape.push_back(size);
  }
  if (count > kMaxArrayBytes / type->bytes)
    return bad(text, "the array is larger than 64 GiB");
  argument.array.bytes.resize(count * type->bytes);
  if (llvm::Error error =
          fillArray(text, how, *type, count, argument.array.bytes))
    return std::move(error);
  return argument;
}

//===----------------------------------------------------------------------===//
// Any argument
//===----------------------------------------------------------------------===//

static llvm::Expected<Argument> parseAny(StringRef text) {
  Argument argument;
  if (text == "null") {
    argument.scalar.resize(8);
    return argument;
  }
  if (text.ends_with(".npy")) {
    llvm::Expected<NpyArray> array = readNpy(text);
    if (!array)
      return array.takeError();
    argument.isArray = true;
    argument.array = std::move(*array);
    return argument;
  }
  if (size_t bracket = text.find('['); bracket != StringRef::npos)
    return parseMade(text, text.take_front(bracket),
                     text.drop_front(bracket + 1));
  auto [typeName, value] = text.split(':');
  const ElementType *type = lookupElementType(typeName);
  if (!type)
    return bad(text, "expected a file.npy, null, TYPE:VALUE or "
                     "TYPE[SHAPE]:HOW, with a type of " +
                         listElementTypes());
  argument.scalar.resize(type->bytes);
  if (!storeText(*type, value, argument.scalar.data()))
    return bad(text, "'" + value + "' is no " + typeName);
  return argument;
}

llvm::Expected<Argument> octavo::sim::parseArgument(StringRef text) {
  llvm::Expected<Argument> argument = parseAny(text);
  if (argument)
    argument->text = text.str();
  return argument;
}

llvm::Expected<std::vector<uint8_t>>
octavo::sim::packArguments(const KernelDescriptor &kernel,
                           llvm::MutableArrayRef<Argument> arguments) {
  std::vector<const KernelArgument *> parameters;
  for (const KernelArgument &parameter : kernel.arguments)
    if (!parameter.isHidden())
      parameters.push_back(&parameter);
  if (parameters.size() != arguments.size())
    return llvm::createStringError(
        "kernel " + kernel.name + " takes " + llvm::Twine(parameters.size()) +
        " arguments, got " + llvm::Twine(arguments.size()));
  std::vector<uint8_t> bytes;
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    Argument &argument = arguments[index];
    void *address = argument.array.bytes.data();
    auto *data = argument.isArray ? reinterpret_cast<const uint8_t *>(&address)
                                  : argument.scalar.data();
    size_t size = argument.isArray ? sizeof address : argument.scalar.size();
    if (size != parameter->size)
      return llvm::createStringError(
          "argument " + llvm::Twine(index) + " (" + argument.text + ") has " +
          llvm::Twine(size) + " bytes, parameter " + parameter->name + " of " +
          kernel.name + " has " + llvm::Twine(parameter->size));
    bytes.resize(std::max<size_t>(bytes.size(), parameter->offset + size));
    std::memcpy(bytes.data() + parameter->offset, data, size);
  }
  return bytes;
}
