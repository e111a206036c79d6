"""Reads the answers of one type: the accepted proposals, the code with them, and issues about the other ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Tier
from retouch.errors import Invalid
from retouch.recipes.csharp.asking.paging import type_named
from retouch.recipes.csharp.checking.answers import read as read_code
from retouch.recipes.csharp.meaning.applying import code_of, documentation_apart, with_meaning, without_documentation
from retouch.recipes.csharp.meaning.checks import decided, settled_proposals, subject_of
from retouch.recipes.csharp.meaning.edits import edit_in, read_edit
from retouch.recipes.csharp.meaning.proposals import proposals_in
from retouch.recipes.csharp.writing.code import CsCode, Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.csharp.ir import CsType, Endpoint, MeaningProposal
    from retouch.recipes.csharp.meaning.checks import AskedType, ProposalVerdict

PROPOSAL = "PROPOSAL"
DROPPED = "PROPOSAL_DROPPED"
UNSAFE = "PROPOSAL_UNSAFE"
_ALL = 1_000_000  # members on a page


def read_meaning(endpoint: Endpoint, unit: str, pages: Sequence[str]) -> Read[CsCode]:
    """Return the code of the type `unit` with the accepted proposals of its pages, and the issues of tiers 1 and 2.

    The code is parsed and compared with the document like an answer of a model. A manual edit (`sealed_edit`) is read
    as the code of its type. C# that a model wrote is no answer.
    """
    type_ = type_named(endpoint, unit)
    edit = edit_in(pages[0]) if len(pages) == 1 else None
    if edit is not None:
        return read_edit(endpoint, type_, edit)
    subject = subject_of(endpoint, type_)
    answers: list[list[MeaningProposal]] = []
    broken: list[Issue] = []
    for number, page in enumerate(pages, 1):
        try:
            answers.append(proposals_in(page))
        except Invalid as invalid:
            broken.append(_issue(unit, invalid.code, invalid.message, page=number, fix=invalid.fix, tier=Tier.SYNTAX))
    if broken:
        return Read(None, broken)
    verdicts = decided(subject, answers)
    taken = (*settled_proposals(subject), *(one.proposal for page in verdicts for one in page if not one.problem))
    issues = [issue for number, page in enumerate(verdicts, 1) for issue in _issues(unit, number, page)]
    code, wrong = _code(subject, taken)
    return Read(code, [*issues, *wrong])


def _issues(unit: str, page: int, verdicts: Sequence[ProposalVerdict]) -> Iterator[Issue]:
    """Yield an error for each proposal that the model has to repair, and an info for each that is dropped."""
    for index, one in enumerate(verdicts):
        if not one.problem:
            continue
        given = one.proposal
        what = f"{given.kind} {given.value[:60]!r}" + (f" of {given.member!r}" if given.member else "")
        if one.is_error:
            fix = 'Propose another one. An empty "value" withdraws it.'
            yield replace(
                _issue(unit, PROPOSAL, f"the {what} cannot be used: {one.problem}", page=page, fix=fix),
                pointers=(f"/proposals/{index}",),
            )
        else:
            yield replace(_issue(unit, DROPPED, f"the {what} is not used: {one.problem}", page=page), severity="info")


def _issue(unit: str, code: str, message: str, *, page: int, fix: str = "", tier: Tier = Tier.SCHEMA) -> Issue:
    return Issue(code=code, message=message, tier=tier, unit=unit, page=page, fix=fix)


def _code(subject: AskedType, taken: Sequence[MeaningProposal]) -> tuple[CsCode, list[Issue]]:
    """Return the code of a type with the accepted proposals, and the issues that tiers 1 and 2 find in it."""
    endpoint, type_ = subject.endpoint, subject.type
    types = with_meaning(endpoint, type_, taken)
    text = code_of(endpoint, types)
    whole = CsCode(text=text, pieces=(Piece(first=1, page=1, line=1),), taken=tuple(taken), name=types[0].name)
    issues = [replace(issue, unit=type_.name, page=1) for issue in _issues_of_code(endpoint, types)]
    bare = code_of(endpoint, without_documentation(types))
    if documentation_apart(text) != documentation_apart(bare):
        fix = "Write summaries as plain text."
        issues.append(_issue(type_.name, UNSAFE, "a summary would change the code", page=1, fix=fix))
    return whole, issues


def _issues_of_code(endpoint: Endpoint, types: Sequence[CsType]) -> Iterator[Issue]:
    """Yield the issues of the written code of each type, checked like an answer that is a transcript."""
    names = {one.name for one in types}
    around = [one for one in endpoint.types if one.name not in names]
    source = replace(endpoint, ask="transcript", facts=(), decisions=(), fields_per_page=_ALL, values_per_page=_ALL)
    for type_ in types:
        others = (one for one in types if one is not type_)
        alone = replace(source, types=(replace(type_, page_size=0), *others, *around))
        yield from read_code(alone, type_.name, [code_of(source, [type_])]).issues
