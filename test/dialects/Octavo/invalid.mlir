// RUN: octavo-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{unknown target 'gfx1030'; expected one of gfx942, gfx950}}
module attributes {octavo.target = #octavo.target<"gfx1030">} {}

// -----

// expected-error @+1 {{expected tensor, row, block<RxK> or mx<K>, got 'column'}}
func.func private @granule() attributes {g = #octavo.granule<column>}

// -----

// expected-error @+1 {{expected 2 sizes for block}}
func.func private @granule() attributes {g = #octavo.granule<block<4>>}

// -----

// expected-error @+1 {{expected positive sizes of a granule, got 1x0}}
func.func private @granule() attributes {g = #octavo.granule<mx<0>>}

// -----

// expected-error @+1 {{expected a place that is not negative, got -4}}
func.func private @place() attributes {p = #octavo.place<workspace at -4>}

// -----

// quantize C1
func.func @f(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op expected input and quantized of one shape, got 'tensor<8x64xbf16>' and 'tensor<64x8xf8E4M3FN>'}}
  %q, %s = octavo.quantize %x granule<row> axis 1 rule pow2 : tensor<8x64xbf16> -> tensor<64x8xf8E4M3FN>, tensor<8x1xf32>
  return
}

// -----

// quantize C2
func.func @f(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op expected an axis for this granule}}
  %q, %s = octavo.quantize %x granule<row> rule pow2 : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x1xf32>
  return
}

// -----

// quantize C2
func.func @f(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op expected an axis of 'tensor<8x64xbf16>', got 2}}
  %q, %s = octavo.quantize %x granule<row> axis 2 rule pow2 : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x1xf32>
  return
}

// -----

// quantize C2
func.func @f(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op expected no axis with a granule tensor}}
  %q, %s = octavo.quantize %x granule<tensor> axis 1 rule pow2 : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<f32>
  return
}

// -----

// quantize C3
func.func @f(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op expected scales of shape 8x1, got 'tensor<1x64xf32>'}}
  %q, %s = octavo.quantize %x granule<row> axis 1 rule pow2 : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<1x64xf32>
  return
}

// -----

// quantize C3
func.func @f(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op expected one scale, got 'tensor<8x1xf32>'}}
  %q, %s = octavo.quantize %x granule<tensor> rule pow2 : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x1xf32>
  return
}

// -----

// quantize C4
func.func @f(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op rule e8m0_even expects f8E8M0FNU scales, got 'f32'}}
  %q, %s = octavo.quantize %x granule<mx<32>> axis 1 rule e8m0_even : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x2xf32>
  return
}

// -----

// quantize C5
func.func @f(%x: tensor<64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op a block needs two dimensions, got 'tensor<64xbf16>'}}
  %q, %s = octavo.quantize %x granule<block<2x2>> axis 0 rule pow2 : tensor<64xbf16> -> tensor<64xf8E4M3FN>, tensor<32xf32>
  return
}

// -----

// quantize C6
func.func @f(%x: tensor<8x64xbf16>) {
  // expected-error @+1 {{'octavo.quantize' op expected a seed exactly if rounding is stochastic}}
  %q, %s = octavo.quantize %x granule<tensor> rule pow2 {rounding = #octavo.rounding<stochastic>}
    : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<f32>
  return
}

// -----

// quantize C7
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'octavo.quantize' op expected largest in (0, 2.400000e+02] and a rule without e8m0, got 4.480000e+02 and rule pow2}}
  %q, %s = octavo.quantize %x granule<tensor> rule pow2 {largest = 448.0 : f64}
         : tensor<4x8xf32> -> tensor<4x8xf8E4M3FNUZ>, tensor<f32>
  return
}

// -----

// dequantize C1
func.func @f(%x: tensor<8x64xf8E5M2>, %s: tensor<8x1xf32>) {
  // expected-error @+1 {{'octavo.dequantize' op expected input and result of one shape, got 'tensor<8x64xf8E5M2>' and 'tensor<8x32xf32>'}}
  %q = octavo.dequantize %x scaled %s granule<row> axis 1 : tensor<8x64xf8E5M2>, tensor<8x1xf32> -> tensor<8x32xf32>
  return
}

// -----

// dequantize C2
func.func @f(%x: tensor<8x64xf8E5M2>, %s: tensor<8x1xf32>) {
  // expected-error @+1 {{'octavo.dequantize' op expected an axis for this granule}}
  %q = octavo.dequantize %x scaled %s granule<row> : tensor<8x64xf8E5M2>, tensor<8x1xf32> -> tensor<8x64xf32>
  return
}

// -----

