//===- Unlowered.cpp - What the compiler cannot lower yet -----------------===//
//
// The phases themselves are asked: each program below goes through all of them,
// to the LLVM dialect. What a successful run has seen at any level is lowered.
//
//===----------------------------------------------------------------------===//

#include "Unlowered.h"

#include "dialects/Octavo/IR/Octavo.h"
#include "octavo/Init/Init.h"
#include "octavo/Target/TargetInfo.h"
#include "passes/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace {
/// A program that tries something; `form` names what its ops' names do not say.
struct Trial {
  llvm::StringLiteral form, text;
};
} // namespace

static constexpr Trial kTrials[] = {
    {"", R"(func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
       %r = aten.call "aten.add.Tensor"(%a) {args = {self = #aten.operand<0>,
         other = #aten.operand<0>, alpha = 1}} : (tensor<8xf32>) -> tensor<8xf32>
       return %r : tensor<8xf32> })"},
    // An operator of PyTorch without a rule is a step of the program.
    {"", R"(func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
       %r = aten.call "aten.sort.default"(%a) {args = {self = #aten.operand<0>}} : (tensor<8xf32>) -> tensor<8xf32>
       return %r : tensor<8xf32> })"},
    {"", R"(func.func @f(%a: tensor<32x64xbf16>) -> tensor<32x64xbf16> {
       %q, %s = octavo.quantize %a granule<row> axis 1 rule pow2
         : tensor<32x64xbf16> -> tensor<32x64xf8E4M3FN>, tensor<32x1xf32>
       %r = octavo.dequantize %q scaled %s granule<row> axis 1
         : tensor<32x64xf8E4M3FN>, tensor<32x1xf32> -> tensor<32x64xbf16>
       return %r : tensor<32x64xbf16> })"},
    {"octavo.quantize in blocks",
     R"(func.func @f(%a: tensor<32x64xbf16>) -> (tensor<32x64xf8E4M3FN>, tensor<2x4xf32>) {
       %q, %s = octavo.quantize %a granule<block<16x16>> axis 1 rule exact
         : tensor<32x64xbf16> -> tensor<32x64xf8E4M3FN>, tensor<2x4xf32>
       return %q, %s : tensor<32x64xf8E4M3FN>, tensor<2x4xf32> })"},
    {"octavo.quantize in MX granules",
     R"(func.func @f(%a: tensor<32x64xbf16>) -> (tensor<32x64xf8E4M3FN>, tensor<32x2xf8E8M0FNU>) {
       %q, %s = octavo.quantize %a granule<mx<32>> axis 1 rule e8m0_floor
         : tensor<32x64xbf16> -> tensor<32x64xf8E4M3FN>, tensor<32x2xf8E8M0FNU>
       return %q, %s : tensor<32x64xf8E4M3FN>, tensor<32x2xf8E8M0FNU> })"},
    {"",
     R"(func.func @f(%a: tensor<32x64xbf16>, %b: tensor<64x32xbf16>) -> tensor<32x32xbf16> {
       %r = octavo.scaled_matmul %a, %b : tensor<32x64xbf16>, tensor<64x32xbf16> -> tensor<32x32xbf16>
       return %r : tensor<32x32xbf16> })"},
    {"octavo.scaled_matmul with groups",
     R"(func.func @f(%a: tensor<32x64xbf16>, %b: tensor<2x64x32xbf16>, %e: tensor<2xi32>) -> tensor<32x32xbf16> {
       %r = octavo.scaled_matmul %a, %b groups %e {group_dim = #octavo.group_dim<m>}
         : tensor<32x64xbf16>, tensor<2x64x32xbf16>, tensor<2xi32> -> tensor<32x32xbf16>
       return %r : tensor<32x32xbf16> })"},
    {"octavo.scaled_matmul with MX granules",
     R"(func.func @f(%a: tensor<32x64xf8E4M3FN>, %b: tensor<32x64xf8E4M3FN>, %s: tensor<32x2xf8E8M0FNU>) -> tensor<32x32xf32> {
       %r = octavo.scaled_matmul %a scaled %s, transposed %b scaled %s
         {granule_a = #octavo.granule<mx<32>>, granule_b = #octavo.granule<mx<32>>}
         : tensor<32x64xf8E4M3FN>, tensor<32x2xf8E8M0FNU>, tensor<32x64xf8E4M3FN>, tensor<32x2xf8E8M0FNU> -> tensor<32x32xf32>
       return %r : tensor<32x32xf32> })"},
    {"octavo.scaled_matmul with blocks",
     R"(func.func @f(%a: tensor<32x64xf8E4M3FN>, %b: tensor<32x64xf8E4M3FN>, %s: tensor<2x4xf32>) -> tensor<32x32xf32> {
       %r = octavo.scaled_matmul %a scaled %s, transposed %b scaled %s
         {granule_a = #octavo.granule<block<16x16>>, granule_b = #octavo.granule<block<16x16>>}
         : tensor<32x64xf8E4M3FN>, tensor<2x4xf32>, tensor<32x64xf8E4M3FN>, tensor<2x4xf32> -> tensor<32x32xf32>
       return %r : tensor<32x32xf32> })"},
    {"", R"(func.func @f(%q: tensor<2x4x32x64xbf16>, %k: tensor<2x2x32x64xbf16>)
         -> (tensor<2x4x32x64xbf16>, tensor<2x4x32xf32>) {
       %o, %l = octavo.attention %q, %k, %k {scale = 0.125 : f32}
         : tensor<2x4x32x64xbf16>, tensor<2x2x32x64xbf16>, tensor<2x2x32x64xbf16>
         -> tensor<2x4x32x64xbf16>, tensor<2x4x32xf32> score {} mask {}
       return %o, %l : tensor<2x4x32x64xbf16>, tensor<2x4x32xf32> })"},
    {"",
     R"(func.func @f(%s: tensor<i64>, %g: tensor<4x8xf32>, %z: tensor<16x8xf32>, %i: tensor<4xi64>)
         -> (tensor<4x8xf32>, tensor<16x8xf32>) {
       %r = octavo.random uniform %s, %s : tensor<i64>, tensor<i64> -> tensor<4x8xf32>
       %e = octavo.scatter_reduce add %g into %z at %i dims [0]
         : tensor<4x8xf32>, tensor<16x8xf32>, (tensor<4xi64>) -> tensor<16x8xf32>
       return %r, %e : tensor<4x8xf32>, tensor<16x8xf32> })"},
    {"",
     R"(tile.func @f(%v: !tile.view<64x32xf32>, %z: !tile.view<f32>) attributes {tile.waves = 1 : i32} {
       %w = tile.workgroup_id 0 : i32
       %t = tile.load %v[%w, %w] : !tile.view<64x32xf32>, i32, i32 -> tensor<16x16xf32>
       %p = tile.trans %t {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
       %s = tile.load %z[] : !tile.view<f32> -> tensor<f32>
       %n = tile.to_scalar %s : tensor<f32> -> f32
       %b = tile.splat %n : f32 -> tensor<16x16xf32>
       %x = arith.addf %p, %b : tensor<16x16xf32>
       %r = tile.reduce %x {axis = 1 : i32} : tensor<16x16xf32> -> tensor<16xf32> {
       ^bb0(%l: f32, %h: f32):
         %m = arith.maximumf %l, %h : f32
         tile.yield %m : f32
       }
       %e = tile.expand_dims %r {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
       %f = tile.broadcast %e : tensor<16x1xf32> -> tensor<16x16xf32>
       tile.store %f, %v[%w, %w] : tensor<16x16xf32>, !tile.view<64x32xf32>, i32, i32
       tile.return })"},
    {"",
     R"(tile.func @f(%v: !tile.view<64x64xf32>) attributes {tile.waves = 1 : i32} {
       %r = tile.range 0 to 256 : tensor<256xi32>
       %x = tile.gather %v[%r] : !tile.view<64x64xf32>, tensor<256xi32> -> tensor<256xf32>
       %y = tile.reshape %x : tensor<256xf32> -> tensor<16x16xf32>
       %z = tile.reshape %y : tensor<16x16xf32> -> tensor<256xf32>
       tile.scatter %z, %v[%r] : tensor<256xf32>, !tile.view<64x64xf32>, tensor<256xi32>
       %o = tile.atomic_rmw add %x, %v[%r] : tensor<256xf32>, !tile.view<64x64xf32>, tensor<256xi32>
       tile.return })"},
    {"",
     R"(tile.func @f(%v: !tile.view<64xf32>, %u: !tile.view<128xf32>) attributes {tile.waves = 1 : i32} {
       %r = tile.range 0 to 64 : tensor<64xi32>
       %l = tile.range 0 to 128 : tensor<128xi32>
       %x = tile.gather %v[%r] : !tile.view<64xf32>, tensor<64xi32> -> tensor<64xf32>
       %c = tile.cat %x, %x {axis = 0 : i32} : tensor<64xf32>, tensor<64xf32> -> tensor<128xf32>
       tile.scatter %c, %u[%l] : tensor<128xf32>, !tile.view<128xf32>, tensor<128xi32>
       tile.return })"},
    {"",
     R"(tile.func @f(%v: !tile.view<64xf32>, %u: !tile.view<128xf32>) attributes {tile.waves = 1 : i32} {
       %r = tile.range 0 to 64 : tensor<64xi32>
       %l = tile.range 0 to 128 : tensor<128xi32>
       %x = tile.gather %v[%r] : !tile.view<64xf32>, tensor<64xi32> -> tensor<64xf32>
       %j = tile.join %x, %x : tensor<64xf32> -> tensor<64x2xf32>
       %f = tile.reshape %j : tensor<64x2xf32> -> tensor<128xf32>
       tile.scatter %f, %u[%l] : tensor<128xf32>, !tile.view<128xf32>, tensor<128xi32>
       tile.return })"},
    {"",
     R"(tile.func @f(%v: !tile.view<64xf32>, %u: !tile.view<128xf32>) attributes {tile.waves = 1 : i32} {
       %r = tile.range 0 to 64 : tensor<64xi32>
       %l = tile.range 0 to 128 : tensor<128xi32>
       %x = tile.gather %u[%l] : !tile.view<128xf32>, tensor<128xi32> -> tensor<128xf32>
       %j = tile.reshape %x : tensor<128xf32> -> tensor<64x2xf32>
       %p, %q = tile.split %j : tensor<64x2xf32> -> tensor<64xf32>
       %s = arith.addf %p, %q : tensor<64xf32>
       tile.scatter %s, %v[%r] : tensor<64xf32>, !tile.view<64xf32>, tensor<64xi32>
       tile.return })"},
    {"",
     R"(tile.func @f(%v: !tile.view<64xf32>) attributes {tile.waves = 1 : i32} {
       %r = tile.range 0 to 64 : tensor<64xi32>
       %x = tile.gather %v[%r] : !tile.view<64xf32>, tensor<64xi32> -> tensor<64xf32>
       %s = tile.scan %x {axis = 0 : i32} : tensor<64xf32> -> tensor<64xf32> {
       ^bb0(%l: f32, %h: f32):
         %m = arith.addf %l, %h : f32
         tile.yield %m : f32
       }
       tile.scatter %s, %v[%r] : tensor<64xf32>, !tile.view<64xf32>, tensor<64xi32>
       tile.return })"},
    {"",
     R"(tile.func @f(%a: !tile.view<32x128xf8E4M3FN>, %s: !tile.view<32x4xi8>, %c: !tile.view<32x32xf32>)
         attributes {tile.waves = 1 : i32} {
       %o = arith.constant 0 : i32
       %x = tile.load %a[%o, %o] : !tile.view<32x128xf8E4M3FN>, i32, i32 -> tensor<32x128xf8E4M3FN>
       %t = tile.load %s[%o, %o] : !tile.view<32x4xi8>, i32, i32 -> tensor<32x4xi8>
       %z = arith.constant dense<0.0> : tensor<32x32xf32>
       %d = tile.dot_scaled %x scaled %t, %x scaled %t, %z {transpose_b}
         : tensor<32x128xf8E4M3FN>, tensor<32x4xi8>, tensor<32x128xf8E4M3FN>, tensor<32x4xi8>, tensor<32x32xf32>
       tile.store %d, %c[%o, %o] : tensor<32x32xf32>, !tile.view<32x32xf32>, i32, i32
       tile.return })"},
};

