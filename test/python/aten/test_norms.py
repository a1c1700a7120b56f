"""Layer norm, RMS norm, batch norm in training, dropout's arithmetic."""

import pytest
import torch
import torch.nn.functional as F
from oracle import check


@pytest.mark.parametrize("affine", (False, True))
def test_layer_norm(affine: bool, dtype: torch.dtype) -> None:
    weight, bias = (torch.randn(5).to(dtype), torch.randn(5).to(dtype)) if affine else (None, None)
    check(lambda x, w, b: F.layer_norm(x, (5,), w, b), torch.randn(3, 4, 5).to(dtype), weight, bias)


def test_layer_norm_over_two_dimensions(dtype: torch.dtype) -> None:
    shape = (4, 5)
    check(lambda x, w: F.layer_norm(x, shape, w), torch.randn(3, *shape).to(dtype), torch.randn(shape).to(dtype))


def test_rms_norm(dtype: torch.dtype) -> None:
    check(lambda x, w: F.rms_norm(x, (5,), w, 1e-5), torch.randn(3, 4, 5).to(dtype), torch.randn(5).to(dtype))
    check(lambda x: F.rms_norm(x, (5,)), torch.randn(3, 5).to(dtype))


def test_norm_operators_kept_whole() -> None:
    """The fused operators themselves, as other decomposition tables leave them."""
    from oracle import TARGET, execute, lowered
    from torch.fx.experimental.proxy_tensor import make_fx

    from octavo.frontend.importer import import_graph

    x, w, b, g = torch.randn(3, 5), torch.randn(5), torch.randn(5), torch.randn(3, 5)
    aten = torch.ops.aten

    def function(x, w, b, g):
        out, mean, rstd = aten.native_layer_norm.default(x, [5], w, b, 1e-5)
        grads = aten.native_layer_norm_backward.default(g, x, [5], mean, rstd, w, b, [True, True, True])
        soft = aten._softmax.default(x, -1, False)
        logs = aten._log_softmax.default(x, -1, False)
        return (out, mean, rstd, *grads, soft, logs, aten._softmax_backward_data.default(g, soft, -1, x.dtype),
                aten._log_softmax_backward_data.default(g, logs, -1, x.dtype))

    gm = make_fx(function, tracing_mode="fake")(x, w, b, g)
    graph = import_graph(gm, (x, w, b, g), target=TARGET, name="graph")
    for got, want in zip(execute(graph, lowered(graph), (x, w, b, g)), function(x, w, b, g), strict=True):
        torch.testing.assert_close(got, want)


def test_batch_norm_writes_its_statistics() -> None:
    def function(x: torch.Tensor, mean: torch.Tensor, var: torch.Tensor) -> torch.Tensor:
        return F.batch_norm(x, mean, var, training=True)

    check(function, torch.randn(4, 3, 5), torch.zeros(3), torch.ones(3), grad=False)
