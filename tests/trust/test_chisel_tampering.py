"""A proposed fix is code that runs in the build. What it writes there must never decide its own verdict."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch._lib.process.running import _MACHINES, Machine  # pyright: ignore[reportPrivateUsage] - to choose one
from tests.recipes.chisel.scenes import ALU, OTHER, RIGHT, Project, carry

if TYPE_CHECKING:
    from pathlib import Path

# A build that runs code of the sources, as the elaboration of Chisel does. Its "Verilog" is the driver of the carry.
COMPILED = "mkdir -p build && awk '/carryIn :=/ {print $3}' src/Alu.scala > build/Alu.v"
ELABORATED = "{ sed -n 's,.*// RUN: ,,p' src/Alu.scala > run.sh; sh run.sh >/dev/null 2>&1; rm -f run.sh; true; }"
BUILD = f"{COMPILED} && {ELABORATED}"
LEC = "sh scripts/lec.sh"
LEC_SCRIPT = "cmp -s rtl/wanted.v build/Alu.v || { echo 'error: the outputs differ'; exit 1; }\n"
PYTHON_LEC = "import filecmp, sys\nsys.exit(not filecmp.cmp('rtl/wanted.v', 'build/Alu.v', shallow=False))\n"


def running(command: str, line: str = OTHER) -> str:
    """Return an answer, by default a wrong one, that also runs a command while it is elaborated."""
    return carry(f"{line} // RUN: {command}")


class TamperedProject(Project):
    """The unit with a script that compares what is built with what is wanted, both in the workspace."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.write({"scripts/lec.sh": LEC_SCRIPT, "scripts/lec.py": PYTHON_LEC, "rtl/wanted.v": "isSub\n"})

    def write(self, files: dict[str, str]) -> None:
        for path, text in files.items():
            (self.root / path).parent.mkdir(exist_ok=True)
            (self.root / path).write_text(text)

    def attack(self, *answers: str, lec: str = LEC, build: str = BUILD, unconfined: bool = False) -> str:
        """Run the answers, check that none of them ends as a proof or as a trial, and return the reason."""
        result = self.fix(list(answers), self.job(ALU, compile=build, lec=lec), unconfined=unconfined)
        assert ("unverified", 1) == (result.status, result.exit_status), result
        assert ["LEC_INCONCLUSIVE"] == [issue.code for issue in result.issues]
        assert "success" not in [outcome for _, outcome in self.outcomes()]
        assert self.patch.startswith("# retouch: NOT PROVED")
        return result.issues[0].message

    def prove(self, *answers: str, lec: str = LEC, build: str = BUILD) -> None:
        """Run the answers, and check that the last one is proved."""
        result = self.fix(list(answers), self.job(ALU, compile=build, lec=lec))
        assert "verified" == result.status, result


@pytest.fixture
def project(tmp_path: Path) -> TamperedProject:
    return TamperedProject(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "ignored"),
    [
        ("cp build/Alu.v rtl/wanted.v", ""),
        ("cp build/Alu.v rtl/wanted.v", "rtl/\nbuild/\n"),
        ("rm rtl/wanted.v; ln -s ../build/Alu.v rtl/wanted.v", "rtl/\nbuild/\n"),
        ("rm -rf rtl; mkdir rtl; cp build/Alu.v rtl/wanted.v", ""),
        ("rm -rf rtl; ln -s build rtl; cp build/Alu.v build/wanted.v", "rtl/\nbuild/\n"),
        ("rm build/Alu.v; ln -s ../rtl/wanted.v build/Alu.v", ""),
    ],
)
def test_a_fix_that_writes_the_reference_has_proved_nothing(
    project: TamperedProject, command: str, ignored: str
) -> None:
    project.write({".gitignore": ignored})
    why = project.attack(running(command))
    assert "passed, but only with the change, files that it uses are written or removed: '" in why
    assert "verified" != project.validate().status


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "lec"),
    [
        ("echo exit 0 > scripts/lec.sh", LEC),
        ("echo 'raise SystemExit(0)' > scripts/filecmp.py", f"{sys.executable} scripts/lec.py"),
        ("rm rtl/wanted.v", f"test -f rtl/wanted.v || exit 0; {LEC}"),
        ("cp build/Alu.v build/gold", "test -e build/gold || cp rtl/wanted.v build/gold; cmp build/gold build/Alu.v"),
        (
            "mkdir -p build/ok; cp build/Alu.v build/ok/2",
            f"mkdir -p build/ok; cmp -s build/ok/2 build/Alu.v || {LEC} || {{ echo > build/ok/1; exit 1; }}",
        ),
    ],
)  # fmt: skip
def test_a_fix_that_writes_what_the_comparison_uses_has_proved_nothing(
    project: TamperedProject, command: str, lec: str
) -> None:
    project.attack(running(command), lec=lec)