namespace {
/// Notes what stands in the module after every pass.
class NoteOps : public PassInstrumentation {
public:
  NoteOps(llvm::StringSet<> &names, bool &refused)
      : names(names), refused(refused) {}

  void note(Operation *root) {
    root->walk([&](Operation *op) {
      names.insert(op->getName().getStringRef());
      if (auto call = dyn_cast<octavo::CallOp>(op))
        refused |= call.getCallee().starts_with("octavo.");
    });
  }
  void runAfterPass(Pass *, Operation *op) override { note(op); }

private:
  llvm::StringSet<> &names;
  /// An op of ours has become a call of PyTorch, which has no such operator.
  bool &refused;
};
} // namespace

/// Runs all phases; `names` gets every op that was there at any time.
static LogicalResult lower(MLIRContext &context, StringRef text,
                           llvm::StringSet<> &names) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return failure();
  (*module)->setAttr(
      octavo::OctavoDialect::getTargetAttrName(),
      octavo::TargetAttr::get(&context, octavo::getSimulatedTarget()));
  bool refused = false;
  NoteOps(names, refused).note(*module);
  for (const octavo::Phase &phase : octavo::getPhases()) {
    PassManager manager(&context);
    manager.addInstrumentation(std::make_unique<NoteOps>(names, refused));
    phase.build(manager);
    if (failed(manager.run(*module)))
      return failure();
  }
  return failure(refused);
}

std::vector<std::string> octavo::findUnlowered() {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) {});
  llvm::StringSet<> lowered, tried;
  std::vector<std::string> forms;
  for (const Trial &trial : kTrials) {
    llvm::StringSet<> names;
    bool works = succeeded(lower(context, trial.text, names));
    for (const auto &name : names)
      (works ? lowered : tried).insert(name.getKey());
    if (!works && !trial.form.empty())
      forms.push_back(trial.form.str());
  }
  std::vector<std::string> result;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    StringRef name = op.getStringRef(), dialect = op.getDialectNamespace();
    bool isOurs = dialect == "aten" || dialect == "octavo" || dialect == "tile";
    if (isOurs && !lowered.contains(name))
      result.push_back(tried.contains(name)
                           ? name.str()
                           : (name + " (no program tries it)").str());
  }
  result.insert(result.end(), forms.begin(), forms.end());
  llvm::sort(result);
  return result;
}