// dequantize C3
func.func @f(%x: tensor<8x64xf8E5M2>, %s: tensor<8x1xf32>) {
  // expected-error @+1 {{'octavo.dequantize' op expected scales of shape 1x64, got 'tensor<8x1xf32>'}}
  %q = octavo.dequantize %x scaled %s granule<row> axis 0 : tensor<8x64xf8E5M2>, tensor<8x1xf32> -> tensor<8x64xf32>
  return
}

// -----

// dequantize C4
func.func @f(%x: tensor<8xf8E5M2>, %s: tensor<8xf32>) {
  // expected-error @+1 {{'octavo.dequantize' op a block needs two dimensions, got 'tensor<8xf8E5M2>'}}
  %q = octavo.dequantize %x scaled %s granule<block<1x4>> axis 0 : tensor<8xf8E5M2>, tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

// random C1
func.func @f(%s: tensor<2xi64>) {
  // expected-error @+1 {{'octavo.random' op expected a seed and an offset of one element, got 'tensor<2xi64>'}}
  %r = octavo.random uniform %s, %s : tensor<2xi64>, tensor<2xi64> -> tensor<8xf32>
  return
}

// -----

// random C2
func.func @f(%s: tensor<i64>) {
  // expected-error @+1 {{'octavo.random' op bits cannot give 'f32'}}
  %r = octavo.random bits %s, %s : tensor<i64>, tensor<i64> -> tensor<8xf32>
  return
}

// -----

// scatter_reduce C1
func.func @f(%x: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error @+1 {{'octavo.scatter_reduce' op expected one tensor of indices per dimension, got 1 for 2 dimensions}}
  %r = octavo.scatter_reduce add %x into %x at %i dims [0, 1] : tensor<4x8xf32>, tensor<4x8xf32>, (tensor<4xi64>) -> tensor<4x8xf32>
  return
}

// -----

// scatter_reduce C1
func.func @f(%x: tensor<4xf32>, %y: tensor<4x8xf32>, %i: tensor<4xi64>, %j: tensor<5xi64>) {
  // expected-error @+1 {{'octavo.scatter_reduce' op expected indices of one shape, got 'tensor<4xi64>' and 'tensor<5xi64>'}}
  %r = octavo.scatter_reduce add %x into %y at %i, %j dims [0, 1] : tensor<4xf32>, tensor<4x8xf32>, (tensor<4xi64>, tensor<5xi64>) -> tensor<4x8xf32>
  return
}

// -----

// scatter_reduce C2
func.func @f(%x: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error @+1 {{'octavo.scatter_reduce' op expected increasing dimensions of 'tensor<4x8xf32>', got 2}}
  %r = octavo.scatter_reduce add %x into %x at %i dims [2] : tensor<4x8xf32>, tensor<4x8xf32>, (tensor<4xi64>) -> tensor<4x8xf32>
  return
}

// -----

// scatter_reduce C3
func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error @+1 {{'octavo.scatter_reduce' op expected a source 'tensor<4x8xf32>', got 'tensor<4x4xf32>'}}
  %r = octavo.scatter_reduce add %x into %y at %i dims [0] : tensor<4x4xf32>, tensor<4x8xf32>, (tensor<4xi64>) -> tensor<4x8xf32>
  return
}

// -----

// scatter_reduce C4
func.func @f(%x: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error @+1 {{'octavo.scatter_reduce' op expected a result 'tensor<4x8xf32>', got 'tensor<8x8xf32>'}}
  %r = octavo.scatter_reduce add %x into %x at %i dims [0] : tensor<4x8xf32>, tensor<4x8xf32>, (tensor<4xi64>) -> tensor<8x8xf32>
  return
}

// -----

// scaled_matmul: types of operands
func.func @f(%a: tensor<8x64xbf16>, %b: tensor<64x32xbf16>) {
  // expected-error @+1 {{expected one type per operand}}
  %y = octavo.scaled_matmul %a, %b : tensor<8x64xbf16> -> tensor<8x32xbf16>
  return
}

// -----

// scaled_matmul C1
func.func @f(%a: tensor<64xbf16>, %b: tensor<64x32xbf16>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected operands of two dimensions or more, got 'tensor<64xbf16>'}}
  %y = octavo.scaled_matmul %a, %b : tensor<64xbf16>, tensor<64x32xbf16> -> tensor<32xbf16>
  return
}

// -----

// scaled_matmul C2
func.func @f(%a: tensor<8x64xbf16>, %b: tensor<64x32xbf16>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected a and b to agree in K, got 64 and 32}}
  %y = octavo.scaled_matmul %a, transposed %b : tensor<8x64xbf16>, tensor<64x32xbf16> -> tensor<8x32xbf16>
  return
}

// -----

