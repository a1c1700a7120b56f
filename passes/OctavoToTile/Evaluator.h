//===- Evaluator.h - Elements of values as tiles ----------------*- C++ -*-===//
//
// Turns "element of a value at an index" into tile ops. A tile has one axis per
// coordinate that runs inside the workgroup; a value that does not depend on a
// coordinate has size 1 there and is stretched only where it meets one that
// does. Each element is computed once, in the outermost loop in which all of
// its coordinates are known.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_EVALUATOR_H
#define OCTAVO_PASSES_OCTAVOTOTILE_EVALUATOR_H

#include "dialects/Octavo/IR/Octavo.h"
#include "dialects/Tile/IR/Tile.h"
#include "octavo/Analysis/Element.h"

#include "mlir/IR/Builders.h"

namespace octavo {

/// How a coordinate runs in a workgroup.
struct BoundCoordinate {
  /// Axis of the tile, or -1 for a coordinate with one value.
  int axis;
  /// Elements along the axis.
  int64_t block;
  /// Values of the coordinate in the whole kernel.
  int64_t extent;
  /// First value (i32), null for 0.
  mlir::Value base;
};

/// A kernel's tensor in memory.
struct MemoryTensor {
  mlir::Value view;
  llvm::SmallVector<int64_t> strides;
};

/// A body's scalar as a tile, an index formula or a constant: one of the three.
struct BodyValue {
  mlir::Value tile;
  IndexExpr index = nullptr;
  mlir::TypedAttr constant;
};

/// One body at one iteration.
struct BodyFrame {
  mlir::linalg::GenericOp op;
  Index iteration;
  llvm::SmallVector<Guard, 2> guards;
  std::map<void *, BodyValue> values;
};

/// Emits elements. Failure is reported at the op that cannot be emitted, once.
class Evaluator {
public:
  Evaluator(mlir::OpBuilder &builder, ElementSpace &space, unsigned rank,
            std::map<void *, MemoryTensor> &memory)
      : b(builder), space(space), rank(rank), memory(memory) {
    scopes.emplace_back();
  }

  /// Binds a coordinate in the innermost scope.
  void bind(unsigned coordinate, BoundCoordinate bound) {
    scopes.back().bound[coordinate] = bound;
  }
  /// Enters the body of `loop`; what does not depend on coordinates bound from
  /// now on is emitted before it.
  void enter(mlir::Operation *loop);
  void leave() { scopes.pop_back(); }
  bool isBound(unsigned coordinate) const { return find(coordinate); }

  /// The tile of an element, or null after an error.
  mlir::Value evaluate(const Element &element);
  /// Makes `tile` the value of `element` from here on.
  void define(const Element &element, mlir::Value tile);
  /// Reads and combines one block of a reduction's input (`evaluate` does it
  /// where the whole extent is bound).
  llvm::SmallVector<mlir::Value> reductionInputs(mlir::linalg::ReduceOp op,
                                                 llvm::ArrayRef<IndexExpr> at);
  /// `tile.reduce` along the coordinate's axis, then the init.
  llvm::SmallVector<mlir::Value> finishReduction(mlir::linalg::ReduceOp op,
                                                 mlir::ValueRange partial);
  /// The combiner of `op` on whole tiles.
  llvm::SmallVector<mlir::Value> combine(mlir::linalg::ReduceOp op,
                                         mlir::ValueRange a,
                                         mlir::ValueRange other);
  /// Tiles that change nothing when combined, of the shape that `op`'s input
  /// blocks have.
  llvm::SmallVector<mlir::Value> neutralTiles(mlir::linalg::ReduceOp op,
                                              llvm::ArrayRef<int64_t> shape);
  /// Writes `element` to memory; `strides` are those of `view`.
  bool store(const Element &element, const MemoryTensor &to);

