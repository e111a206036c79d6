"""A program that behaves like `dotnet`: it lists an SDK, builds, and runs a line of Python over payloads."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def stand_in(folder: Path, run: str, *, runtimes: tuple[str, ...] = ()) -> dict[str, str]:
    """The commands of a run with this program as dotnet; `run` adds the result of one `payload` to `results`.

    With versions of `runtimes`, it has these and no SDK.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "dotnet.py"
    program.write_text(
        f"""import json, pathlib, sys
if sys.argv[1] == "--list-sdks":
    print("" if {runtimes} else "9.0.100 [/sdk]")
elif sys.argv[1] == "--list-runtimes":
    for version in {runtimes}:
        print(f"Microsoft.AspNetCore.App {{version}} [/shared/asp]")
        print(f"Microsoft.NETCore.App {{version}} [/shared/a dotnet]")
elif sys.argv[1] == "build":
    text = pathlib.Path("Model.cs").read_text() + pathlib.Path("Harness.cs").read_text()
    assert "Main(string[] arguments)" in text and "net9.0" in pathlib.Path("check.csproj").read_text()
    assert "static void Main(" not in pathlib.Path("Stubs.cs").read_text()
else:
    payloads = json.loads(pathlib.Path(sys.argv[2]).read_text())
    results = []
    for payload in payloads:
        {run}
    pathlib.Path(sys.argv[3]).write_text(json.dumps(results))
"""
    )
    script = folder / "dotnet"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(program))} "$@"\n')
    script.chmod(0o755)
    return {"dotnet": str(script)}