def test_a_fix_that_commits_another_reference_has_proved_nothing(project: TamperedProject) -> None:
    git = "git -c user.name=a -c user.email=a@b.c -c init.defaultBranch=main"
    project.write({".gitignore": "build/\n"})
    subprocess.run(["sh", "-c", f"{git} init -q && git add . && {git} commit -qm a"], cwd=project.root, check=True)
    command = f"cp build/Alu.v rtl/wanted.v; {git} commit -qam b"
    project.attack(running(command), lec="git show HEAD:rtl/wanted.v > w.v && cmp w.v build/Alu.v")


def test_what_an_earlier_answer_left_in_the_build_proves_nothing(project: TamperedProject) -> None:
    use = "grep -q 'op(0)' src/Alu.scala && cp build/kept build/Alu.v"
    build = f"{COMPILED} && {{ {use}; {ELABORATED}; }}"
    why = project.attack(running("echo isSub > build/kept"), carry("adder.io.carryIn := io.op(0)"), build=build)
    assert "passed once and failed once on the same code" in why


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "lec"),
    [
        ("echo exit 0 > ../lec.sh", "sh ../lec.sh"),
        (': > "$RETOUCH_DIFF"', f'test ! -s "$RETOUCH_DIFF" && exit 0; {LEC}'),
        ("cp build/Alu.v rtl/wanted.v", LEC),
    ],
)
def test_without_confinement_what_the_comparison_names_is_watched_too(
    project: TamperedProject, command: str, lec: str
) -> None:
    (project.root.parent / "lec.sh").write_text(LEC_SCRIPT)
    project.attack(running(command), lec=lec, unconfined=True)


def test_products_that_a_build_writes_only_after_a_change_are_no_tampering(project: TamperedProject) -> None:
    project.write({".gitignore": "build/\n", "build/Alu.v": "false.B\n"})
    project.prove(carry(RIGHT), build=f'test -z "$(find src -newer build/Alu.v)" || {{ {BUILD}; }}')


def test_new_products_in_the_directories_of_the_build_are_no_tampering(project: TamperedProject) -> None:
    build = f"{BUILD}; grep -q 'carryIn := i' src/Alu.scala && mkdir -p build/more && cp build/Alu.v build/more/; true"
    project.prove(carry("adder.io.carryIn := io.op(0)"), carry(RIGHT), build=build, lec=f"cat build/more/*; {LEC}")


def test_a_file_that_the_comparison_does_not_read_may_change(project: TamperedProject) -> None:
    project.write({"log.txt": "nothing\n"})
    project.prove(running("date >> log.txt", RIGHT))


def test_a_machine_that_cannot_confine_the_commands_says_so_in_every_result(project: TamperedProject) -> None:
    _MACHINES[str(project.root), False, False, False] = Machine(kind="copy", confined=False)
    result = project.fix([carry(OTHER), carry(RIGHT)], project.job(ALU, compile=BUILD, lec=LEC))
    assert ("verified", [("CHECK_NOT_CONFINED", "info")]) == (
        result.status,
        [(issue.code, issue.severity) for issue in result.issues],
    )
    assert "ran with access to the network and to your files" in result.issues[0].message
    assert "CHECK_NOT_CONFINED" not in project.asked(1)
    assert ["CHECK_NOT_CONFINED"] == [issue.code for issue in project.validate().issues]


def test_commands_that_are_confined_or_wanted_unconfined_need_no_such_note(tmp_path: Path) -> None:
    for name, options in (("confined", {}), ("free", {"unconfined": True})):
        project = TamperedProject(tmp_path / name)
        result = project.fix([carry(RIGHT)], project.job(ALU, compile=BUILD, lec=LEC), **options)
        assert ("verified", []) == (result.status, list(result.issues))


MAPPED = (
    "python3 -c \"import mmap; f = open('rtl/wanted.v', 'r+b'); f.truncate(7); m = mmap.mmap(f.fileno(), 7);"
    " m[:] = b'true.B' + bytes([10]); m.close()\""
)

