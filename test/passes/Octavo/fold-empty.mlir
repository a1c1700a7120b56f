// RUN: octavo-opt %s --octavo-fold-empty --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// A sum over nothing is what it starts with; what is made of nothing is nothing.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: linalg.reduce
// CHECK-NOT: linalg.generic
// CHECK: %[[START:.*]] = linalg.fill
// CHECK: tensor.empty() : tensor<0xf32>
// CHECK: %[[NOTHING:.*]] = tensor.empty() : tensor<0xf32>
// CHECK-NEXT: return %[[START]], %[[NOTHING]]
func.func @sum(%a: tensor<0xf32>) -> (tensor<f32>, tensor<0xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<0xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %o = tensor.empty() : tensor<0xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<0xf32>) outs(%o : tensor<0xf32>) {
  ^bb0(%i: f32, %out: f32):
    %q = arith.addf %i, %i : f32
    linalg.yield %q : f32
  } -> tensor<0xf32>
  return %s, %y : tensor<f32>, tensor<0xf32>
}

// -----

// A product over nothing is its bias.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %{{.*}}: tensor<2x0xf32>, %{{.*}}: tensor<0x3xf32>, %[[BIAS:.*]]: tensor<3xbf16>
// CHECK-NOT: octavo.scaled_matmul
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[BIAS]] : tensor<3xbf16>)
// CHECK: arith.extf
// CHECK: return %[[SUM]]
func.func @product(%a: tensor<2x0xf32>, %b: tensor<0x3xf32>, %bias: tensor<3xbf16>) -> tensor<2x3xf32> {
  %y = octavo.scaled_matmul %a, %b bias %bias : tensor<2x0xf32>, tensor<0x3xf32>, tensor<3xbf16> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Nothing beside something, in something and within something.
// CHECK-LABEL: func.func @views(
// CHECK-SAME: %{{.*}}: tensor<0xf32>, %[[X:.*]]: tensor<4xf32>
// CHECK: %[[PADDING:.*]] = linalg.fill
// CHECK: return %[[X]], %[[X]], %[[PADDING]]
func.func @views(%a: tensor<0xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) {
  %one = arith.constant 1.0 : f32
  %c = tensor.concat dim(0) %a, %x : (tensor<0xf32>, tensor<4xf32>) -> tensor<4xf32>
  %i = tensor.insert_slice %a into %x[2] [0] [1] : tensor<0xf32> into tensor<4xf32>
  %p = tensor.pad %a low[1] high[2] {
  ^bb0(%at: index):
    tensor.yield %one : f32
  } : tensor<0xf32> to tensor<3xf32>
  return %c, %i, %p : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
}
