//===- ScatterKernel.cpp - Kernels around a scatter -----------------------===//
//
// A workgroup is one wave and owns a block of rows (places that indices can
// name) and of columns. It looks at the indices in chunks and takes the tokens
// that name one of its rows, in their order: the time is that of the tokens,
// not of rows times tokens. One row is summed in registers, several in memory,
// which only this workgroup writes.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/ScatterKernel.h"

#include "octavo/Analysis/Scatter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace octavo;

/// Indices that are looked at together: one a lane.
static constexpr int64_t kChunk = 64;
/// Tokens of one row that are read before the first one is waited for.
static constexpr int64_t kBatch = 8;

ScatterReduceOp octavo::findScatter(Block *block) {
  for (Operation &op : *block)
    if (auto scatter = dyn_cast<ScatterReduceOp>(op))
      return scatter;
  return {};
}

std::optional<ScatterShape> octavo::shapeScatter(ScatterReduceOp op,
                                                 const TargetInfo &target) {
  auto yield = cast<octavo::YieldOp>(op->getBlock()->getTerminator());
  if (yield.getNumOperands() != 1 || yield.getOperand(0) != op.getResult()) {
    op.emitOpError("is not the only result of its kernel");
    return std::nullopt;
  }
  ScatterSizes sizes = ScatterSizes::of(op);
  ScatterPlan plan =
      planScatter(target, sizes.rows, sizes.columns, sizes.tokens);
  return ScatterShape{op, plan,
                      int64_t(llvm::divideCeil(sizes.rows, plan.rows) *
                              llvm::divideCeil(sizes.columns, plan.columns))};
}

namespace {
/// Emits one body.
class ScatterEmitter {
public:
  ScatterEmitter(OpBuilder &b, KernelBody &body, const ScatterShape &shape)
      : b(b), body(body), op(shape.op), plan(shape.plan),
        sizes(ScatterSizes::of(op)), loc(op.getLoc()),
        reads(scatterElements(space, op)), evaluator(b, space, 1, body.memory) {
  }

  LogicalResult run(Value workgroup);

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value splat(int64_t value) {
    return evaluator.splat(b.getI32IntegerAttr(value), {kChunk});
  }
  Value keys(Value first);
  Value rowsOf();
  Value nextKey(Value keys, Value last);
  Value neutralTile();
  Value token(Operation *loop, Value first, Value key);
  LogicalResult emitChunk(Value first, Value &sum);
  bool storeRow(Operation *scope, Value row, Value tile);
  bool clearRows();
  bool addInMemory(Operation *scope, Value row, Value tile);

  OpBuilder &b;
  KernelBody &body;
  ScatterReduceOp op;
  const ScatterPlan &plan;
  ScatterSizes sizes;
  Location loc;
  ElementSpace space;
  ScatterElements reads;
  Evaluator evaluator;
  Value firstRow;
};
} // namespace

/// The row that each token of the chunk names, or -1.
Value ScatterEmitter::rowsOf() {
  Value rows, valid;
  for (auto [j, element] : llvm::enumerate(reads.indices)) {
    Value index = evaluator.evaluate(element);
    if (!index)
      return {};
    index = evaluator.broadcast(index, {kChunk});
    auto type = cast<RankedTensorType>(index.getType());
    auto same = [&](int64_t value) {
      return evaluator.splat(b.getIntegerAttr(type.getElementType(), value),
                             {kChunk});
    };
    int64_t size = sizes.indexed[j];
    Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                             index, same(0));
    Value fromEnd = arith::AddIOp::create(b, loc, index, same(size));
    Value place = arith::SelectOp::create(b, loc, isNegative, fromEnd, index);
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         place, same(size));
    if (type.getElementTypeBitWidth() > 32)
      place =
          arith::TruncIOp::create(b, loc, type.clone(b.getI32Type()), place);
    rows = rows ? Value(arith::AddIOp::create(
                      b, loc, arith::MulIOp::create(b, loc, rows, splat(size)),
                      place))
                : place;
    valid =
        valid ? Value(arith::AndIOp::create(b, loc, valid, inside)) : inside;
  }
  return arith::SelectOp::create(b, loc, valid, rows, splat(-1));
}

