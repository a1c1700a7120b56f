//===- KernelGraph.h - Which kernel computes which value --------*- C++ -*-===//
//
// A *root* is a value that other kernels read from memory if they need it; it
// has one home kernel. Every other value is computed again wherever it is read.
// The graph starts with no kernel and takes roots one after the other, in the
// order of the function, into the kernel with which they share the most memory
// traffic, or into one of their own.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_OCTAVO_KERNELGRAPH_H
#define OCTAVO_PASSES_OCTAVO_KERNELGRAPH_H

#include "dialects/Octavo/IR/Octavo.h"
#include "octavo/Analysis/Product.h"
#include "octavo/Analysis/Scatter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace octavo {

/// A kernel while it is formed.
struct FormedKernel {
  /// What it multiplies, or null.
  ScaledMatmulOp matmul;
  /// What it scatters, alone; or null.
  ScatterReduceOp scatter;
  /// An op that runs eagerly, alone; or null.
  mlir::Operation *call = nullptr;
  Domain domain;
  llvm::SmallVector<mlir::Value> roots;
  /// Kernels whose roots it reads, directly.
  llvm::SetVector<unsigned> reads;
  /// Bytes that it reads.
  int64_t bytes = 0;
};

/// What a kernel would read, and whether it can be one.
struct Trial {
  bool possible = false;
  /// Bytes read, each element once per index at which it is read.
  int64_t bytes = 0;
  llvm::SetVector<mlir::Value> leaves;
  /// Leaves that are read at another index than the first root is written.
  llvm::DenseSet<mlir::Value> elsewhere;
};

/// Forms the kernels of one function.
class KernelGraph {
public:
  KernelGraph(mlir::func::FuncOp func, const TargetInfo &target)
      : func(func), target(target) {}

  /// Finds roots and gives each a home.
  void form();

  llvm::ArrayRef<FormedKernel> getKernels() const { return kernels; }
  /// Home of a root, or none.
  std::optional<unsigned> homeOf(mlir::Value value) const;
  /// True if `value` must lie in memory: another kernel, a call or the function
  /// reads it.
  bool isNeeded(mlir::Value value) const { return needed.contains(value); }
  /// True if the kernel does not read `argument`, or computes `root` and reads
  /// the argument's element only where it writes that element of `root`.
  bool readsOnlyAt(unsigned kernel, mlir::BlockArgument argument,
                   mlir::Value root) const;
  /// Kernels in an order in which each comes after those that it reads;
  /// kernels without needed roots are left out.
  llvm::SmallVector<unsigned> order() const;
  /// Length of the longest chain of kernels before each kernel.
  llvm::SmallVector<unsigned> depths() const;

private:
  // Roots (KernelRoots.cpp).
  void findRoots();
  void markResults();
  void markAnchors();
  bool isRepeated(mlir::linalg::ReduceOp reduce) const;
  void markOperand(mlir::Value operand, bool mayCompute);
  void followEpilogue(ScaledMatmulOp op);
  bool isWorthKeeping(mlir::Value value);
  mlir::Value mark(mlir::Value value);

  // Homes.
  void place(mlir::Value root);
  /// `roots` in one kernel; what has its home in `home` is computed there too.
  Trial tryLoops(llvm::ArrayRef<mlir::Value> roots, const Domain &domain,
                 std::optional<unsigned> home) const;
  Trial tryMatmul(ScaledMatmulOp op, llvm::ArrayRef<mlir::Value> roots,
                  std::optional<unsigned> home) const;
  Trial tryScatter(ScatterReduceOp op) const;
  /// `some` roots of a kernel that is no call.
  Trial tryKernel(unsigned number, llvm::ArrayRef<mlir::Value> some) const;
  Trial tryJoin(unsigned kernel, mlir::Value root, Domain &domain);
  bool placeInEpilogue(mlir::Value root);
  bool keepsBusy(const Domain &domain, mlir::Value root) const;
  bool closesCycle(unsigned kernel, const Trial &trial) const;
  bool reaches(unsigned from, unsigned to) const;
  void update(unsigned kernel, const Trial &trial);
  unsigned addKernel(FormedKernel kernel, const Trial &trial);
  void findNeeded();

  bool isLeaf(mlir::Value value, std::optional<unsigned> home) const;
  Domain ownDomain(mlir::Value root) const;

  mlir::func::FuncOp func;
  const TargetInfo &target;
  llvm::SetVector<mlir::Value> roots;
  llvm::DenseMap<mlir::Value, unsigned> homes;
  /// Matmul whose epilogue computes the root.
  llvm::DenseMap<mlir::Value, ScaledMatmulOp> epilogues;
  std::vector<FormedKernel> kernels;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned>> readersOf;
  llvm::DenseSet<mlir::Value> needed;
};

/// The value whose memory, read in row-major order, is that of `value`: strips
/// `tensor.expand_shape` and `tensor.collapse_shape`.
mlir::Value stripReshapes(mlir::Value value);

/// Whether result `i` of the function is wanted in row-major order.
bool isRowMajorResult(mlir::func::FuncOp func, unsigned i);

/// Copies results of the function that cannot be written where they are
/// computed: after it, each with elements is the result of an op of its own.
void ownResults(mlir::func::FuncOp func);

/// A short name of what `roots` compute ("mul_mean_rsqrt_quantize").
std::string nameKernel(const FormedKernel &kernel, const KernelGraph &graph);

/// Replaces the function's body by `octavo.kernel` and `octavo.call`.
mlir::LogicalResult outlineKernels(mlir::func::FuncOp func,
                                   const KernelGraph &graph);

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVO_KERNELGRAPH_H
