"""Makes the pictures of the docs and of the README from real runs: those of `retouch demo`.

    .venv/bin/python scripts/pictures.py [--all DIRECTORY]

It needs Chromium (apt-get install chromium) and playwright, which is among the development packages. With --all, every
page is drawn at three widths, dark and light, into a directory to look at.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from retouch.view.runs import RunStore
from tests.view.browser import browser, served, why_no_browser

DOCS = Path(__file__).parents[1] / "docs" / "pictures"
PICTURES = {  # name: page, width, height, the place to scroll to
    "run.png": ("run?run=csharp", 1280, 800, ""),
    "unit.png": ("unit?run=csharp&unit=Customer", 1600, 960, ""),
    "runs.png": ("", 1280, 640, ""),
}
WIDTHS = (390, 1280, 2560)
PAGES = (
    "",
    *(f"run?run={name}" for name in ("csharp", "edit", "extract", "policy", "rule", "chisel")),
    "unit?run=csharp&unit=Order",
    "unit?run=extract&unit=order-1",
    "unit?run=chisel&unit=fix",
    "compare?a=csharp&b=extract",
)


def main() -> None:
    """Make the runs, and draw the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", type=Path, metavar="DIRECTORY", help="draw every page at every width")
    given = parser.parse_args()
    if why := why_no_browser():
        sys.exit(why)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "retouch-demo"
        command = [sys.executable, "-m", "retouch.cli", "demo", "--to", str(folder), "--no-open"]
        subprocess.run(command, check=True)
        with served(RunStore(folder)) as address, browser() as chrome:
            if given.all is not None:
                draw_all(chrome, address, given.all)
            else:
                draw_docs(chrome, address)


def draw_docs(chrome: Any, address: str) -> None:
    """Draw the pictures of the docs."""
    DOCS.mkdir(parents=True, exist_ok=True)
    page = chrome.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address)
    for name, (path, width, height, place) in PICTURES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address.partition("?")[0] + path)
        page.wait_for_timeout(800)
        if place:
            page.locator(place).scroll_into_view_if_needed()
        page.screenshot(path=DOCS / name)
        sys.stdout.write(f"{DOCS / name}\n")


def draw_all(chrome: Any, address: str, directory: Path) -> None:
    """Draw every page, to look at."""
    directory.mkdir(parents=True, exist_ok=True)
    context = chrome.new_context()
    page = context.new_page()
    page.goto(address)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for path in PAGES:
                page.goto(address.partition("?")[0] + path)
                page.wait_for_timeout(800)
                name = "".join(letter if letter.isalnum() else "-" for letter in path) or "home"
                page.screenshot(path=directory / f"{name}-{width}-{scheme}.png", full_page=width != 2560)


if __name__ == "__main__":
    main()
