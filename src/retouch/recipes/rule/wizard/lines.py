"""The lines that the wizard shows in each state, with a tone. A screen colours them, a pipe gets plain text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.engine.directory import IR, open_run
from retouch.recipes.rule.asking.context import WizardState, get_spinner_message
from retouch.recipes.rule.asking.pages import plan
from retouch.recipes.rule.asking.showing import as_data
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.detecting.across import dates_across
from retouch.recipes.rule.wizard.editing import worst_first
from retouch.recipes.rule.wizard.machine import keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.engine.types import Issue, Request
    from retouch.recipes.rule.wizard.events import KeyName, Operation
    from retouch.recipes.rule.wizard.session import WizardSession
    from retouch.recipes.rule.wizard.session_state import SessionCost, SessionState
    from retouch.recipes.rule.wizard.states import State, Wizard

Tone: TypeAlias = Literal["plain", "title", "good", "doubt", "bad", "quiet", "code", "key"]
MOST_OF_LAST = 2
KEY_NAMES: dict[KeyName, str] = {"enter": "Enter", "escape": "Esc"}
_MORE: dict[str, str] = {
    "resume": "continue with the draft",
    "start again": "ask the model again; the draft is kept",
    "day first": "01-02-2024 is in February",
    "month first": "01-02-2024 is in January",
    "leave as text": "the dates stay text",
    "use Python": "the model may answer with a function, which runs in the sandbox only",
    "stay with YAML": "ask for a rule, with this hint",
    "keep the earlier one": "return to the artifact that passed before",
    "hint": "describe the parts of the paths, and ask again",
    "edit": "correct it in your editor, without a model",
    "edit again": "at the line of the first error",
    "retry": "start over with a full retry budget",
    "regenerate": "ask the model for another answer",
    "YAML": "leave out fields that need Python",
    "discard": "return to the text before the edit; yours is kept in a file",
    "send it": "ask the model",
    "rename": "give a field another name",
    "merge": "join neighbours of a segment",
    "join": "make one value of several fields, such as a date",
    "split": "cut a field at each mark",
    "drop": "leave out a field",
    "retype": "string, integer, date, uuid, ...",
    "select a piece": "name a piece of the path under the cursor",
    "constant": "make a field of a word that all samples share",
    "noise": "the path under the cursor is no data",
    "another shape": "the path under the cursor has a rule of its own",
}
_PROMPTS: dict[Operation, tuple[str, str]] = {
    "rename": ("Rename a field", "OLD=NEW"),
    "merge": ("Merge neighbours of a segment", "A+B=NEW"),
    "join": ("Join fields, also of different segments", "A+B=NEW, or A+B=NEW:MARK for another text than '-' between"),
    "split": ("Split a field at each mark", "FIELD=MARK:A,B"),
    "drop": ("Drop a field", "FIELD"),
    "retype": ("Change a type", "FIELD=TYPE, for example day=date:%d-%m-%Y"),
    "piece": ("Select a piece of the path under the cursor", "Mark it and name it"),
    "constant": ("Make a field of a constant word", "NAME=WORD"),
    "noise": ("Mark a path as noise", "PATH"),
    "shape": ("Mark a path as another shape", "PATH that the rule does not match"),
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


def state_lines(session: WizardSession) -> list[StyledLine]:
    """Return the lines of a state that has no spinner, input field or table."""
    render = _STATE_LINES.get(session.wizard.state)
    return [] if render is None else render(session)


def waiting(wizard: Wizard, data: SessionState) -> list[StyledLine]:
    """Return the lines shown while a response is pending: the retry and the previous error."""
    state = _SPINNING.get(wizard.state)
    if state is None:
        return [StyledLine(text="Writing the file...")]
    context = data.moment.context if data.moment is not None and state is not WizardState.VALIDATING else None
    first, *rest = get_spinner_message(state, context).split("\n")
    return [StyledLine(text=first), *(StyledLine(text=as_data(line), tone="doubt") for line in rest)]


def failures(data: SessionState) -> list[StyledLine]:
    """Return a line for each failed answer of this round."""
    history = data.outcome.history if data.outcome is not None else ()
    return [
        StyledLine(text=f"  {number}. {as_data(one.short_message)}", tone="bad")
        for number, one in enumerate(history, 1)
    ]


def _last_failure(data: SessionState) -> list[StyledLine]:
    """Return the details of the last failure."""
    history = data.outcome.history if data.outcome is not None else ()
    return [line for one in history[-1:] for issue in worst_first(one)[:MOST_OF_LAST] for line in _issue(issue)]


def columns(data: SessionState) -> list[tuple[str, str, str]]:
    """Return the columns that the detector found without a model: name, type and examples of each."""
    found: list[tuple[str, str, str]] = []
    for column in table_of(data.job).columns.values():
        there = list(dict.fromkeys(value for value in column.values if value is not None))
        found.append((as_data(column.name), column.type, as_data(", ".join(there[:3]))))
    return found


def sent(data: SessionState) -> list[StyledLine]:
    """Return the last request of this run, or the first one that would be sent."""
    if (data.folder / IR).exists() and data.begun:
        attempts = list(open_run(data.folder).history.attempts.values())
        lines = [line for one in attempts[-1:] for line in _request(one.request)]
        if lines:
            return [StyledLine(text=f"The last of {len(attempts)} requests of this run:", tone="quiet"), *lines]
    return [line for prompt in plan(data.job) for line in _turns(("system", prompt.system), ("user", prompt.user))]


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
    """Return the usage as a short text."""
    calls = f"{found.calls} call{'s' if found.calls != 1 else ''}"
    lost = f" ({found.unanswered} without an answer)" if found.unanswered else ""
    cost = "cost unknown" if found.cost is None else f"${found.cost:.4f}" if found.cost else "$0"
    return f"{calls}{lost}, {cost}"


def choices(wizard: Wizard) -> Iterator[StyledLine]:
    """Yield a line for each active key, with its effect."""
    for key, label in keys(wizard).items():
        more = f" - {_MORE[label]}" if label in _MORE else ""
        yield StyledLine(text=f"  {f'[{KEY_NAMES.get(key, key)}]':8} {label}{more}", tone="key")


def _draft(session: WizardSession) -> list[StyledLine]:
    draft = session.data.waiting
    if draft is None:
        return []
    when = draft.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
    kind = "YAML rule" if draft.kind == "yaml" else "Python function"
    return [
        StyledLine(text="There is a draft for the same paths", tone="title"),
        StyledLine(),
        StyledLine(
            text=f"  {kind} {draft.name!r} of {when}, extracts every field from {draft.coverage:.0%} of the samples"
        ),
        StyledLine(),
        *(StyledLine(text=f"  {as_data(line)}", tone="code") for line in draft.text.splitlines()[:12]),
    ]


def _question(session: WizardSession) -> list[StyledLine]:
    questions = [StyledLine(text=f"  {as_data(question)}") for question in session.data.questions]
    return [StyledLine(text="? How should these dates be read?", tone="title"), StyledLine(), *questions]


def _preview(session: WizardSession) -> list[StyledLine]:
    return [
        StyledLine(text="The request that will be sent", tone="title"),
        StyledLine(),
        *sent(session.data),
    ]


def _proposed(session: WizardSession) -> list[StyledLine]:
    word = session.wizard.computes
    return [
        StyledLine(text="? Use Python?", tone="title"),
        StyledLine(),
        StyledLine(text=f"  {word!r} in your hint sounds like a computation, which a YAML rule cannot do."),
        StyledLine(),
        StyledLine(text=f"  {as_data(session.wizard.hint)}", tone="quiet"),
    ]


def _failed(session: WizardSession) -> list[StyledLine]:
    wizard = session.wizard
    title = {"transport": "No response", "no_progress": "The model makes no progress"}.get(
        wizard.failure or "", "No answer passed the checks"
    )
    why = [StyledLine(text=f"  {as_data(line)}") for line in wizard.why.splitlines()]
    before = failures(session.data) if wizard.failure != "transport" else []
    details = [*before, StyledLine(), StyledLine(text="  The last one:", tone="quiet")] if before else []
    details += _last_failure(session.data) if before else []
    return [StyledLine(text=f"✗ {title}", tone="bad"), StyledLine(), *why, *details]


def change_prompt(operation: Operation) -> tuple[str, str]:
    """Return the title of an operation, and the form of its text."""
    return _PROMPTS[operation]


def change_start(session: WizardSession) -> str:
    """Return the initial text of the field of an operation, from the cell under the cursor."""
    data, operation = session.data, session.wizard.operation
    starts: dict[Operation, str] = {
        "rename": f"{data.at_field}=",
        "merge": f"{data.at_field}+",
        "join": _first_join(data),
        "split": f"{data.at_field}=-:",
        "drop": data.at_field,
        "retype": f"{data.at_field}=",
        "noise": data.at_path,
        "shape": data.at_path,
    }
    start = starts.get(operation, "") if data.at_field or operation in {"join", "noise", "shape"} else ""
    return session.wizard.change_text or start


def _first_join(data: SessionState) -> str:
    """Return the join of the first date that the current fields make together, else the beginning of one."""
    names = {column.name for column in data.fields}
    for found in dates_across(tuple(table_of(data.job).columns.values())):
        parts = [one.name for one in found.parts]
        if {*parts} <= names and found.name not in names:
            return f"{'+'.join(parts)}={found.name}"
    return f"{data.at_field}+" if data.at_field else ""


def _menu(session: WizardSession) -> list[StyledLine]:
    names = ", ".join(column.name for column in session.data.fields)
    return [
        StyledLine(text="Change the fields, without a model", tone="title"),
        StyledLine(),
        StyledLine(text=f"  fields: {as_data(names)}"),
        StyledLine(text=f"  path:   {as_data(session.data.at_path)}", tone="quiet"),
    ]


def _not_valid(session: WizardSession) -> list[StyledLine]:
    problem = session.data.problem
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


_STATE_LINES: dict[State, Callable[[WizardSession], list[StyledLine]]] = {
    "CHANGE_MENU": _menu,
    "DRAFT_FOUND": _draft,
    "QUESTION": _question,
    "PREVIEW": _preview,
    "PYTHON_PROPOSED": _proposed,
    "ANALYSIS_ERROR": _failed,
    "VALIDATION_ERROR": _not_valid,
}
LINE_STATES: frozenset[State] = frozenset(_STATE_LINES)
