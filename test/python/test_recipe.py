"""The recipes' eager meaning against TorchAO's Float8Linear on the CPU."""

import copy
import itertools

import pytest
import torch
from torch import nn
from torchao.float8 import Float8LinearConfig, convert_to_float8_training
from torchao.float8.float8_utils import amax_to_scale, to_fp8_saturated

from octavo.frontend.recipe import operators

RECIPES = ("tensorwise", "rowwise", "rowwise_with_gw_hp")


@pytest.fixture(autouse=True)
def eager_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every node by torch: what is judged here is the arithmetic that the kernels have to reproduce."""
    monkeypatch.setenv("OCTAVO_INTERPRET", "1")
    torch._dynamo.reset()


class Block(nn.Module):
    """Linear layers that share an input, with and without bias, sizes that are no multiples of 16 among them."""

    def __init__(self, inner: int = 96) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(64)
        self.up, self.gate = nn.Linear(64, inner, bias=False), nn.Linear(64, inner)
        self.down = nn.Linear(inner, 64, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.norm(x)
        return x + self.down(nn.functional.silu(self.gate(h)) * self.up(h))


def gradients(model: nn.Module, x: torch.Tensor, **compile_options: object) -> dict[str, torch.Tensor]:
    """Result and gradients of a bf16 model."""
    x = x.clone().requires_grad_()
    run = torch.compile(model, fullgraph=True, **compile_options) if compile_options else model
    out = run(x)
    (out.float() * torch.linspace(-1, 1, out.numel()).view(out.shape)).sum().backward()
    return {"out": out.detach(), "x": x.grad, **{n: p.grad for n, p in model.named_parameters()}}


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_bf16_model_computes_what_torchao_computes(recipe: str) -> None:
    torch.manual_seed(0)
    ours = Block().bfloat16()
    theirs = convert_to_float8_training(copy.deepcopy(ours), config=Float8LinearConfig.from_recipe_name(recipe))
    x = torch.randn(4, 16, 64, dtype=torch.bfloat16)
    expected = gradients(theirs, x)
    found = gradients(ours, x, backend="octavo", options={"fp8": recipe})
    for name, value in expected.items():
        # Both sum in f32 in some order and round to bf16: 2 roundings of 2^-9 relative to the largest element.
        assert (found[name].float() - value.float()).abs().max() <= 2**-8 * value.float().abs().max(), name


@pytest.mark.parametrize("recipe", RECIPES)
def test_under_autocast_the_weight_is_quantised_from_f32(recipe: str) -> None:
    torch.manual_seed(1)
    ours = Block()
    theirs = convert_to_float8_training(copy.deepcopy(ours), config=Float8LinearConfig.from_recipe_name(recipe))
    x = torch.randn(4, 16, 64)
    with torch.autocast("cpu", torch.bfloat16):
        # Float8Linear asks for the autocast of GPUs only.
        torch.set_autocast_enabled("cuda", True)
        torch.set_autocast_dtype("cuda", torch.bfloat16)
        try:
            expected = gradients(theirs, x)
        finally:
            torch.set_autocast_enabled("cuda", False)
        found = gradients(ours, x, backend="octavo", options={"fp8": recipe})
    for name, value in expected.items():
        assert (found[name].float() - value.float()).abs().max() <= 2**-8 * value.float().abs().max(), name


@pytest.mark.parametrize("rule", operators.RULES)
@pytest.mark.parametrize("format", operators.FORMATS)
@pytest.mark.parametrize("axis", (None, 0, 1))
def test_quantise_equals_torchao_bit_for_bit(format: str, rule: str, axis: int | None) -> None:
    torch.manual_seed(2)
    x = torch.randn(48, 32).mul(torch.logspace(-6, 6, 48).unsqueeze(1)).bfloat16()
    x[3], x[5, 7], x[6, 6] = 0.0, -0.0, 1e-40
    dtype = operators.FORMATS[format]
    amax = x.abs().max() if axis is None else x.abs().amax(axis, keepdim=True)
    scale = amax_to_scale(amax, dtype, round_scales_to_power_of_2=rule == "pow2")
    q, decode = operators.quantize(x, axis, format, rule)
    assert torch.equal(decode, scale.reciprocal())
    assert torch.equal(q.view(torch.uint8), to_fp8_saturated(x.float() * scale, dtype).view(torch.uint8))


def test_scales_equal_torchao_for_every_bf16_amax() -> None:
    amax = torch.arange(0x7F80, dtype=torch.int32).to(torch.int16).view(torch.bfloat16)
    for (format, dtype), rule in itertools.product(operators.FORMATS.items(), operators.RULES):
        scale = amax_to_scale(amax, dtype, round_scales_to_power_of_2=rule == "pow2")
        _, decode = operators.quantize(amax.unsqueeze(1), 1, format, rule)
        assert torch.equal(decode.flatten(), scale.reciprocal()), (format, rule)


@pytest.mark.parametrize("special", (float("nan"), float("inf"), float("-inf")))
def test_what_is_not_finite_spoils_its_row_alone(special: float) -> None:
    x = torch.ones(2, 8, dtype=torch.bfloat16)
    x[0, 3] = special
    q, scale = operators.quantize(x, 1, "e4m3fn", "pow2")
    expected = amax_to_scale(x.abs().amax(1, keepdim=True), torch.float8_e4m3fn, round_scales_to_power_of_2=True)
    assert torch.equal(scale, expected.reciprocal()) or (scale[0].isnan() and expected[0].isnan())
    assert q[0, 3].float().isnan()
    assert q[1].float().isfinite().all()


@pytest.mark.parametrize(("format", "fnuz", "largest"), (("e4m3fn", "e4m3fnuz", 224.0), ("e5m2", "e5m2fnuz", 28672.0)))
@pytest.mark.parametrize("rule", operators.RULES)
def test_ocp_numbers_in_fnuz_storage_have_the_same_product(format: str, fnuz: str, largest: float, rule: str) -> None:
    torch.manual_seed(3)
    x = torch.randn(64, 64).exp().bfloat16() - 1
    ocp, ocp_scale = operators.quantize(x, 1, format, rule)
    half, half_scale = operators.quantize(x, 1, fnuz, rule, largest)
    assert torch.equal(half.float() * 2, ocp.float())
    assert torch.equal(half_scale, ocp_scale * 2)


def block_quantised(x: torch.Tensor, kind: str) -> tuple[torch.Tensor, torch.Tensor]:
    """TorchAO's eager quantisers of block-wise training: numbers and decode scales."""
    from torchao.prototype.blockwise_fp8_training import kernels

    make = {
        "rows": lambda: kernels.torch_blockwise_scale_act_quant_lhs(x, 128, torch.float8_e4m3fn),
        "columns": lambda: kernels.torch_blockwise_scale_act_quant_rhs(x, 128, torch.float8_e4m3fn),
        "squares": lambda: kernels.torch_blockwise_scale_weight_quant(x, 128, torch.float8_e4m3fn),
    }
    return make[kind]()


