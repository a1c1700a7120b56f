"""The pictures of the README: the losses of a training, and a product's roofline in the timing model.

tools/dev bench pictures --report REPORT.json     (REPORT.json: what `tools/dev train --report` wrote)
tools/dev bench pictures                          (the roofline alone)
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "docs/pictures"
SIZE = 1024


def draw_losses(report: pathlib.Path) -> None:
    """Both loss curves of a training's report."""
    sys.path.insert(0, str(ROOT / "examples"))
    import matplotlib
    import training_report

    matplotlib.rcParams["svg.hashsalt"] = "octavo"  # the same picture from the same report
    training_report.write_plot(FOLDER / "loss.svg", json.loads(report.read_text()))


def draw_roofline(target: str) -> None:
    """The row-wise product SIZE x SIZE x SIZE that Octavo compiles for `target`."""
    from octavo import simulator
    from octavo.runtime import harness

    n = SIZE
    text = f"""func.func @product(%a: tensor<{n}x{n}xf8E4M3FN>, %s: tensor<{n}x1xf32>, %b: tensor<{n}x{n}xf8E4M3FN>,
        %t: tensor<{n}x1xf32>) -> tensor<{n}x{n}xbf16> {{
      %c = octavo.scaled_matmul %a scaled %s, transposed %b scaled %t
          {{granule_a = #octavo.granule<row>, granule_b = #octavo.granule<row>}}
        : tensor<{n}x{n}xf8E4M3FN>, tensor<{n}x1xf32>, tensor<{n}x{n}xf8E4M3FN>, tensor<{n}x1xf32>
        -> tensor<{n}x{n}xbf16>
      return %c : tensor<{n}x{n}xbf16> }}"""
    compiled = harness.compile_text(text, target)
    (step,) = compiled.program["steps"]
    kernel = compiled.program["kernels"][step["launch"]]
    matrix, scale = f"f8E4M3FN[{n}x{n}]:zeros", f"f32[{n}x1]:zeros"
    names = {"input": [matrix, scale, matrix, scale], "output": [f"bf16[{n}x{n}]:zeros"]}
    arguments = [names[kind][number] for argument in step["args"] for kind, number in argument.items()]
    with tempfile.TemporaryDirectory() as folder:
        code = pathlib.Path(folder) / "product.hsaco"
        code.write_bytes(compiled.code)
        found = simulator.profile(
            code,
            *arguments,
            kernel=kernel["name"],
            grid=tuple(step["grid"]),
            block=(kernel["lanes"], 1, 1),
            plot=FOLDER / "roofline.svg",
        )
    what = f"{target}, {n} x {n} x {n}, row-wise 8 bits"
    print(f"{what}: {found['predicted_us']:.1f} us predicted, bound by {found['bound']}")


def main() -> None:
    """Draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=pathlib.Path, help="of a training; without it the losses are not drawn")
    parser.add_argument("--target", default="gfx950", help="GPU of the roofline")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if options.report:
        draw_losses(options.report)
    draw_roofline(options.target)


if __name__ == "__main__":
    main()
