// RUN: octavo-opt %s --split-input-file --verify-diagnostics

// view C1
// expected-error @+1 {{expected one stride per dimension, got 1 for 2}}
tile.func @view_strides(%v: !tile.view<4x4xf32, strides = [1]>) {
  tile.return
}

// -----

// view C2 cannot be written: a size is parsed without sign.
// view C3
// expected-error @+1 {{expected elements of 1, 8, 16, 32 or 64 bits, got 'i7'}}
tile.func @view_element(%v: !tile.view<4xi7>) {
  tile.return
}

// -----

// layout C1
// expected-error @+1 {{expected bases of 1 steps, got one of 2}}
tile.func @layout_rank(%s: f32, %x: tensor<4xf32, #tile.layout<register = [[1], [2, 0]], lane = [], wave = [], fragment = 1>>) {
  tile.return
}

// -----

// layout C2
tile.func @layout_cover(%s: f32) {
  // expected-error @+1 {{the layout covers 2 of the 4 elements of dimension 0}}
  %x = tile.splat %s : f32 -> tensor<4xf32, #tile.layout<register = [[1]], lane = [], wave = [], fragment = 1>>
  tile.return
}

// -----

// func C1
// expected-error @+1 {{'tile.func' op expected no results, got 1}}
tile.func @results() -> f32 {
  tile.return
}

// -----

// func C2
// expected-error @+1 {{'tile.func' op expected argument 0 to be a view, a signless integer or a float, got 'tensor<4xf32>'}}
tile.func @arguments(%x: tensor<4xf32>) {
  tile.return
}

// -----

// func C3
// expected-error @+1 {{'tile.func' op expected tile.waves to be 1, 2, 4, 8 or 16, got 3 : i32}}
tile.func @waves() attributes {tile.waves = 3 : i32} {
  tile.return
}

// -----

// func C4
// expected-error @+1 {{'tile.func' op expected tile.grid to be three positive integers, got [0, 1, 1]}}
tile.func @grid() attributes {tile.grid = [0, 1, 1]} {
  tile.return
}

// -----

// workgroup_id C1
tile.func @workgroup_id() {
  // expected-error @+1 {{'tile.workgroup_id' op expected dimension 0, 1 or 2, got 3}}
  %i = tile.workgroup_id 3 : i32
  tile.return
}

// -----

// range C1
tile.func @range() {
  // expected-error @+1 {{'tile.range' op expected end - start = 3 elements, got 'tensor<4xi32>'}}
  %i = tile.range 1 to 4 : tensor<4xi32>
  tile.return
}

// -----

// splat C1
tile.func @splat(%s: f32) {
  // expected-error @+1 {{'tile.splat' op expected a scalar of type 'i32', got 'f32'}}
  %i = tile.splat %s : f32 -> tensor<4xi32>
  tile.return
}

// -----

// to_scalar C1
tile.func @to_scalar(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<1xf32>
  // expected-error @+1 {{'tile.to_scalar' op expected a tile of rank 0 and type 'f32', got 'tensor<1xf32>'}}
  %y = tile.to_scalar %x : tensor<1xf32> -> f32
  tile.return
}

// -----

