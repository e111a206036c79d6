"""Build the site of the documentation into site/: `make docs`.

The pages are those of docs/, which a reader can use without the site too. Links to files outside of docs/ become plain
text, docs/README.md becomes the first page, and pages of the Python API are made from the docstrings. A warning of the
generator, a page that is in no menu, or something that a page loads from elsewhere is an error.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
DOCS, PAGES, SITE = PROJECT / "docs", PROJECT / ".site", PROJECT / "site"
TOOLS = PROJECT / ".venv" / "tools-docs" / "bin"
API = {
    "retouch": "The public names of `retouch`. The verbs are in `retouch.aio` as coroutine functions, too.",
    "edits": "Edits of replies, applied at exactly one place. See [Edits](../reference/edits.md).",
    "locate": "The search for the source of a diff. See [Locate](../reference/locate.md).",
    "testing": "Scripted and faulty models, and a provider on loopback. See [Testing](../reference/testing.md).",
    "telemetry": "Traces. See [Tracing](../how-to/tracing.md).",
    "mcp": "Tools for agents. See [Tools for agents](../how-to/agents.md).",
    "errors": "All errors. Each has a message and a hint.",
}
_LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\(([^)\s]+)\)")
_LOADED = re.compile(r"""(?:src|href)=["']?(https?://[^"'\s>]+)[^>]*>|url\(["']?(https?://[^"')]+)""")
_LINKED = re.compile(r"<a\b[^>]*>")


def main() -> int:
    """Build the site; return the exit status."""
    prepare()
    expect_in_menu()
    done = subprocess.run(
        [str(TOOLS / "zensical"), "build", "--clean", "--strict"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout + done.stderr, end="")
    warned = re.search(r"\bwarning\b", done.stdout + done.stderr, re.IGNORECASE)
    if done.returncode or warned:
        return done.returncode or 1
    foreign = loaded_from_elsewhere(SITE)
    for page, address in foreign:
        print(f"{page} loads {address}", file=sys.stderr)
    print(f"{len(list(SITE.rglob('*.html')))} pages in {SITE.relative_to(PROJECT)}/")
    return 1 if foreign else 0


def prepare() -> None:
    """Write the pages that the generator reads into .site/."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for path in sorted(DOCS.rglob("*")):
        name = path.relative_to(DOCS)
        target = PAGES / ("index.md" if name == Path("README.md") else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(for_site(path.read_text(encoding="utf-8"), name), encoding="utf-8")
        elif path.is_file():
            shutil.copyfile(path, target)
    (PAGES / "api").mkdir()
    for name, about in API.items():
        (PAGES / "api" / f"{name}.md").write_text(api_page(name, about), encoding="utf-8")


def for_site(text: str, name: Path) -> str:
    """Return the text of a page with links that work inside of the site."""

    def link(found: re.Match[str]) -> str:
        words, target = found[1], found[2]
        path, _, anchor = target.partition("#")
        if not path or "://" in target:
            return found[0]
        place = (DOCS / name.parent / path).resolve()
        if not place.is_relative_to(DOCS) or place.is_dir():
            return words
        inside = re.sub(r"(^|/)README\.md$", r"\1index.md", path) if place == DOCS / "README.md" else path
        return f"[{words}]({inside}{'#' + anchor if anchor else ''})"

    blocks = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(one if one.startswith("```") else _LINK.sub(link, one) for one in blocks)


def api_page(name: str, about: str) -> str:
    """Return a page with the documentation of each public name of a module."""
    module = "retouch" if name == "retouch" else f"retouch.{name}"
    head = f"# {module}\n\n{about}\n\n"
    if name in ("telemetry", "errors"):
        return f"{head}::: {module}\n    options: {{show_root_heading: false}}\n"
    return head + "".join(f"::: {home}\n\n" for home in public_names(module))


def public_names(module: str) -> list[str]:
    """Return the public names of a module, each by the module that defines it."""
    import importlib

    found = importlib.import_module(module)
    names: list[str] = []
    for name in found.__all__:
        one = getattr(found, name)
        home = getattr(one, "__module__", None)
        is_here = isinstance(home, str) and home.startswith("retouch") and hasattr(one, "__qualname__")
        names.append(f"{home}.{one.__qualname__}" if is_here else f"{module}.{name}")
    return names


def expect_in_menu() -> None:
    """Check that each page is in the menu of mkdocs.yml, apart from single decisions.

    Raises:
        SystemExit: one is not.
    """
    menu = (PROJECT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in sorted(PAGES.rglob("*.md")):
        name = path.relative_to(PAGES).as_posix()
        if name not in menu and not name.startswith("decisions/"):
            raise SystemExit(f"docs/{name} is in no menu: add it to the nav of mkdocs.yml")


def loaded_from_elsewhere(site: Path) -> list[tuple[str, str]]:
    """Return what pages and style sheets load from other places. Links that a reader follows are not loaded."""
    found: list[tuple[str, str]] = []
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        text = _LINKED.sub("", path.read_text(encoding="utf-8"))
        text = re.sub(r'<link rel="?canonical"?[^>]*>', "", text)
        found += [(path.name, one[0] or one[1]) for one in _LOADED.findall(text)]
    return found


if __name__ == "__main__":
    sys.exit(main())
