"""The command line keeps the promise: the first line, exit statuses, and what is written into a project."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import chdir
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.edits.syntax import GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

REQUEST = 'replace "1" with "2"'
KEYS = ["tier", "name", "passed", "failed", "not_run", "why", "next"]


class Place:
    """A directory with a project, in which commands run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "a.py").write_text("a = 1\n", encoding="utf-8")

    def run(self, *words: str) -> tuple[int, str]:
        """The exit status and standard output of a command."""
        with chdir(self.root):
            done = CliRunner().invoke(command, list(words))
        assert "Traceback" not in done.stderr, done.stderr
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
        return done.exit_code, done.stdout

    def edit(self, *more: str, file: str = "a.py", request: str = REQUEST) -> tuple[int, Any]:
        """The exit status and the JSON of an edit."""
        status, out = self.run("generate", "edit", file, "--request", request, "-o", "run", "--json", *more)
        return status, json.loads(out)

    @property
    def text(self) -> str:
        return (self.root / "a.py").read_text("utf-8")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


WRONG: dict[str, Sequence[str]] = {
    "the second half fails": ["true && false"],
    "it prints ok and fails": ["echo ok; exit 3"],
    "it opens nothing": ["true"],
    "it opens nothing and prints a lot": ["echo 12 passed"],
    "it checks another copy": ["grep -q 1 b.py"],
    "it fails before and after": ["grep -q 3 a.py"],
    "a signal ends it": ["grep -q 1 a.py || kill -9 $$"],
    "it takes too long": ["grep -q 1 a.py || sleep 600", "--check-timeout", "10"],
    "its program is gone": ["grep -q 1 a.py || no-such-program"],
    "it takes the change back": ["echo 'a = 1' > b; mv b a.py; grep -q 1 a.py"],
}


@pytest.mark.slow
@pytest.mark.parametrize("check", WRONG.values(), ids=WRONG.keys())
def test_a_check_that_did_not_pass_on_the_new_code_writes_nothing(place: Place, check: Sequence[str]):
    (place.root / "b.py").write_text("b = 1\n", encoding="utf-8")
    status, found = place.edit("--check", *check)
    assert 1 == status, found
    assert found["status"] in {"issues", "unverified", "exhausted"}
    assert ("a = 1\n", []) == (place.text, found["applied"])
    assert 1 == place.run("validate", "run")[0]
    assert found["status"] == json.loads(place.run("show", "run", "--json")[1])["status"]


def test_an_answer_that_changes_nothing_is_judged_by_the_check(place: Place):
    status, found = place.edit("--check", "false", request='replace "nothing" with "something"')
    assert (1, "issues") == (status, found["status"])
    status, found = place.edit("--check", "grep -q 'a = 1' a.py", "--force", request='replace "x y" with "z"')
    assert (0, "verified", []) == (status, found["status"], found["applied"])


def test_with_strict_nothing_is_written_that_was_not_checked(place: Place):
    status, found = place.edit("--strict")
    assert (1, "unverified", [], "a = 1\n") == (status, found["status"], found["applied"], place.text)
    assert any("--strict" in note for note in found["notes"])
    status, found = place.edit()
    assert (0, "unverified", ["a.py"], "a = 2\n") == (status, found["status"], found["applied"], place.text)


NO_WHEEL = [suffix for suffix, (module, _) in GRAMMARS.items() if find_spec(module) is None]
UNREAD = [("a.zz", "is known"), *((f"a{one}", f"no parser of '{one}' files is installed") for one in NO_WHEEL[:1])]


@pytest.mark.parametrize(("name", "why"), UNREAD)
def test_a_syntax_that_nobody_checked_has_not_passed(place: Place, name: str, why: str):
    (place.root / name).write_text("a = 1\n", encoding="utf-8")
    _, found = place.edit("--check", f"grep -q 'a = ' {name}", file=name)
    (syntax,) = [tier for tier in found["tiers"] if tier["name"] == "syntax"]
    assert ("unverified", 0, 1) == (found["status"], syntax["passed"], syntax["not_run"])
    assert why in syntax["why"]
    assert syntax["next"]


