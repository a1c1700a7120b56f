//===- Element.cpp - Which elements an element is made of -----------------===//

#include "octavo/Analysis/Element.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;

//===----------------------------------------------------------------------===//
// Domain
//===----------------------------------------------------------------------===//

static int64_t extent(const Domain &domain, bool reduced) {
  int64_t size = 1;
  for (auto [d, r] : llvm::zip(domain.shape, domain.reduced))
    if (r == reduced)
      size *= d;
  return size;
}

int64_t Domain::extentX() const { return extent(*this, false); }
int64_t Domain::extentR() const { return extent(*this, true); }

Domain Domain::get(ArrayRef<int64_t> shape, ArrayRef<int64_t> dimensions) {
  Domain domain;
  for (auto [d, size] : llvm::enumerate(shape)) {
    bool reduced = llvm::is_contained(dimensions, int64_t(d));
    if (size == 1)
      continue;
    if (!domain.shape.empty() && domain.reduced.back() == reduced) {
      domain.shape.back() *= size;
      continue;
    }
    domain.shape.push_back(size);
    domain.reduced.push_back(reduced);
  }
  return domain;
}

Attribute Domain::toAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<int64_t> flags(reduced.begin(), reduced.end());
  return b.getArrayAttr(
      {b.getDenseI64ArrayAttr(shape), b.getDenseI64ArrayAttr(flags)});
}

Domain Domain::fromAttr(Attribute attr) {
  auto pair = cast<ArrayAttr>(attr);
  Domain domain;
  domain.shape = llvm::to_vector(cast<DenseI64ArrayAttr>(pair[0]).asArrayRef());
  for (int64_t flag : cast<DenseI64ArrayAttr>(pair[1]).asArrayRef())
    domain.reduced.push_back(flag != 0);
  return domain;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

IndexExpr ElementSpace::reducedCoordinate(int64_t extent) {
  auto [it, added] = reduced.try_emplace(extent, firstReduced + reduced.size());
  return space.coordinate(it->second, extent);
}

std::optional<Index> ElementSpace::rootIndex(const Domain &domain,
                                             ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  int64_t extentX = domain.extentX(), extentR = domain.extentR();
  IndexExpr x = space.coordinate(coordinateX, extentX);
  if (elements == extentX && extentR != 1)
    return Index(space.delinearize(x, shape));
  if (elements != extentX * extentR)
    return std::nullopt;
  // Dimensions of the domain that are not reduced come from x, others from r.
  SmallVector<int64_t> shapeX, shapeR;
  for (auto [size, isReduced] : llvm::zip(domain.shape, domain.reduced))
    (isReduced ? shapeR : shapeX).push_back(size);
  auto ofX = space.delinearize(x, shapeX);
  auto ofR = extentR == 1
                 ? SmallVector<IndexExpr>(shapeR.size(), space.constant(0))
                 : space.delinearize(reducedCoordinate(extentR), shapeR);
  IndexExpr linear = space.constant(0);
  size_t nextX = 0, nextR = 0;
  for (auto [size, isReduced] : llvm::zip(domain.shape, domain.reduced))
    linear = space.add(space.mul(linear, size),
                       isReduced ? ofR[nextR++] : ofX[nextX++]);
  return Index(space.delinearize(linear, shape));
}

IndexExpr ElementSpace::opaqueIndex(Operation *op, unsigned operand,
                                    ArrayRef<IndexExpr> iteration,
                                    int64_t size) {
  uint64_t coordinates = 0;
  for (IndexExpr e : iteration)
    coordinates |= e->coordinates;
  auto key = std::make_tuple(op, operand, Index(iteration));
  auto [it, added] = opaques.try_emplace(key, opaques.size());
  return space.opaque(it->second, 0, size - 1, coordinates);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

bool ElementSpace::isView(Operation *op) {
  return isa_and_nonnull<
      tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp,
      tensor::InsertSliceOp, tensor::ConcatOp, tensor::PadOp, tensor::CastOp,
      tensor::ReshapeOp, linalg::TransposeOp, linalg::BroadcastOp>(op);
}

static ArrayRef<int64_t> shapeOf(Value v) {
  return cast<RankedTensorType>(v.getType()).getShape();
}

static ViewSources one(Value tensor, Index index) {
  ViewSources result;
  result.sources.push_back({{tensor, std::move(index)}, {}});
  return result;
}

/// index = offset + stride * index, with the dropped dimensions put back.
static Index sliceIndex(IndexSpace &space, ArrayRef<int64_t> offsets,
                        ArrayRef<int64_t> strides,
                        const llvm::SmallBitVector &dropped,
                        ArrayRef<IndexExpr> index) {
  Index result;
  size_t next = 0;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    IndexExpr at = dropped[d] ? space.constant(0) : index[next++];
    result.push_back(
        space.add(space.mul(at, strides[d]), space.constant(offset)));
  }
  return result;
}

/// The part of an insert_slice: guards say whether `index` lies in the slice.
static GuardedElement insertedElement(IndexSpace &space,
                                      tensor::InsertSliceOp op,
                                      ArrayRef<IndexExpr> index) {
  GuardedElement result;
  result.element.tensor = op.getSource();
  auto dropped = op.getDroppedDims();
  for (size_t d = 0; d < index.size(); ++d) {
    int64_t offset = op.getStaticOffsets()[d], size = op.getStaticSizes()[d],
            stride = op.getStaticStrides()[d];
    IndexExpr at = space.sub(index[d], space.constant(offset));
    IndexExpr inner = space.div(at, stride);
    if (inner->low < 0 || inner->high >= size)
      result.guards.push_back({inner, 0, size});
    if (stride != 1)
      result.guards.push_back({space.mod(at, stride), 0, 1});
    if (!dropped[d])
      result.element.index.push_back(inner);
  }
  return result;
}

static ViewSources concatSources(IndexSpace &space, tensor::ConcatOp op,
                                 ArrayRef<IndexExpr> index) {
  ViewSources result;
  int64_t offset = 0;
  for (Value input : op.getInputs()) {
    int64_t size = shapeOf(input)[op.getDim()];
    GuardedElement part{{input, Index(index)}, {}};
    IndexExpr at = space.sub(index[op.getDim()], space.constant(offset));
    part.element.index[op.getDim()] = at;
    part.guards.push_back({at, 0, size});
    result.sources.push_back(std::move(part));
    offset += size;
  }
  return result;
}

static ViewSources padSources(IndexSpace &space, tensor::PadOp op,
                              ArrayRef<IndexExpr> index) {
  ViewSources result;
  GuardedElement part{{op.getSource(), {}}, {}};
  for (auto [d, i] : llvm::enumerate(index)) {
    IndexExpr at = space.sub(i, space.constant(op.getStaticLow()[d]));
    int64_t size = shapeOf(op.getSource())[d];
    part.element.index.push_back(at);
    if (at->low < 0 || at->high >= size)
      part.guards.push_back({at, 0, size});
  }
  result.sources.push_back(std::move(part));
  Attribute value;
  if (Value padding = op.getConstantPaddingValue())
    matchPattern(padding, m_Constant(&value));
  result.other = value;
  return result;
}

ViewSources ElementSpace::viewSources(Operation *op,
                                      ArrayRef<IndexExpr> index) {
  return llvm::TypeSwitch<Operation *, ViewSources>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto view) {
        Value source = view.getSrc();
        IndexExpr linear = space.linearize(
            index, getRowMajorStrides(shapeOf(view.getResult())));
        return one(source, Index(space.delinearize(linear, shapeOf(source))));
      })
      .Case([&](tensor::ExtractSliceOp view) {
        return one(view.getSource(), sliceIndex(space, view.getStaticOffsets(),
                                                view.getStaticStrides(),
                                                view.getDroppedDims(), index));
      })
      .Case([&](tensor::InsertSliceOp view) {
        ViewSources result;
        result.sources.push_back(insertedElement(space, view, index));
        result.sources.push_back({{view.getDest(), Index(index)}, {}});
        return result;
      })
      .Case([&](tensor::ConcatOp view) {
        return concatSources(space, view, index);
      })
      .Case([&](tensor::PadOp view) { return padSources(space, view, index); })
      .Case([&](tensor::CastOp view) {
        return one(view.getSource(), Index(index));
      })
      .Case([&](linalg::TransposeOp view) {
        Index result(index.size());
        for (auto [d, from] : llvm::enumerate(view.getPermutation()))
          result[from] = index[d];
        return one(view.getInput(), result);
      })
      .Case([&](linalg::BroadcastOp view) {
        Index result;
        for (auto [d, i] : llvm::enumerate(index))
          if (!llvm::is_contained(view.getDimensions(), int64_t(d)))
            result.push_back(i);
        return one(view.getInput(), result);
      })
      .Default([](Operation *) { return ViewSources(); });
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

