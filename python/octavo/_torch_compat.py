"""Every private name of torch that the package uses, in one place; re-check it on each release of torch."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import fx

SUPPORTED = ((2, 14), (2, 16))


def version() -> tuple[int, int]:
    """Torch's major and minor version."""
    major, minor = torch.__version__.split(".")[:2]
    return int(major), int(minor)


def aot_autograd(**arguments: Any) -> Callable[..., Any]:
    """AOTAutograd with the given compilers, as a backend."""
    from torch._dynamo.backends.common import aot_autograd as build

    return build(**arguments)  # type: ignore[no-any-return]


def boxed(gm: fx.GraphModule) -> Callable[..., Any]:
    """A graph as AOTAutograd wants a compiled one: it takes one list."""
    from torch._functorch.aot_autograd import make_boxed_func

    return make_boxed_func(gm.forward)  # type: ignore[no-any-return]


def min_cut_partition(joint: fx.GraphModule, inputs: Any, **arguments: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
    """Torch's partitioner, which decides what forward saves for backward."""
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    return min_cut_rematerialization_partition(joint, inputs, **arguments)  # type: ignore[no-any-return]


def must_save(node: fx.Node) -> None:
    """The partitioner saves the node's value for backward and never computes it twice."""
    from torch.utils.checkpoint import CheckpointPolicy

    node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
    node.meta.setdefault("ac_graph_id", 0)


def inductor_decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions that Inductor uses (importing them starts no worker)."""
    from torch._inductor.decomposition import select_decomp_table

    return dict(select_decomp_table())


def make_fx(function: Callable[..., Any], **arguments: Any) -> Callable[..., fx.GraphModule]:
    """Traces a function to aten operators."""
    from torch.fx.experimental.proxy_tensor import make_fx as build

    return build(function, **arguments)  # type: ignore[no-any-return]


def is_symbol(value: Any) -> bool:
    """Whether `value` is a size or a number that torch knows only as a symbol."""
    return isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)


def is_fake(value: Any) -> bool:
    """Whether `value` is a tensor without data."""
    from torch._subclasses.fake_tensor import FakeTensor

    return isinstance(value, FakeTensor)


def fake_mode(**arguments: Any) -> Any:
    """A fresh mode in which tensors have no data."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    return FakeTensorMode(**arguments)


@contextlib.contextmanager
def without_modes() -> Iterator[None]:
    """Real tensors may be made inside, although torch traces."""
    from torch._subclasses.fake_tensor import unset_fake_temporarily

    with unset_fake_temporarily():
        yield


def preserve_node_meta() -> Any:
    """Nodes that are traced from an interpreted graph keep its source lines and module names."""
    from torch.fx.traceback import preserve_node_meta as keep

    return keep()


def keep_custom_kernels() -> Any:
    """Operators that wrap Triton kernels stay operators while AOTAutograd traces."""
    try:
        from torch.export._trace import _disable_custom_triton_op_functional_decomposition as keep
    except ImportError:
        return contextlib.nullcontext()
    return keep()


def profiler_is_active() -> bool:
    """Whether torch's profiler records now; the answer costs less than a microsecond."""
    return bool(torch.autograd.profiler._is_profiler_enabled)


def autograd_function_of(target: Any) -> type | None:
    """The `torch.autograd.Function` whose `apply` Dynamo keeps as the call `target` (`allow_in_graph`); else None."""
    from torch._dynamo.variables.misc import produce_trampoline_autograd_apply

    if getattr(target, "_origin", None) is not produce_trampoline_autograd_apply:
        return None
    (cell,) = target.__closure__
    return cell.cell_contents  # type: ignore[no-any-return]


def compile_id() -> str:
    """Torch's name of the compilation that is running, such as `0/1`."""
    from torch._guards import CompileContext

    current = CompileContext.current_compile_id()
    return str(current) if current is not None else ""


def timed(name: str) -> Any:
    """Adds the time inside to what `torch._dynamo.utils.compile_times()` shows."""
    from torch._dynamo.utils import dynamo_timed

    return dynamo_timed(name)


def trace_artifact(name: str, text: Callable[[], str]) -> None:
    """Adds `text` to torch's structured trace (`TORCH_TRACE`); costs nothing where there is none."""
    from torch._logging import trace_structured

    trace_structured(
        "artifact", metadata_fn=lambda: {"name": name, "encoding": "string"}, payload_fn=text, expect_trace_id=False
    )


def register_logs() -> None:
    """`TORCH_LOGS="+octavo"` and `TORCH_LOGS="octavo_ir"`."""
    from torch._logging import _internal as logs

    registry = logs.log_registry
    if not registry.is_log("octavo"):
        logs.register_log("octavo", "octavo")
    if not registry.is_artifact("octavo_ir"):
        logs.register_artifact("octavo_ir", "The IR of each compiled graph at level aten.", off_by_default=True)


def artifact_log(module: str, name: str) -> logging.Logger:
    """The logger of an artifact that `register_logs` made known."""
    from torch._logging import getArtifactLogger

    return getArtifactLogger(module, name)  # type: ignore[no-any-return]
