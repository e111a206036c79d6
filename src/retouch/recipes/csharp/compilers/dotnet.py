"""The .NET SDK: the file is built as a project in a temporary directory."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.errors import MissingTool
from retouch.recipes.csharp.compilers.diagnostics import CompilerFailed, Diagnostic
from retouch.recipes.csharp.compilers.process import CompilerTimedOut

if TYPE_CHECKING:
    from collections.abc import Mapping

_OLDEST_SDK = 9  # the first with JsonStringEnumMemberName
_STUBS = Path(__file__).parent / "stubs_sdk.cs"
_FILE = "DataObject.cs"

_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net{major}.0</TargetFramework>
    <OutputType>Exe</OutputType>
    <UseAppHost>false</UseAppHost>
    <Nullable>enable</Nullable>
    <ImplicitUsings>disable</ImplicitUsings>
    <RunAnalyzers>false</RunAnalyzers>
    <GenerateDocumentationFile>false</GenerateDocumentationFile>
  </PropertyGroup>
</Project>
"""
# Empty files stop MSBuild's and NuGet's search in parent directories, and disable the network.
_SURROUNDINGS = {
    "Directory.Build.props": "<Project />\n",
    "Directory.Build.targets": "<Project />\n",
    "Directory.Packages.props": "<Project />\n",
    "nuget.config": "<configuration><packageSources><clear /></packageSources></configuration>\n",
}
_ENVIRONMENT = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_CLI_UI_LANGUAGE": "en",
    "DOTNET_NOLOGO": "1",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
    "MSBUILDDISABLENODEREUSE": "1",
}
_DIAGNOSTIC = re.compile(
    r"^\s*(?P<file>.+?)\((?P<line>\d+),(?P<column>\d+)[\d,]*\)\s*: (?P<severity>error|warning) "
    r"(?P<code>[A-Z]+\d+): (?P<message>.*?)(?: \[[^\]]*\])?$",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True)
class Dotnet:
    """An installed .NET SDK: its program and the major version that files are built for."""

    program: str
    major: int


def find_dotnet(commands: Mapping[str, str] | None = None) -> Dotnet:
    """Return the newest installed .NET SDK. `commands` can name another program for "dotnet".

    Raises:
        MissingTool: there is no `dotnet`, or it has no SDK of version 9 or newer.
    """
    wanted = (commands or {}).get("dotnet", "dotnet")
    program = shutil.which(wanted)
    hint = f"Install the .NET SDK {_OLDEST_SDK} or newer, or use another compiler: --compiler roslyn"
    if program is None:
        raise MissingTool(f"no program {wanted!r} on the PATH", hint=hint)
    major = _newest_sdk(program)
    if major < _OLDEST_SDK:
        seen = f"its newest is {major}" if major else "it has none"
        raise MissingTool(f"{program!r} has no SDK of version {_OLDEST_SDK} or newer; {seen}", hint=hint)
    return Dotnet(program=program, major=major)


def compile_with_dotnet(dotnet: Dotnet, text: str, *, limit_s: float) -> list[Diagnostic]:
    """Return the diagnostics of `dotnet build` for `text`, each once, in the order of the output.

    Raises:
        CompilerTimedOut: no result within `limit_s`; the build and its child processes were stopped.
        CompilerFailed: the build failed without a diagnostic of the file.
    """
    with tempfile.TemporaryDirectory(prefix="retouch-", ignore_cleanup_errors=True) as name:
        directory = Path(name)
        _write_project(directory, dotnet, text)
        status, output = _build(dotnet, directory, limit_s)
    found = [_diagnostic(match) for match in _DIAGNOSTIC.finditer(output) if Path(match["file"]).name == _FILE]
    if status and not any(diagnostic.severity == "error" for diagnostic in found):
        last = "\n".join(output.strip().splitlines()[-5:])
        raise CompilerFailed(f"dotnet build ended with status {status} and no diagnostic for the file: {last[:500]}")
    return list(dict.fromkeys(found))


def _write_project(directory: Path, dotnet: Dotnet, text: str) -> None:
    (directory / "check.csproj").write_text(_PROJECT.format(major=dotnet.major), encoding="utf-8")
    (directory / _FILE).write_text(text, encoding="utf-8", errors="replace", newline="\n")
    shutil.copyfile(_STUBS, directory / "Stubs.cs")
    for name, content in _SURROUNDINGS.items():
        (directory / name).write_text(content, encoding="utf-8")


def _build(dotnet: Dotnet, directory: Path, limit_s: float) -> tuple[int, str]:
    command = [dotnet.program, "build", "check.csproj", "-nologo", "-v:q", "-clp:NoSummary", "-nodeReuse:false"]
    command += ["-p:UseSharedCompilation=false"]
    environment = {**os.environ, **_ENVIRONMENT, "DOTNET_CLI_HOME": str(directory)}
    try:
        process = subprocess.Popen(
            command, cwd=directory, env=environment, text=True, encoding="utf-8", errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise CompilerFailed(f"{dotnet.program!r} cannot be started: {error.strerror}") from error
    with process:
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired as error:
            _end(process)
            raise CompilerTimedOut(f"dotnet build gave no result within {limit_s:g} s and was stopped") from error
    return process.returncode, output


def _end(process: subprocess.Popen[str]) -> None:
    """Stop the build and its child processes, which keep the pipe open."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
    else:
        process.kill()


def _diagnostic(match: re.Match[str]) -> Diagnostic:
    return Diagnostic(
        code=match["code"],
        severity="warning" if match["severity"] == "warning" else "error",
        message=match["message"].strip(),
        line=int(match["line"]),
        column=int(match["column"]),
    )


@lru_cache(maxsize=8)
def _newest_sdk(program: str) -> int:
    try:
        done = subprocess.run([program, "--list-sdks"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    majors = re.findall(r"^(\d+)\.\d+\.\d+", done.stdout, re.MULTILINE)
    return max((int(major) for major in majors), default=0)