// scaled_matmul C3
func.func @f(%a: tensor<2x8x64xbf16>, %b: tensor<3x64x32xbf16>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected equal batch dimensions, got 'tensor<2x8x64xbf16>' and 'tensor<3x64x32xbf16>'}}
  %y = octavo.scaled_matmul %a, %b : tensor<2x8x64xbf16>, tensor<3x64x32xbf16> -> tensor<2x8x32xbf16>
  return
}

// -----

// scaled_matmul C4
func.func @f(%a: tensor<8x64xbf16>, %b: tensor<64x32xbf16>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected a result 'tensor<8x32xbf16>', got 'tensor<32x8xbf16>'}}
  %y = octavo.scaled_matmul %a, %b : tensor<8x64xbf16>, tensor<64x32xbf16> -> tensor<32x8xbf16>
  return
}

// -----

// scaled_matmul C5
func.func @f(%a: tensor<8x64xbf16>, %b: tensor<64x32xbf16>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op granule_b needs scale_b}}
  %y = octavo.scaled_matmul %a, %b {granule_b = #octavo.granule<row>} : tensor<8x64xbf16>, tensor<64x32xbf16> -> tensor<8x32xbf16>
  return
}

// -----

// scaled_matmul C6
func.func @f(%a: tensor<8x64xbf16>, %b: tensor<64x32xbf16>, %s: tensor<32x1xf32>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected scale_b of granule #octavo.granule<row> for 'tensor<64x32xbf16>', got 'tensor<32x1xf32>'}}
  %y = octavo.scaled_matmul %a, %b scaled %s {granule_b = #octavo.granule<row>}
    : tensor<8x64xbf16>, tensor<64x32xbf16>, tensor<32x1xf32> -> tensor<8x32xbf16>
  return
}

// -----

// scaled_matmul C7
func.func @f(%a: tensor<8x64xf8E4M3FN>, %b: tensor<64x32xf8E4M3FN>, %s: tensor<8x2xf32>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected f8E8M0FNU scales exactly for mx, got 'tensor<8x2xf32>' for scale_a}}
  %y = octavo.scaled_matmul %a scaled %s, %b {granule_a = #octavo.granule<mx<32>>}
    : tensor<8x64xf8E4M3FN>, tensor<8x2xf32>, tensor<64x32xf8E4M3FN> -> tensor<8x32xbf16>
  return
}

// -----

// scaled_matmul C8
func.func @f(%a: tensor<8x64xbf16>, %b: tensor<64x32xbf16>, %c: tensor<8xbf16>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected a bias of 32 elements, got 'tensor<8xbf16>'}}
  %y = octavo.scaled_matmul %a, %b bias %c : tensor<8x64xbf16>, tensor<64x32xbf16>, tensor<8xbf16> -> tensor<8x32xbf16>
  return
}

// -----

// scaled_matmul C9
func.func @f(%a: tensor<8x64xbf16>, %b: tensor<64x32xbf16>, %g: tensor<2xi32>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected two dimensions of a and three of b with groups along m, got 'tensor<8x64xbf16>' and 'tensor<64x32xbf16>'}}
  %y = octavo.scaled_matmul %a, %b groups %g : tensor<8x64xbf16>, tensor<64x32xbf16>, tensor<2xi32> -> tensor<8x32xbf16>
  return
}

// -----

// scaled_matmul C10
func.func @f(%a: tensor<8x64xbf16>, %b: tensor<64x32xi8>) {
  // expected-error @+1 {{'octavo.scaled_matmul' op expected floats or integers, not both, got 'bf16', 'i8' and 'bf16'}}
  %y = octavo.scaled_matmul %a, %b : tensor<8x64xbf16>, tensor<64x32xi8> -> tensor<8x32xbf16>
  return
}

// -----

// attention C1
func.func @f(%q: tensor<2x4x16x64xbf16>, %k: tensor<2x2x16x32xbf16>) {
  // expected-error @+1 {{'octavo.attention' op expected [B, Hq, Sq, D], [B, Hkv, Sk, D] and [B, Hkv, Sk, E], got 'tensor<2x4x16x64xbf16>', 'tensor<2x2x16x32xbf16>' and 'tensor<2x2x16x32xbf16>'}}
  %o, %l = octavo.attention %q, %k, %k {scale = 1.0 : f32} : tensor<2x4x16x64xbf16>, tensor<2x2x16x32xbf16>, tensor<2x2x16x32xbf16>
    -> tensor<2x4x16x32xbf16>, tensor<2x4x16xf32> score {} mask {}
  return
}

// -----

