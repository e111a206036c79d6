"""Build the wheel and the source distribution into dist/, and check them: `make release`.

python scripts/release.py            build and check
python scripts/release.py --check    check what is in dist/ already
python scripts/release.py --sizes    also install each extra into a fresh environment, and print its size (needs uv)
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
DIST = PROJECT / "dist"
TOOLS = PROJECT / ".venv" / "tools-release" / "bin"
MOST_WHEEL_BYTES = 3_000_000
RUN_FILES = frozenset({"ledger.db", "ir.json", "prompts.json", "pages.json", "job.json", "fleet.json", ".lock"})
IN_SOURCE = frozenset(
    {"src", "docs", "LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "PKG-INFO", ".gitignore"}
)


def main() -> int:
    """Build, check and measure; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="build nothing")
    parser.add_argument("--sizes", action="store_true", help="measure the installed size of each extra")
    given = parser.parse_args()
    if not given.check:
        build()
    wrong = [*faults_of_tools(), *faults(DIST)]
    for one in wrong:
        print(f"error: {one}", file=sys.stderr)
    for path in sorted(DIST.iterdir()):
        print(f"{path.name}: {path.stat().st_size:,} bytes")
    if given.sizes and not wrong:
        print_sizes()
    return 1 if wrong else 0


def build() -> None:
    """Build both distributions in an empty dist/; the wheel is built from the source distribution."""
    shutil.rmtree(DIST, ignore_errors=True)
    build_command = [str(TOOLS / "uv"), "build", "--quiet", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*build_command, "--out-dir", str(DIST), str(PROJECT)], check=True)
    (DIST / ".gitignore").unlink(missing_ok=True)


def faults_of_tools() -> list[str]:
    """Return what twine and check-wheel-contents find."""
    files = [str(path) for path in sorted(DIST.iterdir())]
    wheels = [name for name in files if name.endswith(".whl")]
    found: list[str] = []
    for command in (["twine", "check", "--strict", *files], ["check-wheel-contents", "--no-config", *wheels]):
        done = subprocess.run([str(TOOLS / command[0]), *command[1:]], capture_output=True, text=True, check=False)
        if done.returncode:
            found.append(f"{command[0]}: {(done.stdout + done.stderr).strip()}")
    return found


def faults(dist: Path) -> list[str]:
    """Return what does not belong into the distributions: run directories, tests, caches, and other stray files."""
    wheels, sources = sorted(dist.glob("*.whl")), sorted(dist.glob("*.tar.gz"))
    found: list[str] = []
    if (len(wheels), len(sources)) != (1, 1):
        return [f"dist/ has {len(wheels)} wheels and {len(sources)} source distributions; each must be one"]
    with zipfile.ZipFile(wheels[0]) as wheel:
        names = [name for name in wheel.namelist() if not name.endswith("/")]
    found += [f"{wheels[0].name}: {name} is outside of the package" for name in names if not _is_ours(name)]
    found += [f"{wheels[0].name}: {one}" for one in stray(names)]
    if "retouch/py.typed" not in names:
        found.append(f"{wheels[0].name}: retouch/py.typed is missing")
    if (size := wheels[0].stat().st_size) > MOST_WHEEL_BYTES:
        found.append(f"{wheels[0].name}: {size:,} bytes, and {MOST_WHEEL_BYTES:,} are allowed")
    with tarfile.open(sources[0]) as source:
        inside = [name.partition("/")[2] for name in source.getnames() if "/" in name]
    found += [f"{sources[0].name}: {one}" for one in stray(inside)]
    tops = {name.partition("/")[0] for name in inside}
    found += [f"{sources[0].name}: {name} does not belong in it" for name in sorted(tops - IN_SOURCE)]
    return found


def _is_ours(name: str) -> bool:
    top = name.partition("/")[0]
    return top == "retouch" or (top.startswith("retouch-") and top.endswith(".dist-info"))


def stray(names: list[str]) -> list[str]:
    """Return a sentence for each file of a run, test, cache or compiled file among `names`."""
    found: list[str] = []
    for name in names:
        parts = name.split("/")
        if parts[-1] in RUN_FILES or parts[-1].startswith("ledger.db"):
            found.append(f"{name} is a file of a run")
        elif parts[0] == "tests" or "tests" in parts[1:2] or parts[-1].startswith("test_"):
            found.append(f"{name} is a test")
        elif "__pycache__" in parts or parts[-1].endswith((".pyc", ".orig", ".rej", ".swp")):
            found.append(f"{name} is not a source")
        elif parts[0] in {"output", "demo-output", "site", ".site", "dist"}:
            found.append(f"{name} was generated")
    return found


def print_sizes() -> None:
    """Install the wheel with each extra into a fresh environment, and print the size of its packages."""
    wheel = next(DIST.glob("*.whl"))
    data = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    for extra in ["", *data["project"]["optional-dependencies"]]:
        with tempfile.TemporaryDirectory() as place:
            uv, python = str(TOOLS / "uv"), f"{place}/bin/python"
            subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, "--clear", place], check=True)
            wanted = f"retouch[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
            subprocess.run([uv, "pip", "install", "--quiet", "--python", python, wanted], check=True)
            files = [path for path in Path(place).glob("lib/*/site-packages/**/*") if path.is_file()]
            print(f"{extra or 'core'}: {sum(path.stat().st_size for path in files) / 1e6:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