/// For each token of the chunk at `first` its place in the order and its row in
/// the block as one number, or INT32_MAX if the row is another workgroup's.
Value ScatterEmitter::keys(Value first) {
  Value rows = rowsOf();
  if (!rows)
    return {};
  auto type = cast<RankedTensorType>(rows.getType());
  Value start = evaluator.broadcast(evaluator.unitTile(firstRow), {kChunk});
  // -1 is below every block, and large as an unsigned number.
  Value local = arith::SubIOp::create(b, loc, rows, start);
  Value named =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rows, splat(0));
  Value isOurs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, local,
                                       splat(plan.rows));
  isOurs = arith::AndIOp::create(b, loc, isOurs, named);
  Value number = tile::RangeOp::create(b, loc, type, 0, kChunk);
  if (sizes.tokens % kChunk) {
    Value left = arith::SubIOp::create(b, loc, constant(sizes.tokens), first);
    left = evaluator.broadcast(evaluator.unitTile(left), {kChunk});
    Value exists =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number, left);
    isOurs = arith::AndIOp::create(b, loc, isOurs, exists);
  }
  Value key = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, number, splat(plan.rows)), local);
  return arith::SelectOp::create(b, loc, isOurs, key, splat(INT32_MAX));
}

/// The smallest key above `last`, a scalar.
Value ScatterEmitter::nextKey(Value keys, Value last) {
  Value bound = evaluator.broadcast(evaluator.unitTile(last), {kChunk});
  Value later =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, keys, bound);
  Value left = arith::SelectOp::create(b, loc, later, keys, splat(INT32_MAX));
  auto scalar = RankedTensorType::get({}, b.getI32Type());
  auto reduce = tile::ReduceOp::create(b, loc, TypeRange(scalar), left, 0u,
                                       IntegerAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *combiner =
        b.createBlock(&reduce.getCombiner(), {},
                      {b.getI32Type(), b.getI32Type()}, {loc, loc});
    Value smaller = arith::MinSIOp::create(b, loc, combiner->getArgument(0),
                                           combiner->getArgument(1));
    tile::YieldOp::create(b, loc, smaller);
  }
  return tile::ToScalarOp::create(b, loc, b.getI32Type(), reduce.getResult(0));
}

Value ScatterEmitter::neutralTile() {
  TypedAttr value;
  auto fill = op.getInit().getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&value))) {
    op.emitOpError("scatters into what is not filled with a constant");
    return {};
  }
  return evaluator.splat(value, {plan.columns});
}

/// The columns of the token with `key` in the chunk at `first`; what changes
/// nothing if there is none.
Value ScatterEmitter::token(Operation *loop, Value first, Value key) {
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, key,
                                       constant(INT32_MAX));
  Value number = arith::DivUIOp::create(b, loc, key, constant(plan.rows));
  number = arith::SelectOp::create(b, loc, exists, number, constant(0));
  Value base = arith::AddIOp::create(b, loc, first, number);
  evaluator.enter(loop);
  evaluator.bind(coordinateK, {-1, 1, sizes.tokens, base});
  Value tile = evaluator.evaluate(reads.source);
  evaluator.leave();
  Value neutral = neutralTile();
  if (!tile || !neutral)
    return {};
  tile = evaluator.broadcast(tile, {plan.columns});
  Value where = evaluator.broadcast(evaluator.unitTile(exists), {plan.columns});
  return arith::SelectOp::create(b, loc, where, tile, neutral);
}

/// Writes `tile` to `row`; `scope` is the loop around it.
bool ScatterEmitter::storeRow(Operation *scope, Value row, Value tile) {
  evaluator.enter(scope);
  evaluator.bind(coordinateM, {-1, 1, sizes.rows, row});
  evaluator.define(reads.result, tile);
  bool stored = evaluator.store(reads.result, body.results[0]);
  evaluator.leave();
  return stored;
}

/// Combines `tile` with what lies in `row`.
bool ScatterEmitter::addInMemory(Operation *scope, Value row, Value tile) {
  evaluator.enter(scope);
  evaluator.bind(coordinateM, {-1, 1, sizes.rows, row});
  Value old = evaluator.evaluate(reads.result);
  evaluator.leave();
  if (!old)
    return false;
  Value sum = getScatterCombination(
      b, loc, op.getKind(), evaluator.broadcast(old, {plan.columns}), tile);
  return storeRow(scope, row, sum);
}