Index ElementSpace::iterationIndex(linalg::GenericOp op, unsigned result,
                                   ArrayRef<IndexExpr> index) {
  Index iteration(op.getNumLoops(), space.constant(0));
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      iteration[dim.getPosition()] = index[i];
  return iteration;
}

/// Value of an affine expression at `iteration`.
static IndexExpr evaluate(IndexSpace &space, AffineExpr expr,
                          ArrayRef<IndexExpr> iteration) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return iteration[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return space.constant(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexExpr a = evaluate(space, binary.getLHS(), iteration);
  IndexExpr b = evaluate(space, binary.getRHS(), iteration);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return space.add(a, b);
  case AffineExprKind::Mul:
    return space.mul(a, b->constant);
  case AffineExprKind::FloorDiv:
    return space.div(a, b->constant);
  case AffineExprKind::CeilDiv:
    return space.mul(space.div(space.mul(a, -1), b->constant), -1);
  default:
    return space.mod(a, b->constant);
  }
}

Index ElementSpace::operandIndex(AffineMap map, ArrayRef<IndexExpr> iteration) {
  Index index;
  for (AffineExpr expr : map.getResults())
    index.push_back(evaluate(space, expr, iteration));
  return index;
}

int64_t ElementSpace::reducedExtent(linalg::ReduceOp op) {
  int64_t extent = 1;
  for (int64_t d : op.getDimensions())
    extent *= shapeOf(op.getInputs()[0])[d];
  return extent;
}

Index ElementSpace::reducedIndex(linalg::ReduceOp op,
                                 ArrayRef<IndexExpr> index) {
  ArrayRef<int64_t> shape = shapeOf(op.getInputs()[0]);
  SmallVector<int64_t> sizes;
  for (int64_t d : op.getDimensions())
    sizes.push_back(shape[d]);
  int64_t extent = reducedExtent(op);
  auto inner = extent == 1
                   ? SmallVector<IndexExpr>(sizes.size(), space.constant(0))
                   : space.delinearize(reducedCoordinate(extent), sizes);
  Index result;
  size_t nextOuter = 0, nextInner = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    result.push_back(llvm::is_contained(op.getDimensions(), int64_t(d))
                         ? inner[nextInner++]
                         : index[nextOuter++]);
  return result;
}
