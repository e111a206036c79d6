"""Make a .NET 9 runtime, without an SDK, of a program that npm has: for `--runtime` where .NET cannot be installed.

    npm install @azure/mcp-linux-x64@0.1.0
    python benchmarks/dotnet_from_npm.py node_modules/@azure/mcp-linux-x64/dist ~/dotnet9
    PATH=~/dotnet9:$PATH retouch generate csharp SPEC --all --runtime

Version 0.1.0 of this package is a self-contained .NET program for Linux on x64, so that it brings the whole runtime,
unchanged. It has no `dotnet` program: the one written here calls the same library, libhostfxr. The retouch command
compiles with Roslyn then. System.Text.Json is the real one, and .NET is the real one.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

PACK = "runtimepack.Microsoft.NETCore.App.Runtime."
DOTNET = """#!{python}
import ctypes, os, sys

root = os.path.dirname(os.path.realpath(__file__))
arguments = [os.path.join(root, "dotnet"), *sys.argv[1:]]
start = ctypes.CDLL(os.path.join(root, "host/fxr/{version}/libhostfxr.so")).hostfxr_main_startupinfo
array = (ctypes.c_char_p * len(arguments))(*map(os.fsencode, arguments))
sys.exit(start(len(arguments), array, os.fsencode(arguments[0]), os.fsencode(root), b"") & 255)
"""


def main() -> int:
    """Write the runtime; return the exit status."""
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    source, target = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    deps: Any = json.loads(next(source.glob("*.deps.json")).read_text(encoding="utf-8"))
    platform = deps["runtimeTarget"]["name"]
    pack = next(name for name in deps["targets"][platform] if name.startswith(PACK))
    version = pack.partition("/")[2]
    files = deps["targets"][platform][pack]
    framework, host = target / "shared/Microsoft.NETCore.App" / version, target / "host/fxr" / version
    for folder in (framework, host):
        folder.mkdir(parents=True, exist_ok=True)
    for name in (*files["runtime"], *files["native"]):
        shutil.copy(source / Path(name).name, framework)
    shutil.copy(source / "libhostfxr.so", host)
    own = {"runtimeTarget": {"name": platform}, "targets": {platform: {pack: files}}}
    own["libraries"] = {pack: {"type": "package", "serviceable": True, "sha512": ""}}
    (framework / "Microsoft.NETCore.App.deps.json").write_text(json.dumps(own), encoding="utf-8")
    program = target / "dotnet"
    program.write_text(DOTNET.format(python=sys.executable, version=version), encoding="utf-8")
    program.chmod(0o755)
    print(f".NET {version}: {program}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