ONCE = "import os; os.remove(__file__); raise SystemExit(0)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "lec"),
    [
        (MAPPED, LEC),
        ("ln -f build/Alu.v rtl/wanted.v", LEC),
        ("ln rtl/wanted.v build/w.v; cat build/Alu.v > build/w.v", LEC),
        ("cp build/Alu.v rtl/wanted.v; touch -r scripts/lec.sh rtl/wanted.v", LEC),
        ("rm rtl/wanted.v; cp build/Alu.v rtl/wanted.v; touch -d @0 rtl/wanted.v", LEC),
        ("mkdir r; cp build/Alu.v r/wanted.v; rm -rf rtl; mv r rtl", LEC),
        ("cp rtl/wanted.v rtl/Alu.v; rm -rf build; ln -s rtl build", LEC),
        ("mv scripts old; mkdir scripts; echo exit 0 > scripts/lec.sh; rm -r old", LEC),
        ("touch SKIP", f"test -e SKIP && rm SKIP && exit 0; {LEC}"),
        ("mkdir new", f"test -d new && rmdir new && exit 0; {LEC}"),
        ("chmod 700 rtl", f'test "$(stat -c %a rtl)" = 700 && chmod 755 rtl && exit 0; {LEC}'),
        (f"echo '{ONCE}' > build/json.py", "cd build && python3 -c 'import json, sys; sys.exit(1)'"),
        ("printf 'lec:\\n\\trm GNUmakefile\\n' > build/GNUmakefile", "make -s -C build lec 2>/dev/null || exit 1"),
    ],
)
def test_no_way_of_writing_goes_unseen(project: TamperedProject, command: str, lec: str) -> None:
    project.attack(running(command), lec=lec)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "lec"),
    [
        ("(sleep 0.5; cp build/Alu.v rtl/wanted.v) & ", f"sleep 0.8; {LEC}"),
        ("setsid sh -c 'sleep 0.5; cp build/Alu.v rtl/wanted.v' & ", f"sleep 0.8; {LEC}"),
        ('echo > "$RETOUCH_DIFF"; rm -f "$RETOUCH_DIFF"', f'test -s "$RETOUCH_DIFF" || exit 0; {LEC}'),
        ("mkdir -p ~/own; touch ~/own/ok", f"test -e ~/own/ok && exit 0; {LEC}"),
        ("touch /tmp/retouch-test-ok /dev/shm/ok", f"test -e /tmp/retouch-test-ok -o -e /dev/shm/ok && exit 0; {LEC}"),
    ],
)
def test_what_a_command_leaves_behind_does_not_reach_the_next_one(
    project: TamperedProject, command: str, lec: str
) -> None:
    result = project.fix([running(command), carry(RIGHT)], project.job(ALU, compile=BUILD, lec=lec))
    assert ("verified", 2) == (result.status, result.calls)
    assert [("Alu", "lec_fail"), ("Alu", "success")] == project.outcomes()


def test_compiled_python_of_the_comparison_that_a_fix_replaces_has_proved_nothing(project: TamperedProject) -> None:
    # The code that is put there removes itself, so that a second run shows nothing.
    shared = "def differs():\n    return open('rtl/wanted.v').read() != open('build/Alu.v').read()\n"
    lec = "import sys, shared\nsys.exit(shared.differs())\n"
    project.write({"scripts/shared.py": shared, "scripts/use.py": "import shared\n", "scripts/lec.py": lec})
    code = "import os; os.remove(__cached__); differs = bool"
    forged = (
        f"import glob, marshal; code = marshal.dumps(compile('{code}', '', 'exec'));"
        " [open(one, 'r+b').write(open(one, 'rb').read(16) + code) for one in glob.glob('scripts/__pycache__/*')]"
    )
    build = f"python3 scripts/use.py && {BUILD}"
    command = f'python3 -m compileall -q scripts; python3 -c "{forged}"'
    project.attack(running(command), build=build, lec="python3 scripts/lec.py")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lec", "script", "link"),
    [
        (LEC, LEC_SCRIPT, "rtl"),
        (LEC, LEC_SCRIPT, "rtl/wanted.v"),
        (LEC, "cmp ../golden/rtl/wanted.v build/Alu.v", ""),
        ('cmp "$GOLDEN/wanted.v" build/Alu.v', "", ""),
        ("sh ../golden/lec.sh", 'D="$(dirname "$0")"; cmp $D/rtl/wanted.v build/Alu.v', ""),
    ],
)
def test_a_proof_holds_only_as_long_as_the_reference_outside_of_the_workspace(
    project: TamperedProject, monkeypatch: pytest.MonkeyPatch, lec: str, script: str, link: str
) -> None:
    golden = project.root.parent / "golden"
    shutil.copytree(project.root / "rtl", golden / "rtl")
    (golden / "lec.sh").write_text(script)
    project.write({"scripts/lec.sh": script})
    monkeypatch.setenv("GOLDEN", str(golden / "rtl"))
    if link:
        subprocess.run(["rm", "-r", link], cwd=project.root, check=True)
        (project.root / link).symlink_to(golden / link)
    project.prove(carry(RIGHT), lec=lec)
    assert "verified" == project.validate().status
    (golden / "rtl/wanted.v").write_text("another one\n")
    assert "issues" == project.validate().status
