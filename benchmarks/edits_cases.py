"""Cases of the public edit corpus, and of git history, for the edit benchmarks."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "data" / "edits"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One reply, the files before it, and its acceptable results."""

    name: str
    group: str  # "corpus", or for history "recoverable", "either" or "must refuse"
    kind: str
    reply: str
    markers: str  # the same edits as SEARCH blocks, or the reply if it has that form
    edits: list[dict[str, str]] | None
    before: dict[str, str]
    after: dict[str, str | None] | None  # None: there is no correct result
    target: str | None
    stop_reason: str | None
    may_apply: bool
    may_refuse: bool


def cases(folder: Path) -> Iterator[Case]:
    """Return the cases of the directory's files whose texts exist. Its two Python files locate the texts."""
    sys.path.insert(0, str(folder))
    for name in ("corpus_lib", "make_history_corpus"):
        sys.modules.pop(name, None)
    library: Any = importlib.import_module("corpus_lib")
    maker: Any = importlib.import_module("make_history_corpus")
    for path in sorted(folder.glob("*.jsonl")):
        for case in library.load(str(path)):
            yield _from_history(case, library, maker) if "before_blob" in case else _from_corpus(case, library)


def _from_history(case: Mapping[str, Any], library: Any, maker: Any) -> Case:
    before, after = maker.case_texts(case)
    path, kind = str(case["path"]), str(case["kind"])
    groups = {**dict.fromkeys(maker.APPLIED, "recoverable"), **dict.fromkeys(maker.EITHER, "either")}
    return Case(
        name=str(case["id"]),
        group=groups.get(kind, "must refuse"),
        kind=kind,
        reply=library.render_change(case["edits"]),
        markers=library.render_sr([{**edit, "path": path} for edit in case["edits"]]),
        edits=case["edits"],
        before={path: before},
        after=None if after is None or case["outcome"] == "refused" else {path: after},
        target=path,
        stop_reason=case["stop_reason"],
        may_apply="applied" in case["acceptable"],
        may_refuse="refused" in case["acceptable"],
    )


def _from_corpus(case: Mapping[str, Any], library: Any) -> Case:
    after = case.get("after") if case["outcome"] != "refused" else case.get("after_if_applied")
    edits = case.get("edits")
    as_markers = case["format"] == "search_replace" or not edits
    return Case(
        name=str(case["id"]),
        group="corpus",
        kind=str(case["format"]),
        reply=case["response"],
        markers=case["response"] if as_markers else library.render_sr(_with_paths(case)),
        edits=edits,
        before={path: text for path, text in case["files"].items() if text is not None},
        after=after,
        target=case["target"],
        stop_reason=case["stop_reason"],
        may_apply="applied" in case["acceptable"],
        may_refuse="refused" in case["acceptable"],
    )


def _with_paths(case: Mapping[str, Any]) -> list[dict[str, str]]:
    return [{"path": case["target"] or "", **edit} for edit in case["edits"]]


@dataclass(frozen=True, kw_only=True)
class Came:
    """An engine's result for a case: whether it was applied, and the files afterwards."""

    applied: bool
    files: Mapping[str, str | None]
    ms: float


def verdict(case: Case, came: Came) -> str:
    """Return correct, near (only blanks or line ends differ), refused, partial (written, then an error) or WRONG."""
    now = {path: text for path, text in {**case.before, **came.files}.items() if text is not None}
    if not came.applied:
        return "refused" if now == case.before else "partial"
    if case.after is None:
        return "WRONG"
    wanted = {path: text for path, text in {**case.before, **case.after}.items() if text is not None}
    if now == wanted:
        return "correct"
    squashed = [{path: "".join(text.split()) for path, text in files.items()} for files in (now, wanted)]
    return "near" if squashed[0] == squashed[1] else "WRONG"


def passes(case: Case, came: Came) -> bool:
    """Return whether a result passes by the corpus's own rule: an acceptable outcome and, if applied, exactly the right
    bytes.
    """
    said = verdict(case, came)
    return (said == "correct" and case.may_apply) or (said == "refused" and case.may_refuse)
