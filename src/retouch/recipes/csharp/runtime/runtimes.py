"""The runtimes that can execute System.Text.Json: .NET with or without its SDK, or mono with an assembly of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from retouch.errors import MissingTool, RetouchError
from retouch.recipes.csharp.compilers.dotnet import find_dotnet
from retouch.recipes.csharp.compilers.roslyn import find_roslyn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.recipes.csharp.compilers.dotnet import Dotnet
    from retouch.recipes.csharp.compilers.roslyn import Roslyn

_HERE = Path(__file__).parent
_STUBS = _HERE.parent / "compilers" / "stubs_sdk.cs"
_ENTRY_POINT = re.compile(r"^.*static void Main\(.*$", re.MULTILINE)
_JSON_ASSEMBLY = "System.Text.Json.dll"
_NEEDED = (_JSON_ASSEMBLY, "System.Memory.dll", "Microsoft.Bcl.AsyncInterfaces.dll")
_BASE = ("mscorlib.dll", "System.dll", "System.Core.dll")
_TIME_ZONE = "Asia/Kathmandu"  # a lost offset is visible: +05:45 is seldom the offset of a payload
_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net{major}.0</TargetFramework>
    <OutputType>Exe</OutputType>
    <AssemblyName>check</AssemblyName>
    <UseAppHost>false</UseAppHost>
    <Nullable>enable</Nullable>
    <ImplicitUsings>disable</ImplicitUsings>
    <RunAnalyzers>false</RunAnalyzers>
  </PropertyGroup>
</Project>
"""
_OLDEST_MAJOR = 9  # the first with JsonStringEnumMemberName
_FRAMEWORK = re.compile(r"^Microsoft\.NETCore\.App ((\d+)\.\d+\.\d+)\S* \[(.+)\]$", re.MULTILINE)
_FRAMEWORK_ASSEMBLIES = (
    "System.Private.CoreLib.dll", "System.Runtime.dll", "System.Collections.dll", "System.Linq.dll",
    "System.Memory.dll", "System.Private.Uri.dll", "System.ObjectModel.dll", _JSON_ASSEMBLY,
)  # fmt: skip
MONO_HINT = (
    "Install the .NET SDK or runtime 9, or mono (apt-get install mono-runtime libmono-system-core4.0-cil) and the npm "
    "package nswag, and set RETOUCH_MONO_JSON to its directory bin/binaries/Win"
)


class RuntimeFailed(RetouchError):
    """A runtime returned no result: the program did not compile, crashed, or took too long."""


@dataclass(frozen=True, kw_only=True)
class DotnetRuntime:
    """The .NET SDK, which builds and runs the program."""

    dotnet: Dotnet
    lacks: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name for reports."""
        return f".NET {self.dotnet.major}"

    def run(self, text: str, payloads: Sequence[Mapping[str, str]], *, limit_s: float) -> list[Mapping[str, str]]:
        """Return the result of each payload. See `MonoRuntime.run`."""
        with tempfile.TemporaryDirectory(prefix="retouch-", ignore_cleanup_errors=True) as name:
            directory = Path(name)
            sources = {"Model.cs": text, "Stubs.cs": _stubs(), "Harness.cs": _read(_HERE / "harness.cs")}
            for file, content in {**sources, "check.csproj": _PROJECT.format(major=self.dotnet.major)}.items():
                (directory / file).write_text(content, encoding="utf-8", errors="replace")
            build = [self.dotnet.program, "build", "check.csproj", "-nologo", "-v:q", "-o", "out", "-nodeReuse:false"]
            _run(build, directory, {"DOTNET_CLI_HOME": name, "DOTNET_CLI_TELEMETRY_OPTOUT": "1"}, limit_s)
            return _executed([self.dotnet.program, str(directory / "out" / "check.dll")], directory, payloads, limit_s)


@dataclass(frozen=True, kw_only=True)
class DotnetHostRuntime:
    """The .NET runtime without the SDK, which runs the program. Roslyn compiles it against what is in `folder`."""

    program: str
    version: str
    folder: Path
    roslyn: Roslyn
    lacks: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name for reports."""
        return f".NET {self.version}, without its SDK"

    def run(self, text: str, payloads: Sequence[Mapping[str, str]], *, limit_s: float) -> list[Mapping[str, str]]:
        """Return the result of each payload. See `MonoRuntime.run`."""
        with tempfile.TemporaryDirectory(prefix="retouch-", ignore_cleanup_errors=True) as name:
            directory = Path(name)
            references = [self.folder / file for file in _FRAMEWORK_ASSEMBLIES]
            program = _compiled(self.roslyn, directory / "check.dll", text, references, limit_s=limit_s)
            settings = {
                "framework": {"name": "Microsoft.NETCore.App", "version": self.version},
                "configProperties": {"System.Globalization.Invariant": True},
            }
            program.with_suffix(".runtimeconfig.json").write_text(json.dumps({"runtimeOptions": settings}))
            return _executed([self.program, str(program)], directory, payloads, limit_s)


