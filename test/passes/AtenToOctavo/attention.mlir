// RUN: octavo-opt %s --octavo-import | FileCheck %s

// Query heads that share a key head are rows of one product: keys are not repeated.
// CHECK-LABEL: func @grouped
// CHECK: octavo.scaled_matmul %{{.*}}: tensor<2x2x12x8xbf16>, tensor<2x2x{{.*}}xbf16> -> tensor<2x2x12x6xf32>
// CHECK: octavo.scaled_matmul %{{.*}}: tensor<2x2x12x6xbf16>, tensor<2x2x6x8xbf16> -> tensor<2x2x12x8xf32>
func.func @grouped(%q: tensor<2x4x6x8xbf16>, %k: tensor<2x2x6x8xbf16>, %v: tensor<2x2x6x8xbf16>) -> (tensor<2x4x6x8xbf16>, tensor<2x4x6xf32>) {
  %0:2 = aten.call "aten._scaled_dot_product_flash_attention_for_cpu.default"(%q, %k, %v) {args = {query = #aten.operand<0>, key = #aten.operand<1>,
      value = #aten.operand<2>, dropout_p = 0.0, is_causal = true, attn_mask = #aten.none, scale = #aten.none}}
      : (tensor<2x4x6x8xbf16>, tensor<2x2x6x8xbf16>, tensor<2x2x6x8xbf16>) -> (tensor<2x4x6x8xbf16>, tensor<2x4x6xf32>)
  return %0#0, %0#1 : tensor<2x4x6x8xbf16>, tensor<2x4x6xf32>
}
