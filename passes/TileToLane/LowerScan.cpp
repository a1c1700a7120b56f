//===- LowerScan.cpp - Running combinations along a dimension -------------===//
//
// The layout (chooseScanLayout) holds a line as runs of registers, runs side by
// side in lanes, and groups of such lanes one behind the other. A lane scans
// its run; then, one lane bit after the other, the upper lanes of a pair take
// the total of the lower ones; then the groups pass on what they carry.
//
//===----------------------------------------------------------------------===//

#include "passes/TileToLane/LaneProgram.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace octavo;

namespace {
/// One value of every operand.
using Elements = SmallVector<Value>;

class ScanLowering {
public:
  ScanLowering(LaneProgram &p, tile::ScanOp op)
      : p(p), op(op), layout(layoutOf(op.getSources().front())) {}

  LogicalResult run();

private:
  /// Combines in the direction of the scan.
  Elements inOrder(const Elements &earlier, const Elements &later) {
    return combine(p, op.getCombiner(), earlier, later);
  }
  Elements choose(Value condition, const Elements &yes, const Elements &no);
  void scanLanes(SmallVector<Elements> &run, Elements &total);
  void scanLine(ArrayRef<int64_t> line);

  LaneProgram &p;
  tile::ScanOp op;
  const LinearLayout &layout;
  /// Lane bits along the axis, with their steps, smallest first.
  SmallVector<std::pair<int64_t, unsigned>> laneBits;
  SmallVector<SmallVector<Value>> results;
};
} // namespace

Elements ScanLowering::choose(Value condition, const Elements &yes,
                              const Elements &no) {
  Elements chosen;
  for (auto [a, b] : llvm::zip_equal(yes, no))
    chosen.push_back(arith::SelectOp::create(p.b, p.loc, condition, a, b));
  return chosen;
}

void ScanLowering::scanLanes(SmallVector<Elements> &run, Elements &total) {
  for (auto [step, bit] : laneBits) {
    Elements other;
    for (Value value : total)
      other.push_back(shuffleXor(p, value, bit));
    Value set = arith::AndIOp::create(p.b, p.loc, p.getLane(),
                                      p.constantI32(int64_t(1) << bit));
    auto isLater =
        op.getReverse() ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
    Value later =
        arith::CmpIOp::create(p.b, p.loc, isLater, set, p.constantI32(0));
    for (Elements &element : run)
      element = choose(later, inOrder(other, element), element);
    total = choose(later, inOrder(other, total), inOrder(total, other));
  }
}

/// `line` holds the registers of a line in the direction of the scan.
void ScanLowering::scanLine(ArrayRef<int64_t> line) {
  size_t length = laneBits.empty() ? line.size() : laneBits.front().first;
  Elements carry;
  for (; !line.empty(); line = line.drop_front(length)) {
    SmallVector<Elements> run;
    for (int64_t reg : line.take_front(length)) {
      Elements element;
      for (Value source : op.getSources())
        element.push_back(p.getElement(source, reg));
      if (!run.empty())
        element = inOrder(run.back(), element);
      run.push_back(element);
    }
    Elements total = run.back();
    scanLanes(run, total);
    if (!carry.empty())
      for (Elements &element : run)
        element = inOrder(carry, element);
    carry = carry.empty() ? total : inOrder(carry, total);
    for (auto [reg, element] : llvm::zip(line, run))
      for (auto [list, value] : llvm::zip_equal(results, element))
        list[reg] = value;
  }
}

LogicalResult ScanLowering::run() {
  int64_t axis = op.getAxis();
  for (auto [bit, basis] : llvm::enumerate(layout.laneBases()))
    if (basis[axis] != 0)
      laneBits.push_back({basis[axis], bit});
  for (const TileIndex &basis : layout.waveBases())
    if (basis[axis] != 0)
      return op.emitOpError("expected lines inside of a wave");
  llvm::sort(laneBits);
  // Registers of each line.
  llvm::MapVector<int64_t, SmallVector<std::pair<int64_t, int64_t>>> lines;
  TileIndex shape = layout.shape();
  for (int64_t reg = 0, n = layout.numRegisters(); reg < n; ++reg) {
    TileIndex index = layout.registerIndex(reg);
    int64_t place = index[axis];
    index[axis] = 0;
    lines[linearize(index, shape)].push_back({place, reg});
  }
  results.assign(op.getSources().size(),
                 SmallVector<Value>(layout.numRegisters()));
  for (auto &[key, line] : lines) {
    llvm::sort(line);
    if (op.getReverse())
      std::reverse(line.begin(), line.end());
    SmallVector<int64_t> regs;
    for (auto [place, reg] : line)
      regs.push_back(reg);
    scanLine(regs);
  }
  for (auto [result, list] : llvm::zip_equal(op.getResults(), results))
    p.defineElements(result, list);
  return success();
}

LogicalResult octavo::lowerScan(LaneProgram &p, tile::ScanOp op) {
  return ScanLowering(p, op).run();
}
