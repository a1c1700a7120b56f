//===- Constants.cpp - Numbers of the timing model with sources -----------===//

#include "lib/Simulator/Timing/Constants.h"

#include "llvm/Support/ErrorHandling.h"
#include <vector>

using namespace octavo::sim;
using enum ConstantKind;

namespace {

struct Column {
  llvm::StringRef arch;
  TimingConstants values;
  std::vector<TimingConstant> rows;
};

const Column columns[] = {
    {"gfx942",
     {
#define OCTAVO_TIMING_CONSTANT(field, unit, gfx942, gfx950, kind, source)      \
  double(gfx942),
#include "lib/Simulator/Timing/Constants.def"
#undef OCTAVO_TIMING_CONSTANT
     },
     {
#define OCTAVO_TIMING_CONSTANT(field, unit, gfx942, gfx950, kind, source)      \
  {#field, unit, double(gfx942), kind, source},
#include "lib/Simulator/Timing/Constants.def"
#undef OCTAVO_TIMING_CONSTANT
     }},
    {"gfx950",
     {
#define OCTAVO_TIMING_CONSTANT(field, unit, gfx942, gfx950, kind, source)      \
  double(gfx950),
#include "lib/Simulator/Timing/Constants.def"
#undef OCTAVO_TIMING_CONSTANT
     },
     {
#define OCTAVO_TIMING_CONSTANT(field, unit, gfx942, gfx950, kind, source)      \
  {#field, unit, double(gfx950), kind, source},
#include "lib/Simulator/Timing/Constants.def"
#undef OCTAVO_TIMING_CONSTANT
     }},
};

const Column *lookup(llvm::StringRef arch) {
  for (const Column &column : columns)
    if (column.arch == arch)
      return &column;
  return nullptr;
}

} // namespace

const TimingConstants *octavo::sim::getTimingConstants(llvm::StringRef arch) {
  const Column *column = lookup(arch);
  return column ? &column->values : nullptr;
}

llvm::ArrayRef<TimingConstant>
octavo::sim::listTimingConstants(llvm::StringRef arch) {
  const Column *column = lookup(arch);
  return column ? llvm::ArrayRef(column->rows)
                : llvm::ArrayRef<TimingConstant>();
}

llvm::StringRef octavo::sim::getKindName(ConstantKind kind) {
  switch (kind) {
  case Measured:
    return "measured";
  case Published:
    return "published";
  case Assumed:
    return "assumed";
  }
  llvm_unreachable("covered switch");
}
