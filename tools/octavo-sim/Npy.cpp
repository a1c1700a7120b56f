//===- Npy.cpp - Files of numpy arrays ------------------------------------===//

#include "Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo::sim;
using llvm::StringRef;

static llvm::Error damaged(StringRef path, const llvm::Twine &what) {
  return llvm::createStringError(path + ": not a numpy file: " + what);
}

/// What stands in the header's dictionary after `key`, up to the next comma
/// outside of parentheses.
static StringRef getValue(StringRef header, StringRef key) {
  std::string quoted = ("'" + key + "'").str();
  size_t at = header.find(quoted);
  if (at == StringRef::npos)
    return {};
  StringRef rest = header.substr(at + quoted.size()).ltrim(" :");
  if (rest.starts_with("("))
    return rest.substr(0, rest.find(')') + 1);
  return rest.take_until([](char c) { return c == ',' || c == '}'; }).trim();
}

static llvm::Error parseShape(StringRef path, StringRef text,
                              std::vector<uint64_t> &shape, uint64_t &count) {
  if (!text.consume_front("(") || !text.consume_back(")"))
    return damaged(path, "no shape");
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  count = 1;
  for (StringRef part : parts) {
    uint64_t size;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, size) ||
        __builtin_mul_overflow(count, size, &count))
      return damaged(path, "bad shape");
    shape.push_back(size);
  }
  return llvm::Error::success();
}

llvm::Expected<NpyArray> octavo::sim::readNpy(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError(path + ": " + file.getError().message());
  StringRef text = (*file)->getBuffer();
  if (!text.starts_with("\x93NUMPY") || text.size() < 12)
    return damaged(path, "wrong magic");
  unsigned lengthBytes = text[6] == 1 ? 2 : 4;
  uint64_t length = lengthBytes == 2
                        ? llvm::support::endian::read16le(text.data() + 8)
                        : llvm::support::endian::read32le(text.data() + 8);
  if (length > text.size() - 8 - lengthBytes)
    return damaged(path, "header is cut off");
  StringRef header = text.substr(8 + lengthBytes, length);
  StringRef data = text.substr(8 + lengthBytes + length);
  NpyArray array;
  array.type = getValue(header, "descr").trim("'").str();
  unsigned bytes;
  StringRef type = array.type;
  if (type.size() < 3 || type[0] == '>' ||
      !StringRef("iufbV").contains(type[1]) ||
      type.drop_front(2).getAsInteger(10, bytes))
    return damaged(path, "element type " + type);
  if (getValue(header, "fortran_order") != "False")
    return llvm::createStringError(path + ": the array is in Fortran order");
  uint64_t count;
  if (llvm::Error error =
          parseShape(path, getValue(header, "shape"), array.shape, count))
    return std::move(error);
  if (count > data.size() || count * bytes != data.size())
    return damaged(path, "has " + llvm::Twine(data.size()) + " bytes of data");
  array.bytes.assign(data.bytes_begin(), data.bytes_end());
  return array;
}

llvm::Error octavo::sim::writeNpy(StringRef path, const NpyArray &array) {
  std::string shape;
  for (uint64_t size : array.shape)
    shape += std::to_string(size) + ",";
  std::string header = "{'descr': '" + array.type +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data begin on a border of 64 bytes; the header ends with a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return llvm::createStringError(path + ": " + code.message());
  char length[2];
  llvm::support::endian::write16le(length,
                                   static_cast<uint16_t>(header.size()));
  file << StringRef("\x93NUMPY\x01\x00", 8) << StringRef(length, 2) << header;
  file << StringRef(reinterpret_cast<const char *>(array.bytes.data()),
                    array.bytes.size());
  file.close();
  if (file.has_error())
    return llvm::createStringError(path + ": " + file.error().message());
  return llvm::Error::success();
}