/// All rows of the block, before the first token comes.
bool ScatterEmitter::clearRows() {
  Value end = arith::AddIOp::create(b, loc, firstRow, constant(plan.rows));
  end = arith::MinSIOp::create(b, loc, end, constant(sizes.rows));
  auto loop = scf::ForOp::create(b, loc, firstRow, end, constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value neutral = neutralTile();
  return neutral && storeRow(loop, loop.getInductionVar(), neutral);
}

/// Takes the tokens of one chunk; `sum` is the row if the block is one.
LogicalResult ScatterEmitter::emitChunk(Value first, Value &sum) {
  Value chunk = keys(first);
  if (!chunk)
    return failure();
  bool inMemory = plan.rows > 1;
  SmallVector<Value> carried{constant(-1)};
  if (!inMemory)
    carried.push_back(sum);
  TypeRange types = ValueRange(carried).getTypes();
  auto loop = scf::WhileOp::create(b, loc, types, carried);
  SmallVector<Location> locations(carried.size(), loc);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  SmallVector<Value> passed(before->getArguments());
  passed[0] = nextKey(chunk, before->getArgument(0));
  Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                     passed[0], constant(INT32_MAX));
  scf::ConditionOp::create(b, loc, more, passed);
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  SmallVector<Value> keysTaken{after->getArgument(0)}, tiles;
  while (!inMemory && int64_t(keysTaken.size()) < kBatch)
    keysTaken.push_back(nextKey(chunk, keysTaken.back()));
  for (Value key : keysTaken)
    if (tiles.push_back(token(loop, first, key)); !tiles.back())
      return failure();
  SmallVector<Value> next{keysTaken.back()};
  if (inMemory) {
    Value row =
        arith::RemUIOp::create(b, loc, keysTaken[0], constant(plan.rows));
    row = arith::AddIOp::create(b, loc, firstRow, row);
    if (!addInMemory(loop, row, tiles[0]))
      return failure();
  } else {
    Value total = after->getArgument(1);
    for (Value tile : tiles)
      total = getScatterCombination(b, loc, op.getKind(), total, tile);
    next.push_back(total);
  }
  scf::YieldOp::create(b, loc, next);
  if (!inMemory)
    sum = loop.getResult(1);
  return success();
}

LogicalResult ScatterEmitter::run(Value workgroup) {
  evaluator.setLoc(loc);
  bool inMemory = plan.rows > 1;
  int64_t blocks = llvm::divideCeil(sizes.columns, plan.columns);
  Value block = workgroup, column;
  if (blocks > 1) {
    block = arith::DivUIOp::create(b, loc, workgroup, constant(blocks));
    column = arith::RemUIOp::create(b, loc, workgroup, constant(blocks));
    column = arith::MulIOp::create(b, loc, column, constant(plan.columns));
  }
  evaluator.bind(coordinateX, {0, plan.columns, sizes.columns, column});
  firstRow = arith::MulIOp::create(b, loc, block, constant(plan.rows));
  if (inMemory) {
    body.memory[op.getResult().getAsOpaquePointer()] = body.results[0];
    if (!clearRows())
      return failure();
  }
  SmallVector<Value> carried;
  if (!inMemory)
    carried.push_back(neutralTile());
  if (!inMemory && !carried[0])
    return failure();
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(sizes.tokens),
                                 constant(kChunk), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    evaluator.enter(loop);
    evaluator.bind(coordinateK,
                   {0, kChunk, sizes.tokens, loop.getInductionVar()});
    Value sum = inMemory ? Value() : loop.getRegionIterArg(0);
    if (failed(emitChunk(loop.getInductionVar(), sum)))
      return failure();
    evaluator.leave();
    if (!inMemory) {
      b.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(b, loc, sum);
    }
  }
  b.setInsertionPointAfter(loop);
  // Written after the loop: the row is bound in the function itself.
  if (!inMemory) {
    evaluator.bind(coordinateM, {-1, 1, sizes.rows, firstRow});
    evaluator.define(reads.result, loop.getResult(0));
    return success(evaluator.store(reads.result, body.results[0]));
  }
  return success();
}

LogicalResult octavo::emitScatter(OpBuilder &builder, KernelBody &body,
                                  const ScatterShape &shape, Value workgroup) {
  return ScatterEmitter(builder, body, shape).run(workgroup);
}
