"""Complex numbers as pairs: what rotary embeddings need."""

import torch
from oracle import check

from octavo.frontend.importer import import_graph


def test_rope_as_torchtitan_writes_it(dtype: torch.dtype) -> None:
    def function(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        turn = torch.polar(torch.ones_like(angles), angles)
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turn.unsqueeze(1)).flatten(3).type_as(x)

    check(function, torch.randn(2, 5, 3, 8).to(dtype), torch.randn(5, 4))


def test_complex_inputs_and_outputs() -> None:
    a, b = torch.randn(3, 4, dtype=torch.complex64), torch.randn(4, dtype=torch.complex64)
    check(lambda a, b: (a * b, a + b, a - b, a * 2.0, a.conj() * b, -a, a.abs(), a.real * 1, a.imag * 1), a, b)
    check(lambda a, b: (a / b, a.t() * 1, a[1:, ::2] * b[::2], torch.cat((a, a)), a.reshape(2, 6) * 1), a, b)


def test_a_complex_0d_tensor() -> None:
    check(lambda a: a * a, torch.tensor(1.5 - 2.5j))


def test_strides_of_complex_arguments_count_parts() -> None:
    from oracle import TARGET, lowered
    from torch.fx.experimental.proxy_tensor import make_fx

    x = torch.randn(3, 4, dtype=torch.complex64).t()
    gm = make_fx(lambda x: x * x, tracing_mode="fake")(x)
    text = lowered(import_graph(gm, (x,), target=TARGET, name="graph"))
    assert 'tensor<4x3x2xf32> {octavo.name = "x_1", octavo.strides = array<i64: 2, 8, 1>}' in text
