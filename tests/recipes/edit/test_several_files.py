"""Several files in one session: outlines, files that the model asks to see, and further files that it may change."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.verbs import validate
from retouch.errors import BadInput
from retouch.recipes.edit import recipe
from tests.recipes.edit.scenes import LARGE, SMALL, Project, change, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import Request

USE = "from small import load\n\nprint(load('use.py'))\n"
RENAMED = SMALL.replace("load", "read")


def repeat(text: str) -> Callable[[Request], str]:
    """Return a script that gives the same answer to every request."""
    return lambda _request: text


def touched(project: Project, path: str) -> str:
    """Return the new text of a file that was not named."""
    return (project.run / "touched" / path).read_text(encoding="utf-8")


def in_file(path: str, find: str, replace: str) -> str:
    return f"FILE: {path}\n" + change(find, replace)


@pytest.fixture
def caller(project: Project) -> Project:
    """The project with a file that calls a function of another one."""
    (project.root / "use.py").write_text(USE, encoding="utf-8")
    return project


RENAME = change("def load(path):", "def read(path):") + in_file(
    "use.py", "from small import load", "from small import read"
)


def test_a_prompt_outlines_the_other_files(caller: Project) -> None:
    caller.edit("small.py", answers=["NO CHANGES NEEDED"], may_touch=("use.py", "large.py"))
    prompt = caller.model.requests[0].messages[0].text
    assert "OTHER FILES THAT YOU MAY CHANGE:\n- large.py, 800 lines: step_0 (1), step_1 (5)," in prompt
    assert "140 more\n- use.py, 3 lines\n" in prompt
    assert "print(load" not in prompt


def test_a_file_that_the_model_asks_for_is_shown_without_a_correction(caller: Project) -> None:
    answers = ["SHOW FILE: use.py\n", whole(RENAMED)]
    result = caller.edit("small.py", "use.py", answers=_of_small(answers), request="rename load to read")
    assert ("unverified", RENAMED) == (result.status, caller.new("small.py"))
    turn = [r for r in caller.model.requests if r.prompt.unit == "small.py"][1].messages
    assert 1 == len(turn)
    assert f"THE FILE THAT YOU ASKED FOR: use.py\n\n```\n{USE}```" in turn[0].text
    assert "CORRECTION" not in turn[0].text


def _of_small(answers: list[str]) -> Callable[[Request], str]:
    def answer(request: Request) -> str:
        return answers.pop(0) if request.prompt.unit == "small.py" else "NO CHANGES NEEDED"

    return answer


def test_a_file_that_was_shown_stays_in_later_corrections(caller: Project) -> None:
    wrong = change("def lod(path):", "def read(path):")
    right = change("def load(path):", "def read(path):")
    answers = ["SHOW FILE: use.py\n", right.replace("```", "~~~~") + wrong, "DROP EDIT 2\n"]
    result = caller.edit("small.py", answers=answers, request="rename load to read", may_touch=("use.py",))
    assert ("unverified", 3, RENAMED) == (result.status, result.calls, caller.new("small.py"))
    assert "print(load('use.py'))" in caller.asked(2)


def test_a_file_that_is_not_there_is_not_shown_and_asking_twice_is_corrected(caller: Project) -> None:
    answers = ["SHOW FILE: ../secret\n", "SHOW FILE: ../secret\n", whole(RENAMED)]
    result = caller.edit("small.py", answers=answers, request="rename load to read", may_touch=("use.py",))
    assert ("unverified", 3) == (result.status, result.calls)
    assert "There is no file of this name here." in caller.asked(1)
    assert "CORRECTION REQUIRED" in caller.asked(2)


def test_further_files_may_be_changed_if_the_user_allows_it(caller: Project) -> None:
    check = "python3 -c 'import small; small.read(\"use.py\")' && ! grep -q 'import load' use.py"
    result = caller.edit("small.py", answers=[RENAME], request="rename load to read", may_touch=("*.py",), check=check)
    assert "verified" == result.status
    assert ("files/small.py", "touched/use.py", "changes.diff") == result.files
    assert USE.replace("import load", "import read") == touched(caller, "use.py")
    again = asyncio.run(validate(recipe, caller.run, options=RunOptions(workspace=str(caller.root))))
    assert "verified" == again.status


@pytest.mark.parametrize("may_touch", [(), ("large.py",)])
def test_other_files_are_refused(caller: Project, may_touch: tuple[str, ...]) -> None:
    result = caller.edit("small.py", answers=repeat(RENAME), request="rename load to read", may_touch=may_touch)
    assert "exhausted" == result.status
    assert not (caller.run / "files").exists()


def test_a_new_file_may_be_created_where_the_user_allows_it(caller: Project) -> None:
    answer = change("def load(path):", "def load(path: str):") + "FILE: lib/new.py\n" + change("", "X = 1")
    result = caller.edit("small.py", answers=[answer], may_touch=("lib/",))
    assert ("unverified", "X = 1\n") == (result.status, touched(caller, "lib/new.py"))


def test_the_guard_and_the_syntax_check_cover_further_files(caller: Project) -> None:
    gone = change("def load(path):", "def load(path: str):") + in_file(
        "large.py", "def step_0(value):\n    return value + 0", ""
    )
    result = caller.edit("small.py", answers=[gone], may_touch=("large.py",))
    assert ("issues", ["REMOVED"]) == (result.status, [issue.code for issue in result.issues])
    assert "'step_0'" in result.issues[0].message
    broken = change("def load(path):", "def load(path: str):") + in_file("use.py", "print(load('use.py'))", "print((")
    again = Project.__new__(Project)
    again.root, again.run = caller.root, caller.run.parent / "other"
    result = again.edit("small.py", answers=repeat(broken), may_touch=("use.py",))
    assert "SYNTAX_ERROR" in [issue.code for issue in result.issues]


def test_two_answers_that_change_a_third_file_differently_are_an_issue(caller: Project) -> None:
    def answer(request: Request) -> str:
        own = "def load(path):" if request.prompt.unit == "small.py" else "def step_0(value):"
        return change(own, f"{own}  # changed") + in_file(
            "use.py", "from small", f"# {request.prompt.unit}\nfrom small"
        )

    result = caller.edit("small.py", "large.py", answers=answer, may_touch=("use.py",))
    assert "CONFLICT" in [issue.code for issue in result.issues]
    assert result.status in {"issues", "exhausted"}


def test_too_many_files_are_refused_before_a_call(caller: Project) -> None:
    for number in range(201):
        (caller.root / f"n{number}.txt").write_text("x\n", encoding="utf-8")
    with pytest.raises(BadInput, match="matches 201 files"):
        caller.edit("small.py", answers=[], may_touch=("*.txt",))


def test_ignored_and_binary_files_are_not_among_the_others(caller: Project) -> None:
    (caller.root / ".gitignore").write_text("use.py\n", encoding="utf-8")
    (caller.root / "b.py").write_bytes(b"\0")
    caller.edit("small.py", answers=["NO CHANGES NEEDED"], may_touch=("*.py",))
    prompt = caller.model.requests[0].messages[0].text
    assert ("large.py" in prompt, "use.py" in prompt, "b.py" in prompt) == (True, False, False)
    assert LARGE not in prompt


@pytest.mark.parametrize("text", ["x = (\n", "print('other')\n", None])
def test_a_further_file_that_was_changed_or_deleted_after_the_check_is_not_verified(
    caller: Project, text: str | None
) -> None:
    check = "cat use.py small.py"
    result = caller.edit("small.py", answers=[RENAME], request="rename load to read", may_touch=("*.py",), check=check)
    assert "verified" == result.status
    file = caller.run / "touched" / "use.py"
    file.write_text(text, encoding="utf-8") if text is not None else file.unlink()
    again = asyncio.run(validate(recipe, caller.run, options=RunOptions(workspace=str(caller.root))))
    assert "verified" != again.status


def blamed(project: Project, check: str, answers: Callable[[Request], str]) -> list[str]:
    """Return the files that were requested after the first answers, in order."""
    files = ("app.py", "test_app.py", "b/__init__.py", "c/__init__.py")
    for path in files:
        (project.root / path).parent.mkdir(exist_ok=True)
        (project.root / path).write_text("x = 1\n", encoding="utf-8")
    result = project.edit(*files, answers=answers, check=check)
    assert "verified" == result.status
    return [request.prompt.unit for request in project.model.requests[len(files) :]]


def test_only_the_files_that_the_output_of_the_check_names_are_requested_again(project: Project) -> None:
    def answer(request: Request) -> str:
        text = "x = 3\n" if "CHECK_FAILED" in request.messages[-1].text else "x = 2\n"
        return whole(text)

    named = "echo tests/../test_app.py:1 ./c/__init__.py:1"
    two = f"if grep -q 2 test_app.py c/__init__.py; then {named}; exit 1; fi; cat app.py"
    assert ["test_app.py", "c/__init__.py"] == blamed(project, two, answer)


def test_a_file_that_should_have_changed_is_requested_again_if_the_check_names_it(project: Project) -> None:
    def answer(request: Request) -> str:
        first = request.prompt.unit == "app.py" and "CHECK_FAILED" not in request.messages[-1].text
        return "NO CHANGES NEEDED" if first else whole("x = 2\n")

    assert ["app.py"] == blamed(project, "! grep -n 1 app.py test_app.py b/__init__.py", answer)