def test_with_no_retries_and_nothing_to_spend_a_failure_is_a_failure(place: Place):
    status, found = place.edit("--check", "grep -q 3 a.py", "--total-retries", "0")
    assert (3, "exhausted", "a = 1\n") == (status, found["status"], place.text)
    assert 3 == place.run("validate", "run")[0]
    assert "exhausted" == json.loads(place.run("show", "run", "--json")[1])["status"]


def test_force_makes_no_check_pass(place: Place):
    status, found = place.edit("--check", "grep -q 3 a.py", "--force")
    assert (1, [], "a = 1\n") == (status, found["applied"], place.text)


def test_a_broken_manual_edit_that_is_adopted_is_an_issue(place: Place):
    place.edit("--no-apply", "--check", "grep -q 'a =' a.py")
    (place.root / "run/files/a.py").write_text("def (:\n", encoding="utf-8")
    for words in (["validate"], ["adopt"], ["validate"], ["assemble"], ["assemble", "--force"]):
        status, out = place.run(words[0], "run", *words[1:], "--json")
        assert (1, "issues") == (status, json.loads(out)["status"]), words
    assert "issues" == json.loads(place.run("show", "run", "--json")[1])["status"]
    assert place.run("resume", "run")[0] != 0
    assert "a = 1\n" == place.text


def test_an_adopted_edit_is_judged_by_the_check_of_the_run(place: Place):
    place.edit("--no-apply", "--check", "grep -q 'a =' a.py")
    (place.root / "run/files/a.py").write_text("a = 3\n", encoding="utf-8")
    status, out = place.run("adopt", "run", "--json")
    assert (0, "verified") == (status, json.loads(out)["status"]), out
    (place.root / "run/files/a.py").write_text("b = 3\n", encoding="utf-8")
    assert (1, "issues") == ((one := place.run("adopt", "run", "--json"))[0], json.loads(one[1])["status"])


def test_files_made_again_in_a_changed_project_are_checked_in_it(place: Place):
    (place.root / "b.py").write_text("b = 1\n", encoding="utf-8")
    assert "verified" == place.edit("--no-apply", "--check", "grep -q b b.py && grep -q a a.py")[1]["status"]
    (place.root / "b.py").unlink()
    for verb in ("validate", "assemble"):
        assert "verified" != json.loads(place.run(verb, "run", "--json")[1])["status"], verb


def test_every_place_that_names_the_status_names_the_reason(place: Place):
    place.edit("--no-apply")
    first = "unverified: no check was given (run: retouch generate edit ... --check COMMAND)"
    for verb in ("validate", "show", "assemble"):
        assert place.run(verb, "run")[1].startswith(first), verb
    page = place.run("report", "run", "--to", "-")[1]
    assert "no check was given" in page
    row = re.sub(r"<[^>]+>", " ", page.partition(" check</th>")[2].partition("</tr>")[0]).split()
    assert ["0", "0", "1", "no"] == row[:4], "passed, failed, not run, and why"
    found = json.loads(place.run("validate", "run", "--json")[1])
    assert ["run", "status", "tiers", "issues", "files"] == list(found)[:5]
    assert [KEYS] * 3 == [list(tier) for tier in found["tiers"]]
    (unit,) = json.loads(place.run("show", "run", "--json")[1])["units"]
    assert {"placing": "passed", "syntax": "passed", "check": "not_run"} == unit["tiers"]


def test_many_runs_say_first_what_was_not_checked(place: Place, project: Path):
    shutil.copy(project / "examples" / "csharp" / "depot.yaml", place.root)
    words = ("generate", "csharp", "depot.yaml", "--all", "-o", "out", "--compiler", "none")
    status, out = place.run(*words)
    assert (0, True) == (status, out.startswith("unverified: not compiled (no compiler was wanted")), out
    status, out = place.run(*words, "--strict", "--json")
    assert (1, "unverified") == (status, json.loads(out)["status"])
    assert all(run["tiers"] for run in json.loads(out)["runs"])
