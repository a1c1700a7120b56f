"""A process that measures: each line of its input is a JSON request, each line of its output the answer.

Requests: {"row": ROW} for Octavo, {"row": ROW, "config": CONFIG} for Triton. All rows of one process have one target.
"""

from __future__ import annotations

import json
import os
import sys

import ours
from peer import Config, measure
from rows import Row


def main() -> None:
    """Answers until the input ends."""
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        row = Row(**request["row"])
        try:
            answer = measure(row, Config(**request["config"])) if "config" in request else ours.measure(row)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {str(error).strip()[:300]}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
