"""Time and memory of csharp, alone and compared with other generators in the same run.

Other processes on the machine affect every figure, so rely on CPU seconds and ratios. The other generators have a
smaller task: they generate all types of a document, or of one root, once and without pages, prompts, checks or a
ledger.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import retouch
from documents import FOLDER
from processes import Taken, best, taken
from retouch.recipes.csharp.ir import CsField, CsType, Endpoint
from tables import announce, table

GITHUB = FOLDER / "github.json"
ENDPOINT = "GET /repos/{owner}/{repo}"
BIN = Path(sys.executable).parent
HEAD = ("what", "s", "CPU s", "peak MB", "exit status")
GROWTH = (10, 100, 1_000, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quicktype", help="the quicktype executable, for example from a directory installed with npm")
    parser.add_argument("--only", choices=("programs", "growth"), help="one of the two tables")
    parser.add_argument("--pages", type=int, default=GROWTH[-1], help="the largest number of pages")
    arguments = parser.parse_args()
    announce("Speed of csharp")
    if arguments.only != "growth":
        with tempfile.TemporaryDirectory(prefix="retouch-") as name:
            rows = [*ours(Path(name)), *peers(Path(name), arguments.quicktype)]
        print(table(HEAD, rows) + "\n")
    if arguments.only != "programs":
        print(table(("pages", "shape", "s", "ms per page", "CPU ms per page"), growth(arguments.pages)))


def ours(folder: Path) -> list[list[object]]:
    """Measure one endpoint from a cold start, and all JSON endpoints, both with the command."""
    generate = [str(BIN / "retouch"), "generate", "csharp", str(GITHUB), "--compiler", "none"]
    run = folder / "one"

    def one() -> Taken:
        shutil.rmtree(run, ignore_errors=True)
        return taken([*generate, ENDPOINT, "-o", str(run)])

    cold = min((one() for _ in range(3)), key=lambda each: each.cpu_s)
    every = taken([*generate, "--all", "-o", str(folder / "all")])
    checks = best([sys.executable, *_correctness()], times=1)
    return [
        _row(f"retouch, {ENDPOINT} of github.json, cold", cold),
        _row("retouch, all JSON endpoints of github.json, with run directories", every),
        _row("retouch, the same in one process: read, plan, answer, tiers 1-2", checks),
    ]


def _correctness() -> list[str]:
    return [str(Path(__file__).with_name("csharp_correctness.py")), GITHUB.name, "--no-compiler"]


def peers(folder: Path, quicktype: str | None) -> list[list[object]]:
    """Measure the other generators that are installed."""
    rows: list[list[object]] = []
    codegen = BIN / "datamodel-codegen"
    if codegen.exists():
        command = [str(codegen), "--input", str(GITHUB), "--input-file-type", "openapi"]
        rows.append(_row("datamodel-codegen, all of github.json", taken([*command, "--output", str(folder / "m.py")])))
    if quicktype:
        source = f"{GITHUB}#/components/schemas/full-repository"
        command = [quicktype, "--src-lang", "schema", "--lang", "csharp", "-o", str(folder / "Q.cs"), source]
        rows.append(_row("quicktype, one root of github.json (full-repository)", best(command, times=3)))
    return rows


def growth(most: int) -> list[list[object]]:
    """Measure whole offline runs of growing numbers of pages: in one class, and in one class per page."""
    recipe = retouch.find_recipe("csharp")
    model = retouch.open_model("offline", recipe=recipe)
    way = retouch.RunOptions(compiler="none")
    rows: list[list[object]] = []
    for shape, endpoint in (("one class", one_class), ("a class per page", many_classes)):
        for pages in (count for count in GROWTH if count <= most):
            with tempfile.TemporaryDirectory(prefix="retouch-") as name:
                source = endpoint(pages)
                began, cpu = time.perf_counter(), time.process_time()
                result = retouch.generate(recipe, source, Path(name) / "run", model, way)
                seconds, cpu_s = time.perf_counter() - began, time.process_time() - cpu
            assert (result.status, result.calls) == ("unverified", pages), result  # no compiler is used
            rows.append([pages, shape, seconds, seconds * 1_000 / pages, cpu_s * 1_000 / pages])
    return rows


def one_class(pages: int) -> Endpoint:
    """Return an endpoint whose root has `pages` pages of eight fields."""
    fields = tuple(_field(number) for number in range(pages * 8))
    return _endpoint((CsType(name="WideDataObject", kind="class", is_root=True, fields=fields),))


def many_classes(pages: int) -> Endpoint:
    """Return an endpoint with a class of eight fields for each of `pages` pages. Each class references the next one."""
    types: list[CsType] = []
    for number in range(pages):
        name = f"Part{number + 1}"
        link = (
            () if number + 1 == pages else (CsField(json_name="n", name="N", type=name, types=(name,), nullable=True),)
        )
        fields = (*link, *(_field(each) for each in range(8 - len(link))))
        types.append(CsType(name=f"Part{number}" if number else "PartsDataObject", kind="class", fields=fields))
    return _endpoint((_root(types[0]), *types[1:]))


def _root(type_: CsType) -> CsType:
    return CsType(name=type_.name, kind="class", is_root=True, fields=type_.fields)


def _field(number: int) -> CsField:
    return CsField(json_name=f"field_{number}", name=f"Field{number}", type="string", required=True)


def _endpoint(types: tuple[CsType, ...]) -> Endpoint:
    return Endpoint(
        method="GET",
        path="/parts",
        status="200",
        media_type="application/json",
        label="GET_parts",
        namespace="Connector.App.v1.Parts",
        types=types,
    )


def _row(what: str, took: Taken) -> list[object]:
    return [what, took.seconds, took.cpu_s, took.peak_mb, took.status]


if __name__ == "__main__":
    main()
