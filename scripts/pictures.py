"""Makes the pictures of the docs and of the README from real runs: those of `retouch demo`, and one of the wizard.

    .venv/bin/python scripts/pictures.py [--all DIRECTORY]

It needs Chromium (apt-get install chromium) and playwright, which is among the development packages. With --all, every
kind of page is drawn at four widths, dark, light and printed, into a directory to look at.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

sys.path.insert(0, str(Path(__file__).parents[1]))

from retouch.view.runs import RunStore
from tests.recipes.rule.rounds_scene import job
from tests.tui.scene import on_screen
from tests.view.browser import WIDTHS, browser, served, why_no_browser
from tests.view.every_page import files, live_pages, make_every_kind

DOCS = Path(__file__).parents[1] / "docs" / "pictures"
WIZARD = Path(__file__).parents[1] / "docs" / "how-to" / "wizard.svg"
WIZARD_RULE = """```yaml
name: missions
glob: '**/mission_*/*/*.csv'
extract:
  mission: {from: segment(-3), pattern: '^mission_(00.|011)$', type: integer}
  date: {from: segment(-2), type: date}
  run: {from: filename, pattern: '^r(\\d)_', default: null}
```"""
PICTURES = {  # name: page, width, height, the place to scroll to
    "run.png": ("run?run=csharp", 1280, 800, ""),
    "unit.png": ("unit?run=csharp&unit=Order", 1600, 1180, ""),
    "runs.png": ("", 1280, 640, ""),
}


def main() -> None:
    """Make the runs, and draw the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", type=Path, metavar="DIRECTORY", help="draw every kind of page at every width")
    given = parser.parse_args()
    if why := why_no_browser():
        sys.exit(why)
    with tempfile.TemporaryDirectory() as scratch:
        if given.all is None:
            with patch.dict(os.environ, {"XDG_DATA_HOME": f"{scratch}/data"}):  # no drafts of the user's
                asyncio.run(draw_wizard(Path(scratch)))
        draw_pages(Path(scratch), given.all)


def draw_pages(scratch: Path, every: Path | None) -> None:
    """Draw pages of the runs of `retouch demo`: those of the docs, or every kind into the directory `every`."""
    with browser() as chrome:
        folder = scratch / "demo"
        command = [sys.executable, "-m", "retouch", "demo", "--to", str(folder), "--no-open"]
        subprocess.run(command, check=True)
        if every is not None:
            make_every_kind(folder.parent)
            with live_pages(folder.parent) as live:
                draw_all(chrome, [*live.values(), files(folder.parent)], every)
        else:
            with served(RunStore(folder)) as address:
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


async def draw_wizard(folder: Path) -> None:
    """Draw the screen of the wizard with a rule that passes, and a cell that failed."""
    names = (*(f"mission_{number:03}" for number in range(1, 13)), "Mission_013")
    paths = [f"/srv/data/{name}/2024-01-{day:02}/r{day - 1}_x.csv" for day, name in enumerate(names, 2)]
    async with on_screen(folder, WIZARD_RULE, of=job(*paths, "/srv/data/readme/notes.txt"), size=(88, 24)) as shown:
        await shown.settle("YAML_RESULT")
        await shown.press(*["down"] * 9, "right")
        picture = re.sub(r"@font-face \{.*?\}", "", shown.app.export_screenshot(title="Rule wizard"), flags=re.DOTALL)
    WIZARD.write_text(
        "\n".join(line.rstrip() for line in picture.splitlines() if line.strip()) + "\n", encoding="utf-8"
    )
    sys.stdout.write(f"{WIZARD}\n")


def draw_all(chrome: Any, groups: Sequence[Mapping[str, str]], directory: Path) -> None:
    """Draw every page, to look at: at each width, in the light and in the dark, and as it is printed."""
    directory.mkdir(parents=True, exist_ok=True)
    page = chrome.new_context().new_page()
    for name, address in (pair for group in groups for pair in group.items()):
        page.goto(address)
        page.wait_for_selector("[hx-trigger=load]", state="detached")
        stem = name.replace("/", "-")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=directory / f"{stem}-{width}-{scheme}.png", full_page=width != WIDTHS[-1])
        page.emulate_media(media="print", color_scheme="light")
        page.screenshot(path=directory / f"{stem}-print.png", full_page=True)
        page.emulate_media(media="screen")


if __name__ == "__main__":
    main()
