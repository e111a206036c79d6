"""Whole replies as data: ours beside this file, and the development half of the public corpus when it is there."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from retouch.edits import EditResult, apply_reply

if TYPE_CHECKING:
    from collections.abc import Iterator

Case = dict[str, Any]
OWN = Path(__file__).parent / "data" / "cases.jsonl"


def read_cases(path: Path) -> list[Case]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("case", read_cases(OWN), ids=lambda case: case["id"])
def test_our_own_cases_come_out_as_written(case: Case):
    result = apply_reply(case["reply"], case["files"], target=case["target"], stop_reason=case["stop_reason"])
    assert case["error"] == result.error, result.issues
    assert (case["after"] or {}) == dict(result.files)
    if case["tiers"]:
        assert case["tiers"] == [edit.tier for edit in result.edits]


def blob(folder: Path, name: str) -> str | None:
    path = folder / "blobs" / f"{name}.gz"
    return gzip.decompress(path.read_bytes()).decode("utf-8", "surrogatepass") if path.exists() else None


def texts(folder: Path, value: dict[str, Any]) -> dict[str, str | None] | None:
    """The texts of a case's field; None when one of them is not on this machine."""
    found: dict[str, str | None] = {}
    for path, text in value.items():
        if isinstance(text, dict):
            found[path] = blob(folder, str(cast("Case", text)["blob"]))
            if found[path] is None:
                return None
        else:
            found[path] = text
    return found


def corpus(folder: Path) -> Iterator[tuple[Case, dict[str, str], dict[str, str | None]]]:
    """The cases of the corpus whose texts are here: with the files before, and those expected when applied."""
    for path in sorted(folder.glob("*.jsonl")):
        for case in read_cases(path):
            if "files" not in case:
                continue  # made from history: benchmarks/edits_corpus.py runs those
            wanted = case.get("after") if case["outcome"] != "refused" else case.get("after_if_applied")
            before, after = texts(folder, case["files"]), texts(folder, wanted or {})
            if before is not None and after is not None:
                yield case, {name: text for name, text in before.items() if text is not None}, after


def verdict(case: Case, before: dict[str, str], after: dict[str, str | None], result: EditResult) -> str:
    """The pass rule of the corpus: an outcome that it accepts, and when applied exactly the expected texts."""
    if result.outcome not in case["acceptable"]:
        return f"{result.outcome}, but it must be {' or '.join(case['acceptable'])}"
    if result.outcome == "refused":
        return "" if not result.files else "refused, but with files"
    if {**before, **result.files} != {**before, **after}:
        return "WRONG"
    return ""


def test_every_case_of_the_public_corpus_passes(shared_data: Path):
    failed: dict[str, str] = {}
    count = 0
    for case, before, after in corpus(shared_data / "edits"):
        count += 1
        result = apply_reply(case["response"], before, target=case["target"], stop_reason=case["stop_reason"])
        wrong = verdict(case, before, after, result)
        if wrong:
            failed[case["id"]] = wrong
    assert {} == failed
    assert count >= 153


def test_refusals_of_the_public_corpus_have_its_codes(shared_data: Path):
    other: dict[str, tuple[str, str | None]] = {}
    for case, before, _ in corpus(shared_data / "edits"):
        if case["outcome"] != "refused" or not case.get("error"):
            continue
        result = apply_reply(case["response"], before, target=case["target"], stop_reason=case["stop_reason"])
        if result.outcome == "refused" and result.error != case["error"]:
            other[case["id"]] = (case["error"], result.error)
    assert {} == other
