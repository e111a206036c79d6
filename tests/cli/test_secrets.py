"""Canaries in every channel: none is in a file of the run, in what is printed, in the report, or in a request."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from retouch.testing import model_server, scripted, status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from click.testing import Result

    from retouch.testing import ModelServer
    from tests.cli.conftest import RetouchProcess

KEY = "canary-Pr0vider-Key-0001"
TOKEN = "canaryT0kenOfTheUser0002"
SECRETS = {"MY_TOKEN": TOKEN}
LOOKS_LIKE_ONE = "ghp_" + "c4Na" * 9
CANARIES = [KEY, TOKEN]
CHECK = (
    "import os, sys\nprint('key', os.environ['ANTHROPIC_API_KEY'], os.environ['MY_TOKEN'], 'gh' + 'p_' + 'c4Na' * 9)\n"
)
SOURCE = f'TOKEN = "{TOKEN}"\n\n\ndef load(path):\n    return path\n'
MODEL = ("--model", "anthropic:claude-haiku-4-5?tries=3")


def bytes_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each file below a directory, the ledger's log among them, with its bytes."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.name, path.read_bytes()


def holding(folder: Path, text: str) -> list[str]:
    return [name for name, data in bytes_below(folder) if text.encode() in data]


def expect_no_canary(*places: object) -> None:
    for place in places:
        text = place if isinstance(place, str) else json.dumps(place)
        assert [] == [canary for canary in CANARIES if canary in text], text


@pytest.fixture
def folder(work_folder: Path) -> Path:
    """A project whose source holds a secret of the environment, with a check that prints two and fails at first."""
    (work_folder / "app.py").write_text(SOURCE)
    (work_folder / "check.py").write_text(CHECK + "sys.exit('save' in open('app.py').read())\n")
    return work_folder


def answer_with(*names: str) -> Any:
    """A model that answers with the whole file, the function renamed, its own canaries in a comment."""
    left = list(names)

    def answer(_request: Any) -> str:
        name = left.pop(0) if len(left) > 1 else left[0]
        return f'```python\n# {KEY}\nTOKEN = "[redacted:MY_TOKEN]"\n\n\ndef {name}(path):\n    return path\n```\n'

    return scripted(answer)


def edit(process: RetouchProcess, server: ModelServer, *words: str) -> Any:
    environment = {**server.environment, **SECRETS, "ANTHROPIC_API_KEY": KEY}
    check = f"{sys.executable} check.py"
    given = ("generate", "edit", "app.py", "--request", f"rename load ({TOKEN})", "--check", check, "-o", "run", *MODEL)
    shared = ("--check-env", "ANTHROPIC_API_KEY", "--check-env", "MY_TOKEN")  # else the check does not see them
    return process(*given, *shared, *words, **environment)


@pytest.mark.slow
def test_no_channel_carries_a_secret_of_the_environment_anywhere(folder: Path, retouch_process: RetouchProcess) -> None:
    said = f"you sent {KEY}, and {LOOKS_LIKE_ONE}"
    with model_server(answer_with("save", "read"), api_key=KEY, faults=[status(529, message=said)]) as server:
        done = edit(retouch_process, server)
        sent = [call.body for call in server.calls]
        environment = {**server.environment, **SECRETS, "ANTHROPIC_API_KEY": KEY}
        shown = [
            retouch_process(*words, **environment)
            for words in (
                ("show", "run", "--attempts", "--cost"),
                ("show", "run", "--attempts", "--cost", "--json"),
                ("validate", "run", "--json"),
                ("report", "run"),
                ("report", "run", "-o", "-"),
            )
        ]
    assert (0, 3) == (done.returncode, len(sent)), done.stderr
    expect_no_canary(done.stdout, done.stderr, sent, *(one.stdout + one.stderr for one in shown))
    assert [] == [one.args for one in shown if one.returncode]
    for canary in CANARIES:
        assert [] == holding(folder / "run", canary)
    for words in ("report.html", "ledger.db", "prompts.json"):
        assert b"[redacted:MY_TOKEN]" in (folder / "run" / words).read_bytes()
    correction = json.dumps(sent[-1])
    assert "key [redacted:ANTHROPIC_API_KEY] [redacted:MY_TOKEN]" in correction
    assert ("[redacted:GitHub token]" in correction, LOOKS_LIKE_ONE in correction) == (True, False)
    written = (folder / "app.py").read_text()
    assert SOURCE.replace("load", "read") == written.partition("\n")[2]  # the user's own secret is where it was
    assert written.startswith("# [redacted:ANTHROPIC_API_KEY]\n")


@pytest.mark.slow
def test_the_ledger_says_which_secrets_were_replaced_and_where(folder: Path, retouch_process: RetouchProcess) -> None:
    from retouch.engine.directory import open_run

    with model_server(answer_with("read"), api_key=KEY) as server:
        assert 0 == edit(retouch_process, server).returncode
    notes = [note.data for note in open_run(folder / "run").history.notes if note.kind == "redacted"]
    assert {"kind": "reply", "names": ["ANTHROPIC_API_KEY"]} in notes


@pytest.mark.slow
def test_a_refusal_of_the_provider_that_repeats_the_key_is_told_without_it(
    folder: Path, retouch_process: RetouchProcess
) -> None:
    with model_server(
        answer_with("read"), faults=[status(400, message=f"bad {KEY} {LOOKS_LIKE_ONE} {TOKEN}")]
    ) as server:
        done = edit(retouch_process, server)
    assert 2 == done.returncode
    assert "bad *** [redacted:GitHub token] ***" in done.stderr
    expect_no_canary(done.stdout, done.stderr)
    assert [] == [name for canary in (*CANARIES, LOOKS_LIKE_ONE) for name in holding(folder / "run", canary)]


def test_a_traceback_is_printed_without_secrets(folder: Path, retouch_process: RetouchProcess) -> None:
    done = retouch_process("show", f"no-{TOKEN}", RETOUCH_DEBUG="1", **SECRETS)
    assert (2, True) == (done.returncode, "Traceback" in done.stderr and "no-[redacted:MY_TOKEN]" in done.stderr)
    expect_no_canary(done.stdout, done.stderr)
    assert folder.exists()


def test_the_wizard_neither_shows_nor_keeps_a_secret(work_folder: Path, retouch_process: RetouchProcess) -> None:
    paths = [f"/a/m_{number:03}/{TOKEN}/x.csv" for number in (1, 2)]
    done = retouch_process(
        "wizard", *paths, "--no-tui", "--run", "run", "--show-sent", HOME=str(work_folder), **SECRETS
    )
    expect_no_canary(done.stdout, done.stderr)
    assert ([], 0) == (holding(work_folder, TOKEN), done.returncode), done.stderr  # the draft is below HOME


def test_what_looks_like_a_key_is_reported_and_not_changed(work_folder: Path, retouch: Callable[..., Result]) -> None:
    (work_folder / "app.py").write_text(f'KEY = "{LOOKS_LIKE_ONE}"\nload = 1\n')
    done = retouch("generate", "edit", "app.py", "--request", "rename load to read", "-o", "run", "--json")
    found = [
        (one["severity"], one["code"], one["message"].split()[4], one["line"])
        for one in json.loads(done.stdout)["issues"]
    ]
    assert [("warning", "SECRET_IN_TEXT", "prompt", None), ("warning", "SECRET_IN_TEXT", "answer", 2)] == found
    assert (0, f'KEY = "{LOOKS_LIKE_ONE}"\nread = 1\n') == (done.exit_code, (work_folder / "app.py").read_text())
    assert LOOKS_LIKE_ONE in (work_folder / "run" / "prompts.json").read_text()
    for words in (("show", "run"), ("show", "run", "--json"), ("report", "run", "-o", "-")):
        shown = retouch(*words).output
        assert (False, True) == (LOOKS_LIKE_ONE in shown, "SECRET_IN_TEXT" in shown), words


@pytest.mark.slow
def test_a_run_is_valid_where_the_secret_is_not_known(folder: Path, retouch_process: RetouchProcess) -> None:
    with model_server(answer_with("read"), api_key=KEY) as server:
        assert 0 == edit(retouch_process, server, "--no-apply").returncode
        environment = {**server.environment, "ANTHROPIC_API_KEY": KEY, "MY_TOKEN": "x"}
        done = retouch_process("validate", "run", **environment)
    assert (0, 1, SOURCE) == (done.returncode, len(server.calls), (folder / "app.py").read_text()), done.stderr