@pytest.mark.parametrize(
    ("kind", "axis", "block"), (("rows", 1, (1, 128)), ("columns", 0, (1, 128)), ("squares", 1, (128, 128)))
)
def test_blocks_are_quantised_as_torchao_does(kind: str, axis: int, block: tuple[int, int]) -> None:
    torch.manual_seed(4)
    x = torch.randn(256, 384).mul(torch.logspace(-6, 6, 256).unsqueeze(1)).bfloat16()
    if kind != "columns":  # there TorchAO's eager form rounds the floor of amax to bf16
        x[128:, 256:] = 0
    expected, expected_scale = block_quantised(x.contiguous(), kind)
    q, scale = operators.quantize(x, axis, "e4m3fn", "exact", block=block)
    assert torch.equal(scale, expected_scale)
    assert torch.equal(q.view(torch.uint8), expected.contiguous().view(torch.uint8))


@pytest.mark.parametrize("mode", ("FLOOR", "RCEIL"))
@pytest.mark.parametrize("format", ("e4m3fn", "e5m2"))
def test_mx_is_torchaos(mode: str, format: str) -> None:
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torchao.prototype.mx_formats.mx_tensor import to_mx

    torch.manual_seed(5)
    x = torch.randn(64, 96).mul(torch.logspace(-30, 30, 64).unsqueeze(1)).bfloat16()
    x[3], x[4, 40] = 0.0, float("nan")
    expected_scale, expected = to_mx(x, operators.FORMATS[format], 32, ScaleCalculationMode[mode])
    q, scale = operators.quantize(x, 1, format, f"e8m0_{mode.lower()}", block=[1, 32])
    assert torch.equal(scale.view(torch.uint8), expected_scale.view(torch.uint8).view(scale.shape))
    finite = scale.view(torch.uint8).repeat_interleave(32, 1) != 255
    assert torch.equal(q.view(torch.uint8)[finite], expected.view(torch.uint8)[finite])


