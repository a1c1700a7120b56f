"""Runs the clients: one process for each client and target, one line of JSON for each of its cases."""

import json
import os
import subprocess
import sys

import pytest
from clients import HERE


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory):
    """The environment for a client on `target`, as a user's shell has it after `octavo-sim env`."""
    from octavo import _paths

    def make(target: str) -> dict[str, str]:
        text = subprocess.run(
            [str(_paths.tool("octavo-sim")), "env", "--target", target], capture_output=True, text=True, check=True
        ).stdout
        names = [line.split("=")[0].removeprefix("export ") for line in text.splitlines()]
        shell = text + "".join(f'echo "{name}=${name}"\n' for name in names)
        base = {k: v for k, v in os.environ.items() if not k.startswith(("OCTAVO_", "TRITON_"))}
        exported = subprocess.run(["sh", "-c", shell], env=base, capture_output=True, text=True, check=True).stdout
        base.update(line.split("=", 1) for line in exported.splitlines())
        base["TRITON_CACHE_DIR"] = str(tmp_path_factory.getbasetemp() / "triton")
        if "OCTAVO_BUILD_DIR" in os.environ:
            base["OCTAVO_BUILD_DIR"] = os.environ["OCTAVO_BUILD_DIR"]
        return base

    return make


class Client:
    """The cases of one client's process."""

    def __init__(self, script: str, environment: dict[str, str]) -> None:
        process = subprocess.run(
            [sys.executable, str(HERE / script)], env=environment, capture_output=True, text=True, timeout=900
        )
        self.output = process.stdout + process.stderr
        self.cases = {}
        for line in process.stdout.splitlines():
            if line.startswith("{"):
                case = json.loads(line)
                self.cases[case["case"]] = case
        self.code = process.returncode

    def check(self, name: str) -> dict:
        """Fails with the client's own words unless the case passed."""
        assert name in self.cases, f"{name} did not report:\n{self.output[-6000:]}"
        assert self.cases[name]["ok"], self.cases[name]["why"]
        return self.cases[name]


@pytest.fixture(scope="session")
def client(environment):
    """Runs each script once per target."""
    known: dict[tuple[str, str], Client] = {}

    def run(script: str, target: str) -> Client:
        if (script, target) not in known:
            known[script, target] = Client(script, environment(target))
        return known[script, target]

    return run
