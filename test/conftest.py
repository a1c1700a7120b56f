"""The tests judge the tree that they stand in, in this process and in those that they start."""

import os
import pathlib
import sys

PACKAGE = str(pathlib.Path(__file__).parents[1] / "python")
sys.path.insert(0, PACKAGE)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH")]))
