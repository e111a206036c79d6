"""The machine's Chromium for tests and pictures, and axe-core. Both are optional."""

from __future__ import annotations

import os
import shutil
import threading
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from retouch.view.runs import RunStore

AXE = Path(__file__).parents[2] / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (390, 768, 1280, 2560)
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    """Return the path of a Chromium, or ""."""
    given = os.environ.get("RETOUCH_CHROMIUM", "")
    return given or next((found for name in _NAMES if (found := shutil.which(name))), "")


def why_no_browser() -> str:
    """Return why no browser can be used, or ""."""
    if find_spec("playwright") is None:
        return "playwright is not installed"
    return "" if chromium() else "no chromium: apt-get install chromium, or name one in RETOUCH_CHROMIUM"


@contextmanager
def browser() -> Generator[Any]:
    """Run Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        found = driver.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"], timeout=MOST_S * 1e3
        )
        try:
            yield found
        finally:
            found.close()


def new_page(chrome: Any, **context: Any) -> Any:
    """Return a page in a context of its own, which is patient."""
    found = chrome.new_context(**context)
    found.set_default_timeout(MOST_S * 1e3)
    return found.new_page()


@contextmanager
def served(store: RunStore) -> Generator[str]:
    """Serve a viewer on a free port in a thread, and yield the address that opens it."""
    import uvicorn

    from retouch.view.server import bound_socket, viewer

    with bound_socket(0) as own:
        app, address = viewer(store, port=own.getsockname()[1])
        own.listen(64)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", server_header=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [own]}, daemon=True)
        thread.start()
        try:
            yield address
        finally:
            server.should_exit = True
            thread.join(MOST_S)


def too_wide(page: Any, widths: Sequence[int] = WIDTHS) -> list[str]:
    """Return the widths of a window in which a page has to be moved sideways, each with that of the page."""
    found: list[str] = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        needed = page.evaluate("document.documentElement.scrollWidth")
        if needed > width:
            found.append(f"{width}: {needed}")
    return found


def violations(page: Any) -> list[list[str]]:
    """Return the rules of axe-core that a page breaks, each with an element: all rules, and the colours in the dark."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[list[str]] = []
    for scheme, options in (("light", "{}"), ("dark", "{runOnly: ['color-contrast']}")):
        page.emulate_media(color_scheme=scheme)
        broken = "found => found.violations.map(one => [one.id, one.nodes[0].html])"
        found += page.evaluate(f"axe.run({options}).then({broken})")
    page.emulate_media(color_scheme="light")
    return found
