"""The example of `retouch demo`: three changes in two files."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from retouch.commands import RecipeDemo
from retouch.recipes.edit.source import edit_job

if TYPE_CHECKING:
    from pathlib import Path

_FILES = {
    "shop.py": '''"""Prices of a small shop."""

RATE = 0.19


def price(net: float, quantity: int) -> float:
    """Return the price with tax."""
    return net * quantity * (1 + RATE)


def label(name: str, net: float) -> str:
    """Return one line of the list of prices."""
    return f"{name}: {price(net, 1):.2f} EUR"
''',
    "report.py": '''"""The daily report."""

from shop import price

print("DEBUG: starting")
total = sum(price(net, 1) for net in (1.0, 2.5))
print(f"total {total:.2f} EUR")
''',
}
_REQUEST = """\
rename price to gross_price
replace "EUR" with "CHF"
delete lines with "DEBUG"
"""


def demo(folder: Path) -> RecipeDemo:
    """Return a request for changes of two Python files in `folder`, which a check runs afterwards."""
    root = folder / "shop"
    root.mkdir(exist_ok=True)
    for name, text in _FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    check = f"{shlex.quote(sys.executable)} report.py"
    return RecipeDemo(
        source=edit_job(root, [root / name for name in _FILES], _REQUEST, check=check),
        about="a request and two files -> all changes or none, checked by a command",
        try_it=(
            f"retouch generate edit {root / 'shop.py'} --request 'Add a discount' --model anthropic:claude-haiku-4-5"
        ),
        model="faulty:offline?rate=0.9&seed=3&heal=0.9",
        options={"workspace": str(root)},
    )