// attention C2
func.func @f(%q: tensor<2x4x16x64xbf16>, %k: tensor<2x3x16x64xbf16>) {
  // expected-error @+1 {{'octavo.attention' op expected query heads to be a multiple of key heads, got 4 and 3}}
  %o, %l = octavo.attention %q, %k, %k {scale = 1.0 : f32} : tensor<2x4x16x64xbf16>, tensor<2x3x16x64xbf16>, tensor<2x3x16x64xbf16>
    -> tensor<2x4x16x64xbf16>, tensor<2x4x16xf32> score {} mask {}
  return
}

// -----

// attention C3
func.func @f(%q: tensor<2x4x16x64xbf16>, %k: tensor<2x2x16x64xbf16>) {
  // expected-error @+1 {{'octavo.attention' op expected results [B, Hq, Sq, E] and [B, Hq, Sq], got 'tensor<2x4x16x64xbf16>' and 'tensor<2x4x64xf32>'}}
  %o, %l = octavo.attention %q, %k, %k {scale = 1.0 : f32} : tensor<2x4x16x64xbf16>, tensor<2x2x16x64xbf16>, tensor<2x2x16x64xbf16>
    -> tensor<2x4x16x64xbf16>, tensor<2x4x64xf32> score {} mask {}
  return
}

// -----

// attention C4
func.func @f(%q: tensor<2x4x16x64xbf16>, %k: tensor<2x2x16x64xbf16>) {
  // expected-error @+1 {{'octavo.attention' op expected a score region of ('f32', 'index', 'index', 'index', 'index') that yields 'f32'}}
  %o, %l = octavo.attention %q, %k, %k {scale = 1.0 : f32} : tensor<2x4x16x64xbf16>, tensor<2x2x16x64xbf16>, tensor<2x2x16x64xbf16>
    -> tensor<2x4x16x64xbf16>, tensor<2x4x16xf32> score {
    ^bb0(%x: f32):
      octavo.yield %x : f32
    } mask {}
  return
}

// -----

// attention C5
func.func @f(%q: tensor<2x4x16x64xbf16>, %k: tensor<2x2x16x64xbf16>) {
  // expected-error @+1 {{'octavo.attention' op expected a mask region of ('index', 'index', 'index', 'index') that yields 'i1'}}
  %o, %l = octavo.attention %q, %k, %k {scale = 1.0 : f32} : tensor<2x4x16x64xbf16>, tensor<2x2x16x64xbf16>, tensor<2x2x16x64xbf16>
    -> tensor<2x4x16x64xbf16>, tensor<2x4x16xf32> score {} mask {
    ^bb0(%x: index):
      octavo.yield %x : index
    }
  return
}

// -----

// attention C6
func.func @f(%q: tensor<2x4x16x64xbf16>, %k: tensor<2x2x16x64xbf16>, %s: tensor<2xf32>) {
  // expected-error @+1 {{'octavo.attention' op expected decode scales of one element, got 'tensor<2xf32>'}}
  %o, %l = octavo.attention %q, %k, %k scales %s, %s, %s : tensor<2xf32>, tensor<2xf32>, tensor<2xf32> {scale = 1.0 : f32}
    : tensor<2x4x16x64xbf16>, tensor<2x2x16x64xbf16>, tensor<2x2x16x64xbf16>
    -> tensor<2x4x16x64xbf16>, tensor<2x4x16xf32> score {} mask {}
  return
}

// -----

// kernel C1
func.func @f() {
  // expected-error @+1 {{'octavo.kernel' op expected at least one body}}
  "octavo.kernel"() {kernel_name = "k"} : () -> ()
  return
}

// -----

// kernel C2
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{'octavo.kernel' op expected block arguments of types ('tensor<8xf32>'), got ('tensor<4xf32>')}}
  %r = octavo.kernel @k(%a) : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    octavo.yield %x : tensor<4xf32>
  }
  return
}

// -----

// kernel C3
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{'octavo.kernel' op expected yielded values of types ('tensor<4xf32>'), got ('tensor<8xf32>')}}
  %r = octavo.kernel @k(%a) : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<8xf32>):
    octavo.yield %x : tensor<8xf32>
  }
  return
}

// -----

// kernel C4
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{'octavo.kernel' op expected an array of strides for each operand, one number per dimension}}
  %r = octavo.kernel @k(%a) attributes {operand_strides = [array<i64: 1, 1>]} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<8xf32>):
    octavo.yield %x : tensor<8xf32>
  }
  return
}

// -----

// launch C1
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{'octavo.launch' op expected one place per result, got 0 for 1}}
  %r = octavo.launch @k(%a) {places = []} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// call C1
func.func @f(%a: tensor<8xf32>) {
  // expected-error @+1 {{'octavo.call' op expected one place per result, got 0 for 1}}
  %r = octavo.call "aten.sort.default"(%a) because "it sorts" {places = []} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
