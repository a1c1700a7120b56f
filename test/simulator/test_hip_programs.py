"""HIP C++ built by clang for both targets at once, linked against the library, run once for each target."""

import pathlib
import subprocess

import pytest
from clients import HERE, TARGETS, clang


def compile_program(source: str, folder: pathlib.Path, *options: str) -> pathlib.Path:
    """Builds hip/`source` with both targets in one bundle."""
    from octavo import _paths

    library = _paths.library("libamdhip64.so").parent
    program = folder / source.replace(".hip", "")
    subprocess.run(
        [clang(), "-x", "hip", "-nogpuinc", "-nogpulib", *(f"--offload-arch={t}" for t in TARGETS), *options,
         str(HERE / "hip" / source), "-o", str(program), f"-L{library}", "-l:libamdhip64.so"],
        check=True,
    )
    return program


@pytest.fixture(scope="module", params=["-O0", "-O2", "-O3 --offload-compress"])
def basic(request, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return compile_program("basic.hip", tmp_path_factory.mktemp("hip"), *request.param.split())


@pytest.mark.parametrize("target", TARGETS)
def test_program_computes_what_c_says(basic: pathlib.Path, environment, target: str) -> None:
    result = subprocess.run([basic], env=environment(target), capture_output=True, text=True, timeout=120)
    lines = result.stdout.splitlines()
    assert result.returncode == 0 and len(lines) == 10, result.stdout + result.stderr
    assert all(line.endswith(": ok") for line in lines)


def test_program_asks_for_the_sonames_of_hip(basic: pathlib.Path, environment, tmp_path: pathlib.Path) -> None:
    """What was linked against HIP 6 asks for .so.6; it gets the same library."""
    needed = subprocess.run(["readelf", "-d", str(basic)], capture_output=True, text=True, check=True).stdout
    assert "libamdhip64.so.7" in needed
    old = tmp_path / "old"
    old.write_bytes(basic.read_bytes().replace(b"libamdhip64.so.7", b"libamdhip64.so.6"))
    old.chmod(0o755)
    result = subprocess.run([old], env=environment("gfx950"), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0 and "no version information" not in result.stderr, result.stdout + result.stderr


def test_program_without_code_for_the_target_says_which_it_has(environment, tmp_path: pathlib.Path) -> None:
    source = tmp_path / "one.hip"
    source.write_text(f'#include "{HERE}/hip/octavo_hip.h"\n#include <cstdio>\n__global__ void k() {{}}\n'
                      "int main() { k<<<dim3(1), dim3(1)>>>(); puts(hipGetErrorName(hipGetLastError())); }\n")
    from octavo import _paths

    library = _paths.library("libamdhip64.so").parent
    subprocess.run(
        [clang(), "-x", "hip", "-nogpuinc", "-nogpulib", "--offload-arch=gfx942", str(source), "-o",
         str(tmp_path / "one"), f"-L{library}", "-l:libamdhip64.so"],
        check=True,
    )
    result = subprocess.run([tmp_path / "one"], env=environment("gfx950"), capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "hipErrorNoBinaryForGpu"
    assert "no code for gfx950 among" in result.stderr and "gfx942" in result.stderr
