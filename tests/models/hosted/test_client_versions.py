"""The bound on pydantic-ai's version, and what to check when it is raised.

Retouch uses it to build, sign and send requests; answers are read by `retouch.models.wire`. So a new version can change
what is sent, and whether an answer still reaches the response hook. Before you raise the bound in pyproject.toml:

1. Read its changelog for prompts of its own, special tokens, `max_tokens`, cache settings, batches and HTTP clients.
2. Install it and run tests/models and tests/conformance, with the recordings.
3. Compare the bodies that `test_hosted_wire.py` and `test_cache_marks.py` look at, for one model of each provider.
4. Raise the bound in both extras, `TRIED` below, and the lock (`make lock`).
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TRIED = (2, 68)
"""The newest version of pydantic-ai for which the list above was gone through."""


def test_the_bound_on_pydantic_ai_is_the_version_after_the_one_that_was_tried(project: Path):
    extras = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    wanted = [one for extra in extras.values() for one in extra if one.startswith("pydantic-ai")]
    assert 3 == len(wanted)
    bounds = {re.search(r"<(\d+)\.(\d+)$", one) for one in wanted}
    assert {(str(TRIED[0]), str(TRIED[1] + 1))} == {one.groups() for one in bounds if one is not None}
    assert None not in bounds


def test_the_installed_pydantic_ai_was_tried():
    installed = tuple(int(part) for part in version("pydantic-ai-slim").split(".")[:2])
    assert installed <= TRIED, f"go through the list in {__name__} for {installed}"
