"""What the clients' scripts share: run functions, report a line for each."""

import json
import sys
import traceback
from collections.abc import Callable


def run_all(cases: list[Callable[[], object]]) -> None:
    """Runs each case; what it returns (a dict or None) is added to its line. Ends the process."""
    failed = 0
    chosen = sys.argv[1:]
    for case in cases:
        if chosen and case.__name__ not in chosen:
            continue
        line = {"case": case.__name__, "ok": True, "why": ""}
        try:
            line.update(case() or {})
        except Exception:
            line["ok"], line["why"] = False, traceback.format_exc()[-4000:]
            failed += 1
        print(json.dumps(line), flush=True)
    sys.exit(1 if failed else 0)