@dataclass(frozen=True, kw_only=True)
class MonoRuntime:
    """mono with the System.Text.Json of `assemblies`. Roslyn compiles the program."""

    mono: str
    assemblies: Path
    base: Path
    roslyn: Roslyn
    lacks: frozenset[str] = frozenset({"DateOnly", "TimeOnly"})
    name: str = "mono with System.Text.Json (not .NET)"

    def run(self, text: str, payloads: Sequence[Mapping[str, str]], *, limit_s: float) -> list[Mapping[str, str]]:
        """Return the result of each payload, `{"json"}` or `{"error"}`. A payload is `{"type", "json"}`.

        Raises:
            RuntimeFailed: the program did not compile, crashed, or took longer than `limit_s`.
        """
        with tempfile.TemporaryDirectory(prefix="retouch-", ignore_cleanup_errors=True) as name:
            directory = Path(name)
            references = [*(self.base / file for file in _BASE), *(self.assemblies / file for file in _NEEDED)]
            more = [_HERE / "polyfills.cs"]
            program = _compiled(self.roslyn, directory / "check.exe", text, references, more, limit_s=limit_s)
            environment = {"MONO_PATH": str(self.assemblies)}
            return _executed([self.mono, str(program)], directory, payloads, limit_s, environment)


Runtime = DotnetRuntime | DotnetHostRuntime | MonoRuntime


def find_runtime(commands: Mapping[str, str] | None = None) -> Runtime:
    """Return the .NET SDK if it is installed, else the .NET runtime, else mono.

    `commands` can name other programs for dotnet, mono and node.

    Raises:
        MissingTool: neither is installed completely. The message names what is missing.
    """
    try:
        return DotnetRuntime(dotnet=find_dotnet(commands))
    except MissingTool as missing:
        no_dotnet = missing.message
    host = _dotnet_host(commands)
    if host is not None:
        return host
    wanted = (commands or {}).get("mono", "mono")
    mono = shutil.which(wanted)
    if mono is None:
        raise MissingTool(f"no .NET runtime: {no_dotnet}; no program {wanted!r} either", hint=MONO_HINT)
    assemblies = Path(os.environ.get("RETOUCH_MONO_JSON", ""))
    if not os.environ.get("RETOUCH_MONO_JSON") or not all((assemblies / name).is_file() for name in _NEEDED):
        raise MissingTool(f"no .NET runtime: {no_dotnet}; mono has no {_JSON_ASSEMBLY}", hint=MONO_HINT)
    base = Path(mono).resolve().parent.parent / "lib" / "mono" / "4.5"
    if not all((base / name).is_file() for name in _BASE):
        raise MissingTool(f"no .NET runtime: {no_dotnet}; the base library of {mono!r} is incomplete", hint=MONO_HINT)
    return MonoRuntime(mono=mono, assemblies=assemblies, base=base, roslyn=find_roslyn(commands))


