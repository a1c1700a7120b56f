//===- Tables.cpp - All rows for one instruction set of the host ----------===//

#include "Tables.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

const Inst *notCode(Wave &w, const Inst &inst) {
  return fail(w, inst, "bytes that are no instruction were reached");
}

} // namespace

const HandlerSet &handlers() {
  static const Table tables[] = {
      vectorIntegerTable(), vectorFloatTable(),   vectorHalfTable(),
      vectorDoubleTable(),  vectorCompareTable(), vectorConvertTable(),
      vectorCarryTable(),   vectorSpecialTable(), vectorCrossTable(),
      scalarTable(),        scalarCompareTable(), scalarControlTable(),
      scalarMemoryTable(),  ldsTable(),           ldsAtomicTable(),
      flatTable(),          bufferTable(),
  };
  static const HandlerSet set = {
      tables,         sizeof(tables) / sizeof(tables[0]),
      notCode,        vectorPlain,
      vectorModified, vectorPacked};
  return set;
}

} // namespace octavo::sim::OCTAVO_SIM_ISA
