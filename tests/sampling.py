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


def pytest_configure(config: pytest.Config) -> None:
    """Draw by the commit, if nothing else is said. Worker processes get the seed with the options."""
    if config.option.sample > 1 and not config.option.sample_seed:
        command = ["git", "-C", str(PROJECT), "rev-parse", "--short=12", "HEAD"]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        config.option.sample_seed = told.stdout.strip() or "0"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say which sample it was."""
    share, seed = config.option.sample, config.option.sample_seed
    if share > 1:
        note = f"Of the slow tests one in {share} ran (--sample-seed {seed}); 'make test-all' runs all."
        terminalreporter.write_line(note)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests that are not in the sample."""
    slow = [item.nodeid for item in items if item.get_closest_marker("slow")]
    left_out = {*slow} - sample(slow, share=config.option.sample, seed=config.option.sample_seed)
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
        number = whole + int(_number(seed, function) % share < rest)
        least = 1 if len(cases) > 1 else 0
        drawn |= set(sorted(cases, key=lambda name: _number(seed, name))[: max(number, least)])
    return drawn


def _number(seed: str, name: str) -> int:
    return int.from_bytes(sha256(f"{seed} {name}".encode()).digest()[:8], "big")
