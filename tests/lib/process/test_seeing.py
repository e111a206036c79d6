"""A check that did not see the new code is worth nothing: layouts in which a copy elsewhere is not seen."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import venv
from typing import TYPE_CHECKING, Any

import pytest

from tests.lib.process.machines import NO_NAMESPACES, ask_there
from tests.lib.process.scenes import PYTHON, Bench

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = "def total():\n    return 3\n", "def total():\n    return 4\n"
TEST = "from shop import total\n\n\ndef test_total():\n    assert 3 == total.total()\n"


def machine_named(name: str) -> tuple[str, ...]:
    return NO_NAMESPACES if name == "copy" else ()


def package(root: Path) -> Bench:
    """A package in src layout, installed in editable form into an environment of its own, with pytest."""
    bench = Bench(root, **{"src/shop/__init__.py": "", "src/shop/total.py": OLD, "tests/test_total.py": TEST})
    bench.write({"pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n', ".gitignore": "venv/\n"})
    place = bench.workspace / "venv"
    venv.create(place, with_pip=False)
    (site,) = place.glob("lib/python*/site-packages")
    (site / "__editable__.shop.pth").write_text(f"{bench.workspace}/src\n")
    (site / "tools.pth").write_text(
        f"import site; site.addsitedir({str(next(p for p in sys.path if p.endswith('site-packages')))!r})\n"
    )
    (place / "bin" / "pytest").write_text(f"#!{place}/bin/python\nimport sys, pytest\nsys.exit(pytest.main())\n")
    (place / "bin" / "pytest").chmod(0o755)
    return bench


@pytest.mark.slow
@pytest.mark.parametrize("command", ["venv/bin/pytest -q tests", "venv/bin/python -m pytest -q tests"])
def test_an_editable_install_in_src_layout_is_checked_with_the_new_code(tmp_path: Path, command: str) -> None:
    bench = package(tmp_path)
    assert "passed" == bench.judge(command, texts={"src/shop/total.py": OLD + "# the same\n"}).outcome
    wrong = bench.judge(command, texts={"src/shop/total.py": NEW})
    assert ("failed", "passed", True) == (wrong.outcome, wrong.baseline, wrong.saw_change), wrong


@pytest.mark.slow
@pytest.mark.parametrize("pythonpath", [True, False])
def test_in_a_copy_the_old_code_is_never_taken_for_the_new(open_place: Path, pythonpath: bool) -> None:
    bench = package(open_place)
    command = "venv/bin/pytest -q -p no:cacheprovider tests"
    # With the variable taken away the editable install leads to the old code, which still passes.
    command = command if pythonpath else f"unset PYTHONPATH; {command}"
    verdict = ask_there(NO_NAMESPACES, open_place, command, texts={"src/shop/total.py": NEW})
    expected = ("failed", True) if pythonpath else ("not_run", False)
    assert (*expected, "copy") == (verdict["outcome"], verdict["saw_change"], verdict["where"]), verdict
    assert pythonpath or "--in-place" in verdict["next"]
    assert OLD == (bench.workspace / "src/shop/total.py").read_text()


def test_in_a_copy_old_code_that_is_read_from_a_compiled_file_is_noticed(open_place: Path) -> None:
    bench = package(open_place)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(bench.workspace / "src")], check=True)
    command = "unset PYTHONPATH; venv/bin/python -c 'import shop.total'; cat src/shop/total.py"
    verdict = ask_there(NO_NAMESPACES, open_place, command, texts={"src/shop/total.py": OLD + "# new\n"})
    assert ("not_run", True) == (verdict["outcome"], "opened the old code" in verdict["why"]), verdict


def test_in_a_copy_a_check_that_opens_no_changed_file_is_not_run(open_place: Path) -> None:
    Bench(open_place)
    verdict = ask_there(NO_NAMESPACES, open_place, "true")
    assert ("not_run", True) == (verdict["outcome"], "no changed file was opened" in verdict["why"])


@pytest.mark.slow
@pytest.mark.parametrize("where", ["same path", "copy"])
def test_a_workspace_link_of_npm_leads_to_the_new_code_or_is_not_run(open_place: Path, where: str) -> None:
    if shutil.which("node") is None:
        pytest.skip("needs node (apt install nodejs)")
    bench = Bench(open_place, **{"packages/lib/index.js": "module.exports = 3\n"})
    bench.write({"packages/lib/package.json": '{"name": "lib", "version": "1.0.0"}', ".gitignore": "node_modules\n"})
    (bench.workspace / "node_modules").mkdir()
    (bench.workspace / "node_modules" / "lib").symlink_to("../packages/lib")
    check = "node -e " + shlex.quote("process.exit(require('lib') === 3 ? 0 : 1)")
    machine = machine_named(where)
    verdict = ask_there(machine, open_place, check, texts={"packages/lib/index.js": "module.exports = 4\n"})
    expected = "failed" if where == "same path" else "not_run"
    assert (expected, where) == (verdict["outcome"], verdict["where"]), verdict


def test_an_absolute_path_in_the_command_leads_to_the_new_code(bench: Bench) -> None:
    assert "passed" == bench.judge(f"grep -q new {bench.workspace}/a.txt").outcome


@pytest.mark.slow
def test_bare_pytest_sees_a_flat_layout(tmp_path: Path) -> None:
    test = "import total\n\n\ndef test_total():\n    assert 3 == total.total()\n"
    bench = Bench(tmp_path, **{"total.py": OLD, "test_total.py": test})
    verdict: Any = bench.judge(f"{PYTHON} -m pytest -q -p no:cacheprovider", texts={"total.py": NEW})
    assert ("failed", "passed") == (verdict.outcome, verdict.baseline)
    assert "assert 3 == 4" in verdict.output
