"""Builds a job from ranked candidates: their order, sources, reasons and evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.locate.evidence import evidence_lines, reasons
from retouch.locate.selection import CandidateSelector, Selection, SelectionPolicy
from retouch.locate.trials import case_id_of, span_hashes
from retouch.recipes.chisel.source import FixJob, SourceText, Suspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.index import SpanIndex
    from retouch.locate.trials import TrialLedger
    from retouch.locate.values import Candidate, Span
    from retouch.recipes.chisel.proofs import Proof

_MOST_MADE = 6
_BUNDLES = {"Bundle", "Record"}
_MOST_NAMESAKES, _MOST_USERS, _MOST_RELATED = 3, 8, 40
ALL_TIERS = SelectionPolicy(explore_below_low=True)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The user's settings besides the diff. `FixJob` describes the fields.

    `policy` and the ledger of trials determine the order of the candidates.
    """

    compile: str
    lec: str = ""
    lec_shows: Proof = "proved"
    inside: str = ""
    together: int = 1
    prompt_tokens: int = 6_000
    asks_each: int = 3
    most: int = 10
    choose: int = 0
    policy: SelectionPolicy = ALL_TIERS


def ordered(
    diff: DiffInfo, candidates: Sequence[Candidate], index: SpanIndex, ledger: TrialLedger, wanted: Wanted
) -> tuple[list[Candidate], Selection]:
    """Return the candidates in the order in which they are tried, and the last selection.

    With an equivalence command, a candidate with a fix that was not proved yet comes first. A success of an unknown
    kind, from an earlier version, may have been compiled only: then its module is the only candidate.
    """
    case_id = case_id_of(diff.unified_diff)
    solved = [one for one in ledger.of_case(case_id) if one.outcome_last == "success"]
    unproved = {one.key[1] for one in solved if one.proof != "proved"}
    first = [one for one in candidates if one.module_id in unproved] if wanted.lec else []
    if unproved and not wanted.lec:
        return [], Selection(candidate=None, reason="already_solved")
    found, last = CandidateSelector(ledger, wanted.policy).in_order(
        [one for one in candidates if one not in first],
        index.commit_hash or "",
        case_id=case_id,
        span_hashes=span_hashes(candidates, index.source),
        most=wanted.most - len(first),
    )
    if last.reason == "already_solved" and any(one.proof == "proved" for one in solved):
        return [], last
    return [*first, *found], last


def fix_job(text: str, diff: DiffInfo, candidates: Sequence[Candidate], index: SpanIndex, wanted: Wanted) -> FixJob:
    """Return the job that applies the diff `text` to one of `candidates`, in their order."""
    hashes = span_hashes(candidates, index.source)
    related = tuple(_related(candidates, index))
    paths = dict.fromkeys(span.file for one in candidates for span in (one.members or (one.span,)))
    paths |= dict.fromkeys(one.file for one in related)
    texts = {path: index.source.read(path).decode("utf-8", "surrogateescape") for path in paths}
    return FixJob(
        case_id=case_id_of(diff.unified_diff),
        module=diff.verilog_module,
        diff=text,
        intent=diff.unified_diff,
        suspects=tuple(_suspect(one, diff, index, hashes, wanted.policy) for one in candidates),
        files=tuple(SourceText(path=path, text=found) for path, found in texts.items()),
        compile=wanted.compile,
        lec=wanted.lec,
        lec_shows=wanted.lec_shows,
        inside=wanted.inside,
        commit=index.commit_hash or "",
        together=wanted.together,
        prompt_tokens=wanted.prompt_tokens,
        asks_each=wanted.asks_each,
        most=wanted.most,
        choose=wanted.choose,
        related=related,
    )


def _related(candidates: Sequence[Candidate], index: SpanIndex) -> Iterator[Suspect]:
    """Yield the definitions that the candidates use, those that use them, and other users of a Bundle that they use.

    Each comes once, those of the first candidate first. A name that many definitions share is ignored: it is weak
    evidence.
    """
    known = {one.module_id for one in candidates}
    users: dict[str, list[Span]] = {}
    for span in index.get_all_modules():
        for name in {*span.parents, *span.makes, *span.refers}:
            users.setdefault(name, []).append(span)
    found: dict[str, tuple[Span, dict[str, float], str]] = {}
    for one in candidates:
        name = one.span.name
        used = [(span, f"{name} uses it") for each in _uses(one.span) for span in _few(index.named(each))]
        using = [(span, f"it uses {name}") for span in _few(users.get(name, []), _MOST_USERS)]
        bundles = [span for span, _ in used if _BUNDLES & set(span.parents)]
        sharing = [
            (span, f"it uses {bundle.name}")
            for bundle in bundles
            for span in _few(users.get(bundle.name, []), _MOST_USERS)
        ]
        for span, why in (*used, *using, *sharing):
            if span.module_id not in known:
                found.setdefault(span.module_id, (span, {}, why))[1][one.module_id] = 1.0
    for module_id, (span, near, why) in list(found.items())[:_MOST_RELATED]:
        regions = tuple((member.start_line, member.end_line) for member in index.members(module_id))
        yield Suspect(
            module_id=module_id,
            file=span.file,
            name=span.qualified,
            kind=span.kind,
            regions=regions or ((span.start_line, span.end_line),),
            why=(why,),
            sources=near,
        )


def _uses(span: Span) -> Iterable[str]:
    return dict.fromkeys((*span.parents, *span.makes, *span.refers))


def _few(spans: Sequence[Span], most: int = _MOST_NAMESAKES) -> Sequence[Span]:
    return spans if len(spans) <= most else ()


def _suspect(
    candidate: Candidate, diff: DiffInfo, index: SpanIndex, hashes: Mapping[str, str], policy: SelectionPolicy
) -> Suspect:
    span = candidate.span
    members = sorted(candidate.members or (span,), key=lambda one: (one != span, one.start_line))
    lines = {line for one in members for line in range(one.start_line, one.end_line + 1)}
    marked = {one.line for one in evidence_lines(candidate, diff, index) if one.file == span.file}
    return Suspect(
        module_id=candidate.module_id,
        file=span.file,
        name=span.qualified,
        kind=span.kind,
        regions=tuple((one.start_line, one.end_line) for one in members),
        evidence=tuple(sorted(marked & lines)),
        why=tuple(reasons(candidate)),
        makes=tuple(_declarations(span, index)),
        tier=policy.tier_of(candidate),
        score=candidate.fused_score,
        probability=candidate.probability,
        sources=dict(candidate.scores),
        span_sha256=hashes.get(candidate.module_id, ""),
    )


def _declarations(span: Span, index: SpanIndex) -> list[str]:
    """Return location and text of the declarations of instantiated modules, limited to a few."""
    made = [one for name in dict.fromkeys(span.makes) for one in index.named(name) if one.kind == "class"]
    places = [(one.file, one.name_line) for one in made if one != span][:_MOST_MADE]
    return [f"{file}:{line}: {index.lines(file)[line - 1].strip()}" for file, line in places]
