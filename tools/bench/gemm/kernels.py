"""The peer: products as one writes them in Triton, with a grid that keeps neighbours on one die."""

# mypy: ignore-errors
import triton
import triton.language as tl


@triton.jit
def _place(M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Row and column of this program's tile: 8 dies take turns, each goes through groups of GROUP rows."""
    pid = tl.program_id(0)
    count = tl.num_programs(0)
    if count % 8 == 0:
        pid = (pid % 8) * (count // 8) + pid // 8
    rows = tl.cdiv(M, BM)
    columns = tl.cdiv(N, BN)
    group = pid // (GROUP * columns)
    first = group * GROUP
    size = min(rows - first, GROUP)
    within = pid % (GROUP * columns)
    return first + within % size, within // size


@triton.jit
def product(a, b, c, scale_a, scale_b, M, N, K, am, ak, bk, bn, cm, SCALED: tl.constexpr, BM: tl.constexpr,
            BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, EVEN: tl.constexpr):  # fmt: skip
    """C = A B, times one scale (SCALED tensor), a scale for each row and column (row), or none."""
    pm, pn = _place(M, N, BM, BN, GROUP)
    rows = pm * BM + tl.arange(0, BM)
    columns = pn * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    at_a = a + (rows % M)[:, None] * am + inner[None, :] * ak
    at_b = b + inner[:, None] * bk + (columns % N)[None, :] * bn
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        if EVEN:
            x, y = tl.load(at_a), tl.load(at_b)
        else:
            x = tl.load(at_a, mask=inner[None, :] < K - k * BK, other=0.0)
            y = tl.load(at_b, mask=inner[:, None] < K - k * BK, other=0.0)
        total = tl.dot(x, y, total)
        at_a += BK * ak
        at_b += BK * bk
    if SCALED == "tensor":
        total = total * (tl.load(scale_a) * tl.load(scale_b))
    elif SCALED == "row":
        total = total * tl.load(scale_a + rows % M)[:, None] * tl.load(scale_b + columns % N)[None, :]
    at_c = c + rows[:, None] * cm + columns[None, :]
    tl.store(at_c, total.to(tl.bfloat16), mask=(rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def block_product(a, b, c, scale_a, scale_b, M, N, K, am, ak, bk, bn, cm, sam, sak, sbk, sbn, ACROSS: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):  # fmt: skip
    """C = A B with a scale for 128 elements along K of a row of A, and of ACROSS columns of B. BK divides 128."""
    pm, pn = _place(M, N, BM, BN, GROUP)
    rows = pm * BM + tl.arange(0, BM)
    columns = pn * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    at_a = a + (rows % M)[:, None] * am + inner[None, :] * ak
    at_b = b + inner[:, None] * bk + (columns % N)[None, :] * bn
    at_sa = scale_a + (rows % M) * sam
    at_sb = scale_b + ((columns % N) // ACROSS) * sbn
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x, y = tl.load(at_a), tl.load(at_b)
        step = k * BK // 128
        if ACROSS >= BN:
            scale = tl.load(at_sa + step * sak) * tl.load(scale_b + (pn * BN // ACROSS) * sbn + step * sbk)
            total += tl.dot(x, y) * scale[:, None]
        else:
            total += tl.dot(x, y) * tl.load(at_sa + step * sak)[:, None] * tl.load(at_sb + step * sbk)[None, :]
        at_a += BK * ak
        at_b += BK * bk
    at_c = c + rows[:, None] * cm + columns[None, :]
    tl.store(at_c, total.to(tl.bfloat16), mask=(rows < M)[:, None] & (columns < N)[None, :])


@triton.jit
def mx_product(a, b, c, scale_a, scale_b, M, N, K, am, ak, bk, bn, cm, sam, sak, sbk, sbn,
               BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
               EVEN: tl.constexpr):  # fmt: skip
    """C = A B with an E8M0 scale for 32 elements along K."""
    pm, pn = _place(M, N, BM, BN, GROUP)
    rows = pm * BM + tl.arange(0, BM)
    columns = pn * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    parts = tl.arange(0, BK // 32)
    at_a = a + (rows % M)[:, None] * am + inner[None, :] * ak
    at_b = b + inner[:, None] * bk + (columns % N)[None, :] * bn
    at_sa = scale_a + (rows % M)[:, None] * sam + parts[None, :] * sak
    at_sb = scale_b + (columns % N)[:, None] * sbn + parts[None, :] * sbk
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        if EVEN:
            x, y = tl.load(at_a), tl.load(at_b)
            sx, sy = tl.load(at_sa), tl.load(at_sb)
        else:
            x = tl.load(at_a, mask=inner[None, :] < K - k * BK, other=0.0)
            y = tl.load(at_b, mask=inner[:, None] < K - k * BK, other=0.0)
            is_there = parts[None, :] * 32 < K - k * BK
            sx = tl.load(at_sa, mask=is_there, other=0)
            sy = tl.load(at_sb, mask=is_there, other=0)
        total = tl.dot_scaled(x, sx, "e4m3", y, sy, "e4m3", total)
        at_a += BK * ak
        at_b += BK * bk
        at_sa += (BK // 32) * sak
        at_sb += (BK // 32) * sbk
    at_c = c + rows[:, None] * cm + columns[None, :]
    tl.store(at_c, total.to(tl.bfloat16), mask=(rows < M)[:, None] & (columns < N)[None, :])
