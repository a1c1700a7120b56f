// RUN: octavo-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(lane-lower-math))' | FileCheck %s

// An approximate function is the bare instruction, element by element.
gpu.module @approximate {
  // CHECK-LABEL: gpu.func @exp2
  // CHECK: %[[E0:.*]] = vector.extract %[[X:.*]][0]
  // CHECK: %[[R0:.*]] = llvm.call_intrinsic "llvm.amdgcn.exp2.f32"(%[[E0]]) : (f32) -> f32
  // CHECK: %[[E1:.*]] = vector.extract %[[X]][1]
  // CHECK: %[[R1:.*]] = llvm.call_intrinsic "llvm.amdgcn.exp2.f32"(%[[E1]]) : (f32) -> f32
  // CHECK: vector.from_elements %[[R0]], %[[R1]] : vector<2xf32>
  gpu.func @exp2(%x: vector<2xf32>, %p: !llvm.ptr<1>) kernel {
    %y = math.exp2 %x fastmath<afn> : vector<2xf32>
    llvm.store %y, %p : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// bf16 is computed in f32 and rounded once.
gpu.module @narrow {
  // CHECK-LABEL: gpu.func @exp
  // CHECK: %[[X:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[Y:.*]] = llvm.intr.exp(%[[X]]) : (f32) -> f32
  // CHECK: arith.truncf %[[Y]] : f32 to bf16
  gpu.func @exp(%x: bf16, %p: !llvm.ptr<1>) kernel {
    %y = math.exp %x : bf16
    llvm.store %y, %p : bf16, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @missing {
  gpu.func @tanh(%x: f64, %p: !llvm.ptr<1>) kernel {
    // expected-error @below {{'math.tanh' op has no lowering for 'f64'}}
    %y = math.tanh %x : f64
    llvm.store %y, %p : f64, !llvm.ptr<1>
    gpu.return
  }
}
