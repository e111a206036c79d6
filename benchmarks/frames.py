"""The number of our own functions that run before the first model call, and the depth of the call stack at that call.

A function counts once, however often it is called. The figure shows how much code is between a caller and the model,
and therefore how much a reader must know to follow a call. "With all" also counts the functions that Python creates for
class bodies, comprehensions and generator expressions.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tables import announce, table

if TYPE_CHECKING:
    from types import CodeType, FrameType

ENDPOINT = "GET /deliveries/{deliveryId}"
SPEC = Path(__file__).resolve().parent.parent / "examples" / "csharp" / "depot.yaml"
ENTRANCES = {"retouch.generate": "library", "retouch generate csharp": "command line"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", choices=list(ENTRANCES.values()), help="Count here, and print JSON.")
    arguments = parser.parse_args()
    if arguments.count is not None:
        count(arguments.count)
        return
    announce("Functions before the first model call")
    heads = ("entrance", "functions", "files", "with all", "frames to the model", "by package")
    print(table(heads, [_row(name, measured(way)) for name, way in ENTRANCES.items()]))


def _row(name: str, found: dict[str, Any]) -> list[object]:
    packages = ", ".join(f"{package} {number}" for package, number in found["packages"].items())
    return [name, found["functions"], found["files"], found["with_all"], found["frames"], packages]


def measured(way: str) -> dict[str, Any]:
    """Return the counts of a fresh interpreter for one command: functions, with_all, files, frames, packages."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--count", way]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def count(way: str) -> None:
    """Count until the first model call, then print the counts and exit."""
    import retouch

    for name in set(os.environ) - {"PATH", "HOME"}:  # settings, keys to redact and addresses would add to the count
        del os.environ[name]
    counter = _Counter(Path(retouch.__file__).parent)
    if way == "library":
        from retouch.recipes.csharp import ReadingOptions, load_document, read_endpoint

        recipe = retouch.find_recipe("csharp")
        endpoint = read_endpoint(load_document(SPEC), ENDPOINT, ReadingOptions())
        model = retouch.open_model("offline", recipe=recipe)
        sys.setprofile(counter)
        retouch.generate(recipe, endpoint, Path("run"), model)
    else:
        sys.argv = ["retouch", "generate", "csharp", str(SPEC), ENDPOINT, "-o", "run"]
        sys.setprofile(counter)
        from retouch.cli import main as command_line

        command_line()
    raise AssertionError("no model was called")


class _Counter:
    """A profile function that recognises the package's functions by their files."""

    def __init__(self, package: Path) -> None:
        self._root = f"{package}{os.sep}"
        self._model = str(package / "models" / "offline.py")
        self._codes: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(self._root) or code.co_name == "<module>":
            return
        if code.co_filename == self._model and code.co_qualname == "offline.<locals>.model":
            sys.setprofile(None)
            print(json.dumps(self._found(frame)), flush=True)
            os._exit(0)
        self._codes.add(code)

    def _found(self, frame: FrameType) -> dict[str, Any]:
        functions = [code for code in self._codes if _is_written_as_one(code)]
        packages = Counter(code.co_filename.removeprefix(self._root).partition(os.sep)[0] for code in functions)
        depth, at = 0, frame.f_back
        while at is not None:
            depth += at.f_code.co_filename.startswith(self._root)
            at = at.f_back
        return {
            "functions": len(functions),
            "with_all": len(self._codes),
            "files": len({code.co_filename for code in self._codes}),
            "frames": depth,
            "packages": dict(sorted(packages.items())),
        }


def _is_written_as_one(code: CodeType) -> bool:
    """Return whether it was created by `def` or `lambda`, and not by a class body or a comprehension."""
    named = code.co_name == "<lambda>" or not code.co_name.startswith("<")
    return named and bool(code.co_flags & inspect.CO_OPTIMIZED)


if __name__ == "__main__":
    main()
