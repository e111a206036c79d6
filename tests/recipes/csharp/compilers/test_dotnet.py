"""A .NET SDK is used if there is one. A script with MSBuild's output replaces it."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.engine.options import RunOptions
from retouch.errors import MissingTool
from retouch.recipes.csharp.compilers.check import check
from retouch.recipes.csharp.writing.files import compose

from .compiler_stand_in import ENDPOINT, script, values

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch.engine.types import Issue

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a shebang line")
LINES = compose(ENDPOINT, {name: code.text for name, code in values().items()}).split("\n")
BAY_LINE = LINES.index("    public Bay? Bay { get; init; }") + 1


def dotnet(folder: Path, build: str, *, sdks: str = "9.0.104 [/usr/share/dotnet/sdk]") -> RunOptions:
    body = (
        "import os, pathlib, sys, time\n"
        f"if '--list-sdks' in sys.argv: print({sdks!r}); sys.exit()\n"
        f"SEEN = pathlib.Path({str(folder / 'seen')!r}); HERE = os.getcwd()\n"
        f"{build}\n"
    )
    return RunOptions(compiler="dotnet", commands={"dotnet": str(script(folder / "dotnet", body))}, check_timeout_s=300)


def checked(options: RunOptions) -> Sequence[Issue]:
    return asyncio.run(check(ENDPOINT, values(), options))


def test_a_build_that_succeeds_is_clean(tmp_path: Path):
    assert [] == checked(dotnet(tmp_path, ""))


def test_what_msbuild_prints_is_mapped_to_type_and_page(tmp_path: Path):
    build = (
        f"where = HERE + '/DataObject.cs({BAY_LINE},12): '\n"
        "tail = ' [' + HERE + '/check.csproj]'\n"
        "print(where + \"error CS0246: The type or namespace name 'Rack' could not be found [x]\" + tail)\n"
        "print(where + 'warning CS8618: Non-nullable property' + tail)\n"
        "print(where + 'warning CS8618: Non-nullable property' + tail)\n"
        "print(HERE + '/Stubs.cs(1,1): warning CS0436: not ours' + tail)\n"
        "sys.exit(1)\n"
    )
    error, warning = checked(dotnet(tmp_path, build))
    assert ("CS0246", "error", "PalletsDataObject", 2, 4) == (
        error.code,
        error.severity,
        error.unit,
        error.page,
        error.line,
    )
    assert "The type or namespace name 'Rack' could not be found [x]" == error.message
    assert ("CS8618", "warning") == (warning.code, warning.severity)


def test_the_project_is_nullable_and_isolated_from_parent_directories(tmp_path: Path):
    build = (
        "SEEN.write_text('\\n'.join(sorted(os.listdir('.'))) + pathlib.Path('check.csproj').read_text()"
        " + pathlib.Path('nuget.config').read_text())"
    )
    assert [] == checked(dotnet(tmp_path, build, sdks="8.0.1 [/a]\n10.0.100 [/b]"))
    seen = (tmp_path / "seen").read_text()
    assert "<TargetFramework>net10.0</TargetFramework>" in seen
    assert "<Nullable>enable</Nullable>" in seen
    assert "Directory.Build.props" in seen
    assert "<clear />" in seen


def test_a_build_that_fails_without_a_diagnostic_of_the_file_is_reported(tmp_path: Path):
    (issue,) = checked(dotnet(tmp_path, "print('error NETSDK1045: no SDK for this target'); sys.exit(1)"))
    assert ("NOT_COMPILED", "warning") == (issue.code, issue.severity)
    assert "NETSDK1045" in issue.message


def test_a_build_that_hangs_is_ended(tmp_path: Path):
    options = dotnet(tmp_path, "os.system('sleep 600')")
    (issue,) = asyncio.run(
        check(
            ENDPOINT,
            values(),
            RunOptions(compiler="dotnet", commands=options.commands, check_timeout_s=3),
        )
    )
    assert "within 3 s" in issue.message


@pytest.mark.parametrize("sdks", ["", "8.0.404 [/usr/share/dotnet/sdk]"])
def test_a_dotnet_without_a_new_sdk_is_missing(tmp_path: Path, sdks: str):
    with pytest.raises(MissingTool, match="SDK of version 9 or newer"):
        checked(dotnet(tmp_path, "", sdks=sdks))


def test_the_directory_is_removed_afterwards(tmp_path: Path):
    assert [] == checked(dotnet(tmp_path, "SEEN.write_text(HERE)"))
    from pathlib import Path as AnyPath

    assert not AnyPath((tmp_path / "seen").read_text()).exists()
