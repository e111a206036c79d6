"""What is installed besides Retouch: a test that looks at everything leaves the recipes of other packages out."""

from __future__ import annotations

from importlib.metadata import entry_points


def recipes_of_others() -> set[str]:
    """Return the names of the recipes, and of those that add commands, that other packages register."""
    found = [*entry_points(group="retouch.recipes"), *entry_points(group="retouch.commands")]
    return {one.name for one in found if one.dist is None or one.dist.name != "retouch"}