@pytest.mark.parametrize("recipe", ("blockwise", "mxfp8"))
def test_a_linear_layer_in_blocks_is_torchaos_three_products(recipe: str) -> None:
    torch.manual_seed(6)
    layer = nn.Linear(256, 384, bias=False).bfloat16()
    x = torch.randn(128, 256).bfloat16()
    weight = layer.weight.detach()
    found = gradients(layer, x, backend="octavo", options={"fp8": recipe})
    grad = torch.linspace(-1, 1, 128 * 384).view(128, 384).bfloat16()

    def values(t: torch.Tensor, axis: int, square: bool) -> torch.Tensor:
        """What the 8-bit numbers of `t` stand for, quantised along `axis`."""
        along = t.t().contiguous() if axis == 0 else t
        if recipe == "mxfp8":
            from torchao.prototype.mx_formats.config import ScaleCalculationMode
            from torchao.prototype.mx_formats.mx_tensor import to_mx

            scale, q = to_mx(along, torch.float8_e4m3fn, 32, ScaleCalculationMode.RCEIL)
            wide = q.float() * scale.float().view(q.shape[0], -1).repeat_interleave(32, 1)
        elif square:
            q, scale = block_quantised(along, "squares")
            wide = q.float() * scale.repeat_interleave(128, 0).repeat_interleave(128, 1)
        else:
            q, scale = block_quantised(along, "rows")
            wide = q.float() * scale.repeat_interleave(128, 1)
        return wide.t() if axis == 0 else wide

    expected = {
        "out": values(x, 1, False) @ values(weight, 1, True).t(),
        "x": values(grad, 1, False) @ values(weight, 0, True),
        "weight": values(grad, 0, False).t() @ values(x, 0, False),
    }
    for name, value in expected.items():
        assert (found[name].float() - value).abs().max() <= 2**-8 * value.abs().max(), name


def test_a_filter_chooses_linear_layers_by_name() -> None:
    seen = []

    def wanted(name: str) -> bool:
        seen.append(name)
        return name != "down"

    torch.manual_seed(0)
    model = Block().bfloat16()
    x = torch.randn(4, 64, dtype=torch.bfloat16)
    some = torch.compile(model, backend="octavo", options={"fp8": "rowwise", "fp8_filter": wanted})(x)
    patterns = torch.compile(model, backend="octavo", options={"fp8": "rowwise", "fp8_filter": ["!down"]})(x)
    everything = torch.compile(model, backend="octavo", options={"fp8": "rowwise"})(x)
    assert sorted(seen) == ["down", "gate", "up"]
    assert torch.equal(some, patterns) and not torch.equal(some, everything)


def test_backward_saves_8_bit_activations_and_parameters_as_they_are() -> None:
    model = Block()
    saved: list[torch.Tensor] = []

    def remember(t: torch.Tensor) -> torch.Tensor:
        saved.append(t)
        return t

    run = torch.compile(model, backend="octavo", options={"fp8": "rowwise"})
    with torch.autocast("cpu", torch.bfloat16), torch.autograd.graph.saved_tensors_hooks(remember, lambda t: t):
        run(torch.randn(32, 64))
    parameters = {p.data_ptr() for p in model.parameters()}
    own = [t for t in saved if t.data_ptr() not in parameters]
    assert sum(t.dtype is torch.float8_e4m3fn for t in own) == 2  # the norm's result and the gate's product, by column
    weights = {(96, 64), (64, 96)}
    assert not [t for t in own if tuple(t.shape) in weights], "something derived from a parameter is saved"
