"""What the wizard says in each state, as lines with a tone: a screen colours them, a pipe gets them as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.engine.directory import IR, open_run
from retouch.recipes.rule.asking.context import WizardState, get_spinner_message
from retouch.recipes.rule.asking.pages import plan
from retouch.recipes.rule.asking.showing import as_data
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.wizard.editing import worst_first
from retouch.recipes.rule.wizard.machine import keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.engine.types import Issue, Request
    from retouch.recipes.rule.wizard.desk import SessionCost, SessionState
    from retouch.recipes.rule.wizard.events import KeyName
    from retouch.recipes.rule.wizard.session import WizardSession
    from retouch.recipes.rule.wizard.states import State, Wizard

Tone: TypeAlias = Literal["plain", "title", "good", "doubt", "bad", "quiet", "code", "key"]
MOST_OF_LAST = 2
KEY_NAMES: dict[KeyName, str] = {"enter": "Enter", "escape": "Esc"}
_MORE: dict[str, str] = {
    "take it up": "go on where it was left",
    "begin anew": "ask again; the draft is kept",
    "day first": "01-02-2024 is in February",
    "month first": "01-02-2024 is in January",
    "leave as text": "the dates stay as they are written",
    "use Python": "the model may answer with a function, which runs in the sandbox only",
    "stay with YAML": "ask for a rule, with this hint",
    "keep the earlier one": "what passed before still stands",
    "hint": "say what the parts of the paths mean, and ask again",
    "edit": "correct it in your editor; no model touches it",
    "edit again": "at the line of the first error",
    "retry": "ask from the start, with a full budget",
    "regenerate": "ask the model for another answer",
    "YAML": "leave out what only Python can do",
    "discard": "go back to what stood before; your text is kept",
    "send it": "ask the model",
}
_SPINNING = {
    "ANALYZING": WizardState.ANALYZING,
    "REGENERATING": WizardState.REGENERATING,
    "VALIDATING": WizardState.VALIDATING,
}


@dataclass(frozen=True, kw_only=True)
class StyledLine:
    """A line and its tone."""

    text: str = ""
    tone: Tone = "plain"


def told(session: WizardSession) -> list[StyledLine]:
    """Return what is said in a state in which nothing is spun, entered or shown as a table."""
    tell = _SAID.get(session.wizard.state)
    return [] if tell is None else tell(session)


def waiting(wizard: Wizard, desk: SessionState) -> list[StyledLine]:
    """Return what is said while something is waited for: the retry and what was wrong before."""
    state = _SPINNING.get(wizard.state)
    if state is None:
        return [StyledLine(text="Writing the file...")]
    context = desk.moment.context if desk.moment is not None and state is not WizardState.VALIDATING else None
    first, *rest = get_spinner_message(state, context).split("\n")
    return [StyledLine(text=first), *(StyledLine(text=as_data(line), tone="doubt") for line in rest)]


def failures(desk: SessionState) -> list[StyledLine]:
    """Return a line for each answer of this round that failed."""
    history = desk.outcome.history if desk.outcome is not None else ()
    return [
        StyledLine(text=f"  {number}. {as_data(one.short_message)}", tone="bad")
        for number, one in enumerate(history, 1)
    ]


def _last_failure(desk: SessionState) -> list[StyledLine]:
    """Return all that is known of the last failure."""
    history = desk.outcome.history if desk.outcome is not None else ()
    return [line for one in history[-1:] for issue in worst_first(one)[:MOST_OF_LAST] for line in _issue(issue)]


def columns(desk: SessionState) -> list[tuple[str, str, str]]:
    """Return what the detector found in the paths without any model: name, type and examples of each column."""
    found: list[tuple[str, str, str]] = []
    for column in table_of(desk.job).columns.values():
        there = list(dict.fromkeys(value for value in column.values if value is not None))
        found.append((as_data(column.name), column.type, as_data(", ".join(there[:3]))))
    return found


def sent(desk: SessionState) -> list[StyledLine]:
    """Return every word that left the machine in this run, or that would leave it first."""
    if (desk.folder / IR).exists() and desk.begun:
        attempts = list(open_run(desk.folder).history.attempts.values())
        lines = [line for one in attempts[-1:] for line in _request(one.request)]
        if lines:
            return [StyledLine(text=f"The last of {len(attempts)} requests of this run:", tone="quiet"), *lines]
    return [line for prompt in plan(desk.job) for line in _turns(("system", prompt.system), ("user", prompt.user))]


def _request(request: Request) -> list[StyledLine]:
    return _turns(("system", request.system), *((one.role, one.text) for one in request.messages))


def _turns(*turns: tuple[str, str]) -> list[StyledLine]:
    lines: list[StyledLine] = []
    for role, text in turns:
        lines += [StyledLine(text=f"--- {role}", tone="title")]
        lines += [
            StyledLine(text="".join(char if char.isprintable() else "?" for char in one)) for one in text.split("\n")
        ]
    return lines


def spent(found: SessionCost) -> str:
    """Return what was spent in a few words."""
    calls = f"{found.calls} call{'s' if found.calls != 1 else ''}"
    lost = f" ({found.unanswered} without an answer)" if found.unanswered else ""
    cost = "cost unknown" if found.cost is None else f"${found.cost:.4f}" if found.cost else "$0"
    return f"{calls}{lost}, {cost}"


def choices(wizard: Wizard) -> Iterator[StyledLine]:
    """Yield a line for each key that means something now, with what it does."""
    for key, words in keys(wizard).items():
        more = f" - {_MORE[words]}" if words in _MORE else ""
        yield StyledLine(text=f"  {f'[{KEY_NAMES.get(key, key)}]':8} {words}{more}", tone="key")


def _draft(session: WizardSession) -> list[StyledLine]:
    draft = session.desk.waiting
    if draft is None:
        return []
    when = draft.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
    kind = "YAML rule" if draft.kind == "yaml" else "Python function"
    return [
        StyledLine(text="A draft for the same paths waits for you", tone="title"),
        StyledLine(),
        StyledLine(text=f"  {kind} {draft.name!r} of {when}, takes {draft.coverage:.0%} of the samples whole"),
        StyledLine(),
        *(StyledLine(text=f"  {as_data(line)}", tone="code") for line in draft.text.splitlines()[:12]),
    ]


def _question(session: WizardSession) -> list[StyledLine]:
    asked = [StyledLine(text=f"  {as_data(question)}") for question in session.desk.questions]
    return [StyledLine(text="? Only you can say how these dates are read", tone="title"), StyledLine(), *asked]


def _preview(session: WizardSession) -> list[StyledLine]:
    return [
        StyledLine(text="Every word that leaves this machine, before it does", tone="title"),
        StyledLine(),
        *sent(session.desk),
    ]


def _proposed(session: WizardSession) -> list[StyledLine]:
    word = session.wizard.computes
    return [
        StyledLine(text="? Use Python?", tone="title"),
        StyledLine(),
        StyledLine(text=f"  {word!r} in your hint sounds like a computation, which a rule in YAML cannot do."),
        StyledLine(),
        StyledLine(text=f"  {as_data(session.wizard.hint)}", tone="quiet"),
    ]


def _failed(session: WizardSession) -> list[StyledLine]:
    wizard = session.wizard
    title = {"transport": "No answer came", "no_progress": "The model makes no progress"}.get(
        wizard.failure or "", "No answer passed the checks"
    )
    why = [StyledLine(text=f"  {as_data(line)}") for line in wizard.why.splitlines()]
    before = failures(session.desk) if wizard.failure != "transport" else []
    details = [*before, StyledLine(), StyledLine(text="  The last one:", tone="quiet")] if before else []
    details += _last_failure(session.desk) if before else []
    return [StyledLine(text=f"✗ {title}", tone="bad"), StyledLine(), *why, *details]


def _not_valid(session: WizardSession) -> list[StyledLine]:
    problem = session.desk.problem
    lines = [StyledLine(text="✗ Your text does not pass yet", tone="bad"), StyledLine()]
    if problem is None:
        return lines + [StyledLine(text=f"  {as_data(error)}") for error in session.wizard.errors]
    for issue in worst_first(problem):
        lines += _issue(issue)
    left = len(problem.errors) - len(worst_first(problem))
    return lines + ([StyledLine(text=f"  and {left} more", tone="quiet")] if left else [])


def _issue(issue: Issue) -> list[StyledLine]:
    place = f"line {issue.line}, column {issue.detail['column']}: " if issue.line and issue.detail.get("column") else ""
    lines = [StyledLine(text=f"  {place}{as_data(issue.message)}", tone="plain")]
    lines += [
        StyledLine(text=f"    {as_data(line)}", tone="code")
        for line in str(issue.detail.get("snippet", "")).splitlines()
    ]
    return [*lines, StyledLine(text=f"    next: {as_data(issue.fix)}", tone="quiet")] if issue.fix else lines


_SAID: dict[State, Callable[[WizardSession], list[StyledLine]]] = {
    "DRAFT_FOUND": _draft,
    "QUESTION": _question,
    "PREVIEW": _preview,
    "PYTHON_PROPOSED": _proposed,
    "ANALYSIS_ERROR": _failed,
    "VALIDATION_ERROR": _not_valid,
}
TELLING: frozenset[State] = frozenset(_SAID)
