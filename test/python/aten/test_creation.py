"""Constants, ranges, copies, and the constants that a graph holds."""

import torch
from oracle import check


def test_ranges() -> None:
    check(lambda x: (x + torch.arange(5), torch.arange(2, 9, 3) + x[:3].long(), torch.arange(0.5, 2.0, 0.25)),
          torch.randn(5), grad=False)
    check(lambda x: x * torch.arange(1, 0, -0.25, dtype=torch.float32), torch.randn(4))


def test_constants(dtype: torch.dtype) -> None:
    check(
        lambda x: (x + torch.full((3,), 2.5), torch.zeros_like(x), torch.ones(2, 3) * x, x.new_full((2,), 7),
                   torch.full_like(x, -1.5), torch.scalar_tensor(3.0) * x, torch.zeros(3, dtype=torch.int64)),
        torch.randn(3).to(dtype), grad=False,
    )


def test_tensors_that_the_function_holds() -> None:
    small, large = torch.tensor([1.0, float("inf"), -0.0]), torch.randn(30, 3)
    flags = torch.tensor([True, False, True])
    twos, zeros = torch.full((3,), 2.0), torch.tensor([0.0, -0.0, 0.0])
    (graph,) = check(lambda x: (x * small + large, torch.where(flags, x, 0.0), torch.tensor([2.5, 1.0, 3.0]) * x,
                                x * twos, zeros.copysign(zeros) + x.abs().reciprocal() * 0 + 1 / zeros),
                     torch.randn(3), grad=False)
    # Those of one value stand in the module; kernels hold no tables, so the others are arguments.
    assert len(graph.constants) == 5
    assert not any(constant is twos for constant in graph.constants)


def test_0d_f64_chains_of_scales() -> None:
    """TorchAO computes its scales in f64 on one number."""
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        amax = x.abs().max().to(torch.float64).clamp(min=1e-12)
        scale = (448.0 / amax).to(torch.float32)
        return scale, (x.float() * scale).clamp(-448.0, 448.0).to(torch.float8_e4m3fn).float()

    check(function, torch.randn(5, 6).bfloat16(), grad=False, rtol=0, atol=0)