// expand_dims C1
tile.func @expand_axis(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.expand_dims' op expected axis from 0 to 1, got 2}}
  %y = tile.expand_dims %x {axis = 2 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tile.return
}

// -----

// expand_dims C2
tile.func @expand_shape(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.expand_dims' op expected a result of shape 1, 4, got 'tensor<4x1xf32>'}}
  %y = tile.expand_dims %x {axis = 0 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tile.return
}

// -----

// broadcast C1
tile.func @broadcast_rank(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.broadcast' op expected one rank and element type, got 'tensor<4xf32>' and 'tensor<4x4xf32>'}}
  %y = tile.broadcast %x : tensor<4xf32> -> tensor<4x4xf32>
  tile.return
}

// -----

// broadcast C2
tile.func @broadcast_size(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<2xf32>
  // expected-error @+1 {{'tile.broadcast' op expected sizes that agree or are 1, got 'tensor<2xf32>' and 'tensor<4xf32>'}}
  %y = tile.broadcast %x : tensor<2xf32> -> tensor<4xf32>
  tile.return
}

// -----

// reshape C1
tile.func @reshape(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<2xf32>
  // expected-error @+1 {{'tile.reshape' op expected as many elements of one type, got 'tensor<2xf32>' and 'tensor<4xf32>'}}
  %y = tile.reshape %x : tensor<2xf32> -> tensor<4xf32>
  tile.return
}

// -----

// trans C1
tile.func @trans_order(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<2x4xf32>
  // expected-error @+1 {{'tile.trans' op expected order to be a permutation of 2 dimensions, got [0, 0]}}
  %y = tile.trans %x {order = array<i32: 0, 0>} : tensor<2x4xf32> -> tensor<2x2xf32>
  tile.return
}

// -----

// trans C2
tile.func @trans_shape(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<2x4xf32>
  // expected-error @+1 {{'tile.trans' op expected a result of shape 4, 2, got 'tensor<2x4xf32>'}}
  %y = tile.trans %x {order = array<i32: 1, 0>} : tensor<2x4xf32> -> tensor<2x4xf32>
  tile.return
}

// -----

// join C1
tile.func @join(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.join' op expected a whole of shape 4, 2, got 'tensor<2x4xf32>'}}
  %y = tile.join %x, %x : tensor<4xf32> -> tensor<2x4xf32>
  tile.return
}

// -----

// split C1
tile.func @split(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4x4xf32>
  // expected-error @+1 {{'tile.split' op expected a whole of shape 4, 2, got 'tensor<4x4xf32>'}}
  %y, %z = tile.split %x : tensor<4x4xf32> -> tensor<4xf32>
  tile.return
}

// -----

// cat C1
tile.func @cat_axis(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.cat' op expected axis below 1, got 1}}
  %y = tile.cat %x, %x {axis = 1 : i32} : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  tile.return
}

// -----

// cat C2
tile.func @cat_shape(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.cat' op expected tiles that agree outside of axis 0 and their sum, got 'tensor<4xf32>', 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %y = tile.cat %x, %x {axis = 0 : i32} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  tile.return
}

// -----

// convert_layout C1
tile.func @convert_layout(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.convert_layout' op expected layouts on both types, got 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %y = tile.convert_layout %x : tensor<4xf32> -> tensor<4xf32>
  tile.return
}

// -----

// reduce C1
tile.func @reduce_axis(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.reduce' op expected axis below 1, got 1}}
  %y = tile.reduce %x {axis = 1 : i32} : tensor<4xf32> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

// reduce C2
tile.func @reduce_result(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4x2xf32>
  // expected-error @+1 {{'tile.reduce' op expected one result per operand without axis 1, got 'tensor<2xf32>'}}
  %y = tile.reduce %x {axis = 1 : i32} : tensor<4x2xf32> -> tensor<2xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

// reduce C3
tile.func @reduce_region(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.reduce' op expected a region with arguments 'f32', 'f32', got 'f32'}}
  %y = tile.reduce %x {axis = 0 : i32} : tensor<4xf32> -> tensor<f32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

// scan C2
tile.func @scan_result(%s: f32) {
  %x = tile.splat %s : f32 -> tensor<4xf32>
  // expected-error @+1 {{'tile.scan' op expected results of the operands' types, got 'tensor<f32>'}}
  %y = tile.scan %x {axis = 0 : i32} : tensor<4xf32> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  tile.return
}

// -----

// dot C1
tile.func @dot_rank() {
  %a = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @+1 {{'tile.dot' op expected operands of rank 2, got 'tensor<4xf32>', 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %d = tile.dot %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  tile.return
}

// -----

// dot C2
tile.func @dot_shape() {
  %a = arith.constant dense<1.0> : tensor<4x8xf32>
  %c = arith.constant dense<1.0> : tensor<4x4xf32>
  // expected-error @+1 {{'tile.dot' op expected M, N and K to agree, got 'tensor<4x8xf32>', 'tensor<4x8xf32>' and 'tensor<4x4xf32>'}}
  %d = tile.dot %a, %a, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>
  tile.return
}

// -----

// dot C3
tile.func @dot_element() {
  %a = arith.constant dense<1.0> : tensor<4x8xf8E4M3FN>
  %b = arith.constant dense<1.0> : tensor<8x4xf8E4M3FNUZ>
  %c = arith.constant dense<1.0> : tensor<4x4xf32>
  // expected-error @+1 {{'tile.dot' op expected operands of one type or of 8-bit floats of one family, got 'f8E4M3FN' and 'f8E4M3FNUZ'}}
  %d = tile.dot %a, %b, %c : tensor<4x8xf8E4M3FN>, tensor<8x4xf8E4M3FNUZ>, tensor<4x4xf32>
  tile.return
}

// -----

// dot C4
tile.func @dot_accumulator() {
  %a = arith.constant dense<1> : tensor<4x4xi8>
  %c = arith.constant dense<1.0> : tensor<4x4xf32>
  // expected-error @+1 {{'tile.dot' op expected an accumulator of 'i32', got 'tensor<4x4xf32>'}}
  %d = tile.dot %a, %a, %c : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf32>
  tile.return
}

// -----

// dot_scaled C2
tile.func @dot_scaled() {
  %a = arith.constant dense<1.0> : tensor<4x32xf8E4M3FN>
  %s = arith.constant dense<1> : tensor<4x2xi8>
  %c = arith.constant dense<1.0> : tensor<4x4xf32>
  // expected-error @+1 {{'tile.dot_scaled' op expected one scale per row and 32 of K, got 'tensor<4x2xi8>' and 'tensor<4x2xi8>'}}
  %d = tile.dot_scaled %a scaled %s, %a scaled %s, %c {transpose_b} : tensor<4x32xf8E4M3FN>, tensor<4x2xi8>, tensor<4x32xf8E4M3FN>, tensor<4x2xi8>, tensor<4x4xf32>
  tile.return
}

// -----

// gather C1
tile.func @gather_shape(%v: !tile.view<64xf32>) {
  %o = tile.range 0 to 4 : tensor<4xi32>
  // expected-error @+1 {{'tile.gather' op expected tiles of the shape of 'tensor<4xi32>', got 'tensor<8xf32>'}}
  %x = tile.gather %v[%o] : !tile.view<64xf32>, tensor<4xi32> -> tensor<8xf32>
  tile.return
}

// -----

// gather C2
tile.func @gather_element(%v: !tile.view<64xf32>) {
  %o = tile.range 0 to 4 : tensor<4xi32>
  // expected-error @+1 {{'tile.gather' op expected elements of '!tile.view<64xf32>', got 'tensor<4xf16>'}}
  %x = tile.gather %v[%o] : !tile.view<64xf32>, tensor<4xi32> -> tensor<4xf16>
  tile.return
}

// -----

// scatter C1
tile.func @scatter_shape(%v: !tile.view<64xf32>) {
  %o = tile.range 0 to 4 : tensor<4xi32>
  %x = arith.constant dense<1.0> : tensor<8xf32>
  // expected-error @+1 {{'tile.scatter' op expected tiles of the shape of 'tensor<4xi32>', got 'tensor<8xf32>'}}
  tile.scatter %x, %v[%o] : tensor<8xf32>, !tile.view<64xf32>, tensor<4xi32>
  tile.return
}

// -----

// scatter C2
tile.func @scatter_element(%v: !tile.view<64xf32>) {
  %o = tile.range 0 to 4 : tensor<4xi32>
  %x = arith.constant dense<1.0> : tensor<4xf16>
  // expected-error @+1 {{'tile.scatter' op expected elements of '!tile.view<64xf32>', got 'tensor<4xf16>'}}
  tile.scatter %x, %v[%o] : tensor<4xf16>, !tile.view<64xf32>, tensor<4xi32>
  tile.return
}

// -----

// load C1
tile.func @load_rank(%v: !tile.view<64xf32>, %i: i32) {
  // expected-error @+1 {{'tile.load' op expected one rank, got '!tile.view<64xf32>', 2 offsets and 'tensor<4xf32>'}}
  %x = tile.load %v[%i, %i] : !tile.view<64xf32>, i32, i32 -> tensor<4xf32>
  tile.return
}

// -----

// load C2
tile.func @load_element(%v: !tile.view<64xf32>, %i: i32) {
  // expected-error @+1 {{'tile.load' op expected elements of '!tile.view<64xf32>', got 'tensor<4xf16>'}}
  %x = tile.load %v[%i] : !tile.view<64xf32>, i32 -> tensor<4xf16>
  tile.return
}

// -----

// store C3
tile.func @store_dynamic(%v: !tile.view<?xf32>, %i: i32) {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @+1 {{'tile.store' op expected known sizes and strides, got '!tile.view<?xf32>'}}
  tile.store %x, %v[%i] : tensor<4xf32>, !tile.view<?xf32>, i32
  tile.return
}

// -----

// atomic_rmw C3
tile.func @atomic_kind(%v: !tile.view<64xf32>) {
  %o = tile.range 0 to 4 : tensor<4xi32>
  %x = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @+1 {{'tile.atomic_rmw' op expected integers for 'xor', got '!tile.view<64xf32>'}}
  %y = tile.atomic_rmw xor %x, %v[%o] : tensor<4xf32>, !tile.view<64xf32>, tensor<4xi32>
  tile.return
}
