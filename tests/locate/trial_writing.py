"""A process that writes into a trial ledger and says on its output what it was told is on disk."""

from __future__ import annotations

import sys

from retouch.locate.trials import TrialLedger


def main(path: str, name: str, count: int) -> None:
    """Start and end `count` attempts."""
    ledger = TrialLedger(path)
    for number in range(1, count + 1):
        module = f"{name}.scala::M{number}"
        ledger.start(module, number, "abc", 0.5, case_id=name)
        print(f"started {module}", flush=True)
        ledger.mark_tried(module, "compile_fail", number, "abc", 0.5, "x" * 200, case_id=name)
        print(f"ended {module}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
