"""The slow tests that a run of the whole suite takes: a sample, drawn anew for each commit.

`make test` runs one in five of them (`--sample 5`), `make test-all` all. Whoever names a test on the command line
without the option gets it.
"""

from __future__ import annotations

import subprocess
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

PROJECT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption(
        "--sample", type=int, default=1, metavar="N", help="run one in N of the tests that are marked as slow"
    )
    parser.addoption("--sample-seed", default="", metavar="TEXT", help="what the sample is drawn by [the commit]")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say which sample it was."""
    share: int = config.getoption("--sample") or 1
    if share > 1:
        note = f"Of the slow tests one in {share} ran (--sample-seed {_seed(config)}); 'make test-all' runs all."
        terminalreporter.write_line(note)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests that are not in the sample."""
    share: int = config.getoption("--sample") or 1
    if share <= 1:
        return
    slow = [item.nodeid for item in items if item.get_closest_marker("slow")]
    left_out = set(slow) - sample(slow, share=share, seed=_seed(config))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def sample(names: Iterable[str], *, share: int, seed: str) -> set[str]:
    """Return one in `share` of the tests, drawn by `seed`; of the cases of one test function, at least one."""
    functions = defaultdict[str, list[str]](list)
    for name in names:
        functions[name.partition("[")[0]].append(name)
    drawn = set[str]()
    for function, cases in functions.items():
        whole, rest = divmod(len(cases), share)
        number = whole + (_number(seed, function) % share < rest)
        drawn |= set(sorted(cases, key=lambda name: _number(seed, name))[: max(number, len(cases) > 1)])
    return drawn


def _number(seed: str, name: str) -> int:
    return int.from_bytes(sha256(f"{seed} {name}".encode()).digest()[:8], "big")


def _seed(config: pytest.Config) -> str:
    """Return the given seed, or the commit of the working tree."""
    given = config.getoption("--sample-seed")
    if given:
        return given
    command = ["git", "-C", str(PROJECT), "rev-parse", "--short=12", "HEAD"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return told.stdout.strip() or "0"
