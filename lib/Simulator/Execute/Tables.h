//===- Tables.h - Handlers for one instruction set of the host --*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_EXECUTE_TABLES_H
#define OCTAVO_SIMULATOR_EXECUTE_TABLES_H

#include "../Machine.h"

namespace octavo::sim {

/// Everything that Isa needs of one compilation of these files.
struct HandlerSet {
  const Table *tables;
  size_t count;
  Handler notCode, plain, modified, packed;
};

namespace x86_64_v3 {
const HandlerSet &handlers();
/// Compiled for this level only, see Portable/.
Table smallFloatTable(), scaledFloatTable(), scaledSixBitTable();
} // namespace x86_64_v3
namespace x86_64_v4 {
const HandlerSet &handlers();
}

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_EXECUTE_TABLES_H