  /// Sizes of a tile that depends on `coordinates`.
  llvm::SmallVector<int64_t> shapeOf(uint64_t coordinates) const;
  static uint64_t coordinatesOf(llvm::ArrayRef<IndexExpr> index);
  mlir::Value broadcast(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  /// A tile of `shape` whose elements are `value`.
  mlir::Value splat(mlir::TypedAttr value, llvm::ArrayRef<int64_t> shape);
  /// A tile of one element made of a scalar.
  mlir::Value unitTile(mlir::Value scalar);

  /// Which elements of a tile over `coordinates` exist; null if all do.
  mlir::Value boundsMask(uint64_t coordinates) { return mask({}, coordinates); }
  /// Along `axis` of `size` elements: which one is the first.
  mlir::Value isFirst(unsigned axis, int64_t size);
  /// Reads whose offset is a block along `axes` become `tile.load`.
  void readBlocks(llvm::ArrayRef<unsigned> axes) {
    blockAxes = llvm::to_vector(axes);
  }

  void setLoc(mlir::Location to) { loc = to; }
  bool failed() const { return hasFailed; }

private:
  using Guards = llvm::SmallVector<Guard, 2>;
  struct Scope {
    mlir::Operation *loop = nullptr;
    std::map<unsigned, BoundCoordinate> bound;
    std::map<std::pair<Element, Guards>, mlir::Value> elements;
    std::map<std::pair<IndexExpr, bool>, mlir::Value> indices;
    std::map<std::pair<Guards, uint64_t>, mlir::Value> masks;
  };

  const BoundCoordinate *find(unsigned coordinate) const;
  /// Number of the outermost scope that binds all of `coordinates`.
  unsigned scopeOf(uint64_t coordinates) const;
  /// Moves the builder to where scope `number` ends so far.
  void moveTo(unsigned number);
  mlir::Value fail(mlir::Operation *op, const llvm::Twine &message);

  // Elements (Evaluator.cpp).
  mlir::Value evaluate(const Element &element, const Guards &guards);
  mlir::Value emit(const Element &element, const Guards &guards);
  mlir::Value emitView(mlir::Operation *op, const Element &element,
                       const Guards &guards);
  mlir::Value emitRandom(RandomOp op, const Element &element);
  mlir::Value emitReduction(mlir::linalg::ReduceOp op, const Element &element);
  llvm::SmallVector<mlir::Value> joinInit(mlir::linalg::ReduceOp op,
                                          llvm::ArrayRef<mlir::Value> results);

  // Memory (KernelMemory.cpp).
  mlir::Value load(const MemoryTensor &from, const Element &element,
                   const Guards &guards);
  mlir::Value scalarOf(const IndexAtom *atom);
  mlir::Value loadBlock(const MemoryTensor &from, IndexExpr offset);
  mlir::Value mask(const Guards &guards, uint64_t coordinates);
  mlir::Value emitMask(const Guards &guards, uint64_t coordinates);

  // Index formulas (IndexEmitter.cpp).
  mlir::Value indexTile(IndexExpr expr, bool wide);
  mlir::Value emitIndex(IndexExpr expr, bool wide);
  mlir::Value emitAtom(const IndexAtom *atom, bool wide);
  mlir::Value emitDivMod(const IndexAtom *atom, bool wide);

  // Bodies (BodyEmitter.cpp).
  mlir::Value emitBody(mlir::linalg::GenericOp op, const Element &element,
                       const Guards &guards);
  BodyValue bodyValue(mlir::Value value, BodyFrame &frame);
  BodyValue bodyOp(mlir::Operation *op, BodyFrame &frame);
  mlir::Value bodyTile(const BodyValue &value, mlir::Type type,
                       llvm::ArrayRef<int64_t> shape);
  BodyValue bodyExtract(mlir::tensor::ExtractOp op, BodyFrame &frame);
  BodyValue elementwise(mlir::Operation *op,
                        llvm::ArrayRef<BodyValue> operands);

  mlir::OpBuilder &b;
  ElementSpace &space;
  unsigned rank;
  std::map<void *, MemoryTensor> &memory;
  std::deque<Scope> scopes;
  /// Tiles of indices read from memory.
  std::map<const IndexAtom *, mlir::Value> opaques;
  llvm::SmallVector<unsigned> blockAxes;
  mlir::Location loc = b.getUnknownLoc();
  bool hasFailed = false;
};

/// What combining with it changes nothing, for a combiner of one known op.
mlir::TypedAttr getNeutral(mlir::Operation *combiner, mlir::Type type);

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_EVALUATOR_H
