"""Every attempt of a ledger becomes one object, whoever wrote the ledger, and no secret leaves with it."""

from __future__ import annotations

import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.errors import BrokenFile, DamagedRun, TransportError
from retouch.evaluation.attempts import exported_attempts
from retouch.testing import scripted
from tests.engine.conftest import Scene, refused, wrong_first
from tests.engine.glossary import SYSTEM, Glossary, answer

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "version_1"
KEYS = [
    "run",
    "recipe",
    "seq",
    "unit",
    "page",
    "total_pages",
    "why",
    "model",
    "at",
    "messages",
    "max_output_tokens",
    "temperature",
    "answer_schema",
    "reply",
    "error",
    "seconds",
    "verdict",
]


def exported(folder: Path) -> list[dict[str, Any]]:
    return list(exported_attempts(folder, "glossary"))


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "run")


def test_an_attempt_has_its_messages_its_reply_and_its_verdict(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["saw=SAW"]}))
    found = [one for one in exported(scene.folder) if one["unit"] == "tools"]
    first, repair = found
    assert KEYS == list(first)
    assert {"role": "system", "content": SYSTEM} == first["messages"][0]
    assert ("saw=SAW", "end") == (first["reply"]["text"], first["reply"]["finish"])
    assert (False, False, ["MISSING"]) == (
        first["verdict"]["passed"],
        first["verdict"]["taken"] and repair["verdict"]["taken"] is False,
        [one["code"] for one in first["verdict"]["issues"]],
    )
    assert (True, True) == (repair["verdict"]["passed"], repair["verdict"]["taken"])
    assert "MISSING" in repair["messages"][-1]["content"]


def test_a_call_without_a_reply_has_its_error_and_no_verdict(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): [TransportError("gone")] * 9}))
    failed = next(one for one in exported(scene.folder) if one["unit"] == "tools" and one["reply"] is None)
    assert "gone" in failed["error"]


def test_a_refusal_is_an_attempt_that_did_not_pass(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): [refused()]}))
    found = next(one for one in exported(scene.folder) if one["unit"] == "tools")
    assert ("refused", False) == (found["reply"]["finish"], found["verdict"]["passed"])


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_every_attempt_of_a_run_of_version_1_is_exported(name: str) -> None:
    run = GOLDEN / name
    history = open_run(run).history
    found = exported(run)
    assert list(history.attempts) == [one["seq"] for one in found]
    for one in found:
        attempt = history.attempts[one["seq"]]
        texts = [message.text for message in attempt.request.messages]
        assert texts == [message["content"] for message in one["messages"][1:]]
        assert (attempt.reply.text if attempt.reply else None) == (one["reply"]["text"] if one["reply"] else None)
        checked: list[Any] = one["verdict"]["issues"] if one["verdict"] else []
        assert [issue.code for issue in attempt.issues] == [issue["code"] for issue in checked]


def test_secrets_and_text_that_looks_like_a_key_are_replaced(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "ghp_" + "a1B2" * 9
    scene.source = Glossary(units={"animals": ("hunter2-horse-battery",), "tools": (token,)})
    scene.generate()
    monkeypatch.setenv("MY_PASSWORD", "hunter2-horse-battery")
    written = str(exported(scene.folder))
    assert ["hunter2-horse-battery" in written, token in written] == [False, False]
    assert ["[redacted:MY_PASSWORD]" in written, "[redacted:GitHub token]" in written] == [True, True]


def test_a_damaged_ledger_is_refused(scene: Scene) -> None:
    scene.generate()
    with closing(sqlite3.connect(scene.folder / "ledger.db")) as database, database:
        database.execute("DROP TRIGGER events_stay")
        database.execute("UPDATE events SET data = replace(data, 'CAT', 'COW') WHERE kind = 'text'")
    with pytest.raises(DamagedRun, match=r"ledger\.db"):
        exported(scene.folder)


def test_a_text_that_was_changed_in_a_ledger_without_a_chain_is_noticed(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.db"
    ledger.write_bytes((GOLDEN / "csharp" / "ledger.db").read_bytes())
    with closing(sqlite3.connect(ledger)) as database, database:
        database.execute("DROP TRIGGER events_stay")
        database.execute("UPDATE events SET data = replace(data, 'public', 'private') WHERE kind = 'text'")
    with pytest.raises(BrokenFile, match="a text is missing or was changed"):
        exported(tmp_path)


def test_a_run_without_a_ledger_has_no_attempts(tmp_path: Path) -> None:
    assert [] == exported(tmp_path)


def test_memory_does_not_grow_with_the_texts_of_a_run(scene: Scene) -> None:
    size, units = 60_000, 20
    scene.source = Glossary(units={f"unit{number}": (f"word{number}",) for number in range(units)})
    scene.generate(scripted(lambda request: answer(request.prompt) + f"\nmore={request.prompt.unit * (size // 6)}"))
    tracemalloc.start()
    attempts: Iterator[Any] = exported_attempts(scene.folder, "glossary")
    lengths = sum(len(one["reply"]["text"]) for one in attempts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert units * size < lengths
    assert peak < lengths / 2
