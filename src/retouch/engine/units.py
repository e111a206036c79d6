"""The units of a run while it is worked on: their prompts, what stands for them, what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.types import Issue, Tier
from retouch.errors import RecipeBug

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch._lib.json_text import JSON
    from retouch.engine.calls import PlannedCall
    from retouch.engine.history import Answer, History
    from retouch.engine.judge import Verdict
    from retouch.engine.types import Attempt, Prompt

V = TypeVar("V")
Texts = tuple[str, ...]
UNANSWERED = "UNANSWERED"


@dataclass
class Unit(Generic[V]):
    """One unit at work.

    `reading` is the verdict of tiers 1 and 2 on what stands, `verdict` that and tier 3. `complaint` is what the last
    repair was asked to mend. `before` is what to go back to when tier 3 finds that a new answer made things worse.
    `open` says that this round may ask for repairs of it; `unchecked` that its verdict lacks tier 3; `repeated` that
    its last repair brought a readable answer that had been given before.
    """

    name: str
    prompts: list[Prompt]
    reading: Verdict[V] | None = None
    verdict: Verdict[V] | None = None
    waiting: int = 0
    landed: dict[int, tuple[PlannedCall, Attempt]] = field(default_factory=dict[int, "tuple[PlannedCall, Attempt]"])
    rung: int = 0
    state: str = ""
    complaint: frozenset[tuple[Any, ...]] = frozenset()
    before: tuple[dict[int, Answer | None], Verdict[V]] | None = None
    open: bool = True
    unchecked: bool = True
    repeated: bool = False

    def standing(self, history: History) -> dict[int, Answer]:
        """Return the answers that stand for the unit's present prompts, by page."""
        found = {prompt.page: history.answer_to(prompt) for prompt in self.prompts}
        return {page: answer for page, answer in found.items() if answer is not None}

    def texts(self, history: History) -> Texts | None:
        """Return what stands for the unit: its pages in order, or a person's one text; None while a page is missing."""
        adopted = history.adopted(self.name)
        if adopted is not None:
            return (adopted.text,)
        found = self.standing(history)
        return tuple(found[p.page].text for p in self.prompts) if len(found) == len(self.prompts) else None

    @cached_property
    def pages(self) -> dict[int, Prompt]:
        """The unit's prompts by page number."""
        return {prompt.page: prompt for prompt in self.prompts}


def grouped(prompts: Iterable[Prompt]) -> dict[str, list[Prompt]]:
    """Return the prompts by unit, each unit's in page order.

    Raises:
        RecipeBug: an identity stands twice, or the pages of a unit are not 1 to `total_pages`.
    """
    units: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        units.setdefault(prompt.type_name, []).append(prompt)
    for name, pages in units.items():
        pages.sort(key=lambda prompt: prompt.page)
        numbers = [prompt.page for prompt in pages]
        if numbers != list(range(1, pages[0].total_pages + 1)):
            hint = "Give each page one prompt; pages are counted from 1."
            raise RecipeBug(f"unit {name!r} has pages {numbers} of {pages[0].total_pages}", hint=hint)
    return units


def lacking(unit: Unit[V], known: Iterable[Issue], history: History) -> Verdict[V]:
    """Return the verdict on a unit with missing pages; `known` are the issues that tell why they are missing."""
    from retouch.engine.judge import Verdict

    standing = unit.standing(history)
    why = {issue.page: issue for issue in known}
    missing = [page for page in unit.pages if page not in standing]
    return Verdict(None, tuple(why.get(page) or unanswered(unit.name, page, None) for page in missing), complete=False)


def unanswered(unit: str, page: int, attempt: Attempt | None) -> Issue:
    """Return the engine's own issue for a page without an answer; `attempt` is the last one that failed."""
    what, fix, detail = "was not asked yet", "Run 'retouch generate' again.", dict[str, "JSON"]()
    if attempt is not None and attempt.reply is None:
        what, fix = f"got no reply: {attempt.error}", "Run 'retouch generate' again; what arrived is kept."
        detail = {"transport": True}
    elif attempt is not None and attempt.reply is not None:
        finish, cap = attempt.reply.finish, attempt.request.max_output_tokens
        what = {
            "length": f"was cut off at the output limit of {cap} tokens",
            "refused": "was refused by the model",
            "filtered": "was withheld by the provider's filter",
        }.get(finish, f"ended with {finish!r}")
        fix = "Answer this page completely, and with nothing else."
        detail = {"finish": finish}
    message = f"page {page} of {unit!r} {what}"
    return Issue(code=UNANSWERED, message=message, tier=Tier.SYNTAX, unit=unit, page=page, detail=detail, fix=fix)
