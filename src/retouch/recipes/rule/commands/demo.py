"""The example of `retouch demo`: exports of a shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.commands import RecipeDemo
from retouch.recipes.rule.asking.source import RuleJob

if TYPE_CHECKING:
    from pathlib import Path


def demo(folder: Path) -> RecipeDemo:
    """Return sample paths, which are written into `folder` as well."""
    cities, kinds = ("bern", "oslo", "riga"), ("orders", "returns")
    paths = tuple(
        f"/data/{city}/{kind}/2026-{month:02}-15_batch{month * 7:03}.csv"
        for city in cities
        for kind in kinds
        for month in (1, 4, 9)
    )
    (folder / "paths.txt").write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    return RecipeDemo(
        source=RuleJob(paths=paths),
        model="faulty:offline?rate=1&seed=7&heal=1",
        about="sample paths -> a rule that extracts their fields",
        try_it=f"retouch generate rule @{folder / 'paths.txt'} --model anthropic:claude-haiku-4-5",
    )
