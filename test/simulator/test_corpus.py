"""A sample of the programs of corpus.py on each target; `tools/dev bench sim-corpus` runs all of them."""

import os
import pathlib
import random
import subprocess
import sys

import pytest
from corpus import PROGRAMS

CORPUS = pathlib.Path(__file__).with_name("corpus.py")


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_programs_of_the_corpus_agree_with_the_host(arch: str) -> None:
    seed = int(os.environ.get("OCTAVO_TEST_SEED", random.randrange(1 << 32)))
    chosen = random.Random(f"{seed}/{arch}").sample(range(PROGRAMS), 2)
    print(f"OCTAVO_TEST_SEED={seed}: programs {chosen}")
    for program in chosen:
        command = [sys.executable, str(CORPUS), "--arch", arch, "--seed", str(program), "--count", "1"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert result.returncode == 0, result.stdout + result.stderr[-2000:]
        assert result.stdout == f"1 programs agree on {arch}\n"