def _dotnet_host(commands: Mapping[str, str] | None) -> DotnetHostRuntime | None:
    """Return the newest .NET runtime that `dotnet` lists, or None if it has none that is new enough."""
    program = shutil.which((commands or {}).get("dotnet", "dotnet"))
    if program is None:
        return None
    try:
        listed = subprocess.run([program, "--list-runtimes"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = [match.groups() for match in _FRAMEWORK.finditer(listed.stdout) if int(match[2]) >= _OLDEST_MAJOR]
    if not found:
        return None
    version, _, folder = max(found, key=lambda one: [int(part) for part in one[0].split(".")])
    roslyn = find_roslyn(commands)
    return DotnetHostRuntime(program=program, version=version, folder=Path(folder) / version, roslyn=roslyn)


def _compiled(
    roslyn: Roslyn,
    program: Path,
    text: str,
    references: Sequence[Path],
    more: Sequence[Path] = (),
    *,
    limit_s: float,
) -> Path:
    """Compile the types in `text` and the harness with Roslyn into `program`, and return it."""
    directory = program.parent
    (directory / "Model.cs").write_text(text, encoding="utf-8", errors="replace")
    (directory / "Stubs.cs").write_text(_stubs(), encoding="utf-8")
    sources = [_HERE / "harness.cs", *more, directory / "Model.cs", directory / "Stubs.cs"]
    emit = [roslyn.node, _HERE / "emit.mjs", roslyn.folder, _HERE / "emit.cs", program]
    errors = _errors(_run([*map(str, emit), *map(str, references), *map(str, sources)], directory, {}, limit_s))
    if errors:
        raise RuntimeFailed(f"the program for the run-time check does not compile: {errors[0]}"[:500])
    return program


def _stubs() -> str:
    """Return the attributes of the connector SDK, without the entry point that a build needs."""
    return _ENTRY_POINT.sub("", _read(_STUBS))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _executed(
    program: Sequence[str],
    directory: Path,
    payloads: Sequence[Mapping[str, str]],
    limit_s: float,
    environment: Mapping[str, str] | None = None,
) -> list[Mapping[str, str]]:
    """Run the compiled program over the payloads, and return its results."""
    given, results = directory / "payloads.json", directory / "results.json"
    given.write_text(json.dumps(payloads), encoding="utf-8")
    _run([*program, str(given), str(results)], directory, {"TZ": _TIME_ZONE, **(environment or {})}, limit_s)
    try:
        found: Any = json.loads(results.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RuntimeFailed(f"the program wrote no results: {error}") from error
    if not isinstance(found, list) or len(cast("list[Any]", found)) != len(payloads):
        raise RuntimeFailed("the program did not write one result for each payload")
    return cast("list[Mapping[str, str]]", found)


def _run(command: Sequence[str], directory: Path, environment: Mapping[str, str], limit_s: float) -> str:
    try:
        done = subprocess.run(
            command, cwd=directory, env={**os.environ, **environment}, capture_output=True, text=True, errors="replace",
            timeout=limit_s, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        message = f"{Path(command[0]).name!r} gave no result within {limit_s:.3g} s and was stopped"
        raise RuntimeFailed(message) from error
    except OSError as error:
        raise RuntimeFailed(f"{Path(command[0]).name!r} gave no result: {error}"[:500]) from error
    if done.returncode:
        last = " ".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise RuntimeFailed(f"{Path(command[0]).name!r} ended with status {done.returncode}: {last}"[:500])
    return done.stdout


def _errors(output: str) -> list[str]:
    try:
        found: Any = json.loads(output.strip().splitlines()[-1])
        return [str(error) for error in found["errors"]]
    except (IndexError, ValueError, KeyError, TypeError) as error:
        raise RuntimeFailed(f"the compiler returned an invalid response: {output[:200]!r}") from error
