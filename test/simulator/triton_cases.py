"""Ordinary Triton kernels on CPU tensors; each is compared with torch. Run by test_triton.py, or by hand with names."""

import cases
import torch
import triton
import triton.language as tl

import octavo.interop.triton
from octavo import simulator

DRIVER = octavo.interop.triton.install()
ARCH = DRIVER.get_current_target().arch
FP8 = torch.float8_e4m3fnuz if ARCH == "gfx942" else torch.float8_e4m3fn


def randn(*shape, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(dtype)


def compare(got, expected, **tolerance):
    torch.testing.assert_close(got, expected, **tolerance)


@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(z + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


def vector_add():
    simulator.reset()
    n = 10000
    x, y, z = randn(n), randn(n, seed=1), torch.full((n + 64,), 7.0)
    add_kernel[(triton.cdiv(n, 1024),)](x, y, z, n, BLOCK=1024)
    compare(z[:n], x + y, rtol=0, atol=0)
    compare(z[n:], torch.full((64,), 7.0), rtol=0, atol=0)
    kernel = simulator.report()["kernels"]["add_kernel"]
    assert kernel["launches"] == 1 and kernel["workgroups"] == 10 and kernel["waves"] == 40, kernel
    assert kernel["bytes_stored"] == 4 * n and kernel["bytes_loaded"] >= 8 * n, kernel
    adds = sum(count for name, count in kernel["instructions"].items() if name in ("v_add_f32", "v_pk_add_f32"))
    assert adds > 0, kernel["instructions"]
    assert sum(kernel["classes"].values()) == kernel["wave_instructions"] == sum(kernel["instructions"].values())
    return {"report": kernel}


@triton.jit
def softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


def softmax():
    x = randn(37, 781)
    y = torch.empty_like(x)
    softmax_kernel[(37,)](x, y, 781, BLOCK=1024)
    compare(y, torch.softmax(x, 1), rtol=1e-5, atol=1e-6)


@triton.jit
def layer_norm_kernel(x, w, b, y, mean_out, rstd_out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < columns
    v = tl.load(x + row * columns + i, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / columns
    d = tl.where(mask, v - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(d * d, axis=0) / columns + eps)
    out = d * rstd * tl.load(w + i, mask=mask).to(tl.float32) + tl.load(b + i, mask=mask).to(tl.float32)
    tl.store(y + row * columns + i, out, mask=mask)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)


def layer_norm():
    x = randn(19, 1000, dtype=torch.float16)
    w, b = randn(1000, dtype=torch.float16, seed=1), randn(1000, dtype=torch.float16, seed=2)
    y, mean, rstd = torch.empty_like(x), torch.empty(19), torch.empty(19)
    layer_norm_kernel[(19,)](x, w, b, y, mean, rstd, 1000, 1e-5, BLOCK=1024, num_warps=8)
    compare(y, torch.nn.functional.layer_norm(x.float(), (1000,), w.float(), b.float()).half(), rtol=2e-3, atol=2e-3)
    compare(mean, x.float().mean(1), rtol=1e-4, atol=1e-6)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        row, column = (at + k)[:, None], (at + k)[None, :]
        left = tl.load(a + m[:, None] * K + column, mask=(m[:, None] < M) & (column < K), other=0.0)
        right = tl.load(b + row * N + n[None, :], mask=(row < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(dtype, m=130, n=100, k=200, blocks=(64, 64, 64), **options):
    a, b = randn(m, k).to(dtype), randn(k, n, seed=1).to(dtype)
    c = torch.empty(m, n)
    simulator.reset()
    matmul_kernel[(triton.cdiv(m, blocks[0]), triton.cdiv(n, blocks[1]))](
        a, b, c, m, n, k, BM=blocks[0], BN=blocks[1], BK=blocks[2], **options
    )
    compare(c, a.float() @ b.float(), rtol=1e-3, atol=1e-3)
    kernel = simulator.report()["kernels"]["matmul_kernel"]
    assert kernel["classes"]["matrix"] > 0 and kernel["matrix_models"], kernel
    return {"models": kernel["matrix_models"]}


def matmul_fp16():
    return matmul(torch.float16)


def matmul_bf16():
    return matmul(torch.bfloat16, num_warps=8, num_stages=3)


def matmul_fp8():
    return matmul(FP8, k=256, blocks=(64, 64, 128))


def matmul_fp8_wide():
    return matmul(FP8, m=128, n=128, k=256, blocks=(128, 128, 128), matrix_instr_nonkdim=16)


@triton.jit
def dot_scaled_kernel(a, sa, b, sb, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k, g = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK), tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (at + k)[None, :])
        right = tl.load(b + n[None, :] * K + (at + k)[:, None])
        left_scale = tl.load(sa + m[:, None] * (K // 32) + (at // 32 + g)[None, :])
        right_scale = tl.load(sb + n[:, None] * (K // 32) + (at // 32 + g)[None, :])
        acc = tl.dot_scaled(left, left_scale, "e4m3", right, right_scale, "e4m3", acc)
    tl.store(c + m[:, None] * BN + n[None, :], acc)


def dot_scaled():
    m, n, k = 64, 64, 256
    a, b = randn(m, k).to(torch.float8_e4m3fn), randn(n, k, seed=1).to(torch.float8_e4m3fn)
    generator = torch.Generator().manual_seed(3)
    sa = torch.randint(120, 134, (m, k // 32), dtype=torch.uint8, generator=generator)
    sb = torch.randint(120, 134, (n, k // 32), dtype=torch.uint8, generator=generator)
    c = torch.empty(m, n)
    dot_scaled_kernel[(1,)](a.view(torch.uint8), sa, b.view(torch.uint8), sb, c, k, BM=m, BN=n, BK=128)
    fa = a.float() * torch.exp2(sa.float() - 127).repeat_interleave(32, 1)
    fb = b.float() * torch.exp2(sb.float() - 127).repeat_interleave(32, 1)
    expected = fa @ fb.T
    compare(c, expected, rtol=1e-2, atol=1e-2 * expected.abs().max().item())


@triton.jit
def attention_kernel(q, k, v, o, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1) * L * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + head + m[:, None] * D + d[None, :])
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for at in range(0, (tl.program_id(0) + 1) * BM, BN):
        n = at + tl.arange(0, BN)
        key = tl.load(k + head + n[None, :] * D + d[:, None])
        score = tl.dot(query, key) * scale
        score = tl.where(m[:, None] >= n[None, :], score, -float("inf"))
        new = tl.maximum(largest, tl.max(score, 1))
        p = tl.exp2(score - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        value = tl.load(v + head + n[:, None] * D + d[None, :])
        acc = acc * alpha[:, None] + tl.dot(p.to(value.dtype), value)
        largest = new
    tl.store(o + head + m[:, None] * D + d[None, :], (acc / total[:, None]).to(o.dtype.element_ty))


def flash_attention():
    heads, length, dim = 2, 256, 64
    q, k, v = (randn(heads, length, dim, dtype=torch.float16, seed=s) for s in range(3))
    o = torch.empty_like(q)
    scale = dim**-0.5 * 1.4426950408889634
    attention_kernel[(length // 64, heads)](q, k, v, o, length, scale, D=dim, BM=64, BN=64)
    expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    compare(o.float(), expected, rtol=1e-2, atol=4e-3)


@triton.jit
def atomics_kernel(x, sums, counts, most, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask, other=0)
    tl.atomic_add(sums + v % 16, v.to(tl.float32), mask=mask)
    tl.atomic_add(counts + v % 16, 1, mask=mask)
    tl.atomic_max(most + 0 * i, v, mask=mask)


def atomics():
    n = 3000
    x = torch.randint(0, 1000, (n,), dtype=torch.int32, generator=torch.Generator().manual_seed(0))
    sums, counts, most = torch.zeros(16), torch.zeros(16, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    atomics_kernel[(triton.cdiv(n, 256),)](x, sums, counts, most, n, BLOCK=256)
    bins = x.long() % 16
    compare(counts, torch.bincount(bins, minlength=16).int(), rtol=0, atol=0)
    compare(sums, torch.zeros(16).index_add_(0, bins, x.float()), rtol=0, atol=0)
    assert most.item() == x.max().item()


@triton.jit
def lock_kernel(lock, total, N: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    i = tl.arange(0, N)
    tl.store(total + i, tl.load(total + i) + 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def spin_lock():
    lock, total = torch.zeros(1, dtype=torch.int32), torch.zeros(64)
    lock_kernel[(20,)](lock, total, N=64)
    compare(total, torch.full((64,), 20.0), rtol=0, atol=0)


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b in (256, 4096) for w in (1, 4)], key=["n"])
@triton.jit
def scale_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 3.0, mask=i < n)


def autotune():
    """The autotuner and do_bench get predicted times: the best configuration is the one predicted to be."""
    n = 1 << 18
    x, y = randn(n), torch.empty(n)

    def grid(meta):
        return (triton.cdiv(n, meta["BLOCK"]),)

    scale_kernel[grid](x, y, n)
    compare(y, x * 3, rtol=0, atol=0)
    times = {str(config): ms[0] for config, ms in scale_kernel.configs_timings.items()}
    assert len(times) == 4 and min(times.values()) > 0
    assert times[str(scale_kernel.best_config)] == min(times.values()), times
    least = 8 * n / {"gfx942": 5300e6, "gfx950": 8000e6}[ARCH]
    ms = triton.testing.do_bench(lambda: scale_kernel[grid](x, y, n), warmup=0.001, rep=0.001)
    assert least < ms < 20 * least + 0.01, (ms, least)


if __name__ == "__main__":
    cases.run_all(
        [vector_add, softmax, layer_norm, matmul_fp16, matmul_bf16, matmul_fp8, matmul_fp8_wide, dot_scaled,
         flash_attention, atomics, spin_lock, autotune]
    )
