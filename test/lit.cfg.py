"""How lit finds and runs the tests."""

import os

import lit.formats

config.name = "octavo"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["python", "unit", "lint"]
config.test_source_root = os.path.dirname(__file__)
path = [config.octavo_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
