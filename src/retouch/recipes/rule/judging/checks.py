"""Tier 3: whether an artifact does on the samples what was wanted of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from retouch.engine.types import Tier
from retouch.recipes.rule.applying.near import near_miss
from retouch.recipes.rule.asking.source import DAY_FIRST, MONTH_FIRST
from retouch.recipes.rule.judging.issues import MOST_EVIDENCE, issue
from retouch.recipes.rule.judging.rows import failed
from retouch.recipes.rule.judging.trial import rows_of, tried
from retouch.recipes.rule.language.dates import date_reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.types import Issue, Severity
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.judging.artifact import Artifact
    from retouch.recipes.rule.judging.rows import Row, Trial
    from retouch.recipes.rule.language.model import ExtractionRule, Field

LOW_COVERAGE = "LOW_COVERAGE"
FEW = 10
MOST_COERCIONS = 0.05
MOST_OTHERS = 0.5
MANY = 3


async def check(job: RuleJob, values: Mapping[str, Artifact], _options: RunOptions) -> list[Issue]:
    """Return the issues of trying an artifact on every sample."""
    import asyncio

    found: list[Issue] = []
    for artifact in values.values():
        found += await asyncio.to_thread(judged, job, artifact)
    return found


def judged(job: RuleJob, artifact: Artifact) -> list[Issue]:
    """Return the issues of tier 3; a function that cannot be run has one of tier 2."""
    trial = tried(job, artifact)
    if artifact.rule is None:
        from retouch.recipes.rule.judging.python_checks import failures

        found = failures(trial, lines_before=artifact.lines_before)
        return found if any(one.severity == "error" for one in found) else [*found, *_of_values(trial, ())]
    found = _of_glob(job, artifact, artifact.rule, trial)
    if not trial.matched:
        return found
    fields = artifact.rule.fields
    if not fields:
        return found  # it only sets its tag
    return [*found, *_of_values(trial, fields), *_guessed_dates(job, fields, trial)]


def _of_glob(job: RuleJob, artifact: Artifact, rule: ExtractionRule, trial: Trial) -> list[Issue]:
    """Return what is wrong with which paths are taken."""
    missed = [row.path for row in trial.rows if row.status == "UNMATCHED"]
    found: list[Issue] = []
    whole, taken = len(trial.rows), len(trial.matched)
    near: list[JSON] = [
        {"path": path, "why": near_miss(rule, path, root=job.root).why} for path in missed[:MOST_EVIDENCE]
    ]
    if not taken:
        fix = "Write the glob so that it fits the sample paths; begin it with **/ unless they lie at the top."
        found.append(_three("GLOB_MISMATCH", f"the glob fits none of the {whole} samples", near, fix=fix, path="glob"))
    elif taken / whole < job.wanted_coverage:
        said = f"the glob fits {taken} of {whole} samples; {job.wanted_coverage:.0%} are wanted"
        fix = "Widen the glob so that it fits these paths as well, unless they are another kind of file."
        low = _three(LOW_COVERAGE, said, near, fix=fix, path="glob")
        found.append(replace(low, severity="warning") if artifact.told == LOW_COVERAGE else low)
    return found + _overbroad(job, artifact)


def _overbroad(job: RuleJob, artifact: Artifact) -> list[Issue]:
    """Return what is said of a glob that takes paths which nobody wants."""
    found: list[Issue] = []
    wrong = [row.path for row in rows_of(artifact.text, job.unwanted, root=job.root) if row.status != "UNMATCHED"]
    if wrong:
        evidence: list[JSON] = [{"path": path, "why": "it must not be taken"} for path in wrong[:MOST_EVIDENCE]]
        said = f"the glob takes {len(wrong)} of {len(job.unwanted)} paths that must not be taken"
        found.append(_three("OVERBROAD_GLOB", said, evidence, fix="Narrow the glob.", path="glob"))
    known = {*job.paths, *job.unwanted}
    others = [path for path in job.others if path not in known]
    taken = [row.path for row in rows_of(artifact.text, others, root=job.root) if row.status != "UNMATCHED"]
    if others and len(taken) > MOST_OTHERS * len(others):
        evidence = [{"path": path, "why": "nobody spoke of it"} for path in taken[:MOST_EVIDENCE]]
        said = f"the glob takes {len(taken)} of {len(others)} other files of the tree"
        broad = _three("OVERBROAD_GLOB", said, evidence, fix="See whether they are meant.", path="glob")
        found.append(replace(broad, severity="warning"))
    return found


def _of_values(trial: Trial, fields: Sequence[Field]) -> list[Issue]:
    """Return what is wrong with the values that are taken; `fields` are those of a rule."""
    rows = trial.matched
    names = [field.name for field in fields] or list(dict.fromkeys(name for row in rows for name in row.values))
    if not any(_taken(row, name) for row in rows for name in names):
        return _empty(rows)
    never = [name for name in names if not any(_taken(row, name) for row in rows) and not _optional(fields, name)]
    found = [_never(name, rows) for name in never]
    found += [one for name in names if name not in never for one in _coerced(name, rows)]
    partial = [name for name in names if name not in never and _missing(rows, name)]
    if partial:
        found.append(_partial(partial, rows))
    return [*found, *_doubts(names, rows)]


def _optional(fields: Sequence[Field], name: str) -> bool:
    return any(field.name == name and field.optional for field in fields)


def _taken(row: Row, name: str) -> bool:
    return row.values.get(name) is not None and name not in row.reasons


def _missing(rows: Sequence[Row], name: str) -> bool:
    """Whether a value is missing somewhere and no default stands in; what a function leaves out, it may."""
    return any(name in row.reasons and not row.reasons[name].defaulted for row in rows)


def _empty(rows: Sequence[Row]) -> list[Issue]:
    fix = "See in the table what the segments of these paths hold, counted from the end."
    evidence = [_seen(row, name) for row in rows[:MOST_EVIDENCE] for name in list(row.reasons)[:1] or [""]]
    return [_three("EMPTY_EXTRACTION", "no value is taken from any sample", evidence, fix=fix, path="extract")]


def _seen(row: Row, name: str) -> dict[str, JSON]:
    reason = row.reasons.get(name)
    if reason is None:
        return {"path": row.path, "field": name}
    return {"path": row.path, "field": name, "reason": reason.code}


def _never(name: str, rows: Sequence[Row]) -> Issue:
    wrong = failed(rows, name)
    codes = Counter(row.reasons[name].code for row in wrong)
    why = ", ".join(code for code, _ in codes.most_common()) or "it is always None"
    said = f"the field {name!r} is taken from none of the {len(rows)} paths ({why})"
    fix = "Count its segment from the end again, and compare the pattern with what stands there."
    evidence: list[JSON] = [_seen(row, name) for row in (wrong or rows)[:MOST_EVIDENCE]]
    return _three("FIELD_NEVER_EXTRACTED", said, evidence, fix=fix, path=f"extract.{name}")


def _coerced(name: str, rows: Sequence[Row]) -> list[Issue]:
    wrong = [row for row in failed(rows, name) if row.reasons[name].code == "TYPE_COERCION_FAILED"]
    if not wrong or (len(rows) > FEW and len(wrong) <= MOST_COERCIONS * len(rows)):
        return []
    said = f"the field {name!r} has values that are not of its type on {len(wrong)} of {len(rows)} paths"
    fix = "Take less of the text with the pattern, or choose another type or format."
    evidence: list[JSON] = [_seen(row, name) for row in wrong[:MOST_EVIDENCE]]
    return [_three("TYPE_COERCION_FAILED", said, evidence, fix=fix, path=f"extract.{name}")]


def _partial(names: Sequence[str], rows: Sequence[Row]) -> Issue:
    counts = {name: len(failed(rows, name)) for name in names}
    list_of = ", ".join(f"{name} on {count}" for name, count in counts.items())
    wrong = [(row, name) for name in names for row in failed(rows, name)]
    evidence: list[JSON] = [_seen(row, name) for row, name in wrong[:MOST_EVIDENCE]]
    said = f"some fields are missing on some of {len(rows)} paths: {list_of}"
    fix = "Give a field that may be missing a default."
    return _three("PARTIAL_EXTRACTION", said, evidence, fix=fix, path="extract", severity="warning")


def _doubts(names: Sequence[str], rows: Sequence[Row]) -> list[Issue]:
    """Return warnings of fields that tell nothing: the same value everywhere, or that of another field."""
    found: list[Issue] = []
    columns = {name: [row.values.get(name) for row in rows] for name in names}
    varied: list[str] = []
    for name, column in columns.items():
        if len(rows) >= MANY and all(value == column[0] for value in column):
            said = f"the field {name!r} has the same value in all {len(rows)} paths"
            fix = "See whether it can differ in other paths."
            found.append(_three("CONSTANT_FIELD", said, [], fix=fix, path=f"extract.{name}", severity="warning"))
        else:
            varied.append(name)
    for one, other in combinations(varied, 2):
        if columns[one] == columns[other]:
            said = f"the fields {one!r} and {other!r} have the same values in all paths"
            fix = "Leave one of them out."
            found.append(_three("SAME_VALUES", said, [], fix=fix, path=f"extract.{other}", severity="warning"))
    return found


def _guessed_dates(job: RuleJob, fields: Sequence[Field], trial: Trial) -> list[Issue]:
    """Return warnings of dates whose day and month a format tells apart though the samples do not."""
    found: list[Issue] = []
    for field in fields:
        form = field.format or ""
        other = form.replace("%d", "%\0").replace("%m", "%d").replace("%\0", "%m")
        if field.type != "date" or form in job.dates or not {"%d", "%m"} <= _pairs(form):
            continue
        order = DAY_FIRST if form.find("%d") < form.find("%m") else MONTH_FIRST
        days = [row.values[field.name] for row in trial.matched if isinstance(row.values.get(field.name), str)]
        if order not in job.dates and days and all(_swaps(str(day), other) for day in days):
            said = f"the samples do not tell whether {field.name!r} is {order}: every one can be read either way"
            fix = f"Say so with --date-format {order}, or with the other order."
            found.append(_three("AMBIGUOUS_DATE", said, [], fix=fix, path=f"extract.{field.name}", severity="warning"))
    return found


def _pairs(form: str) -> set[str]:
    return {form[at : at + 2] for at in range(len(form) - 1)}


def _swaps(day: str, other: str) -> bool:
    """Whether a day is one in the `other` order as well: its number is that of a month."""
    year, month, number = day.split("-")
    text = other.replace("%Y", year).replace("%y", year[2:]).replace("%d", month).replace("%m", number)
    return "%" not in text and date_reader(other)(text) is not None


def _three(
    code: str, message: str, evidence: Iterable[JSON], *, fix: str, path: str, severity: Severity = "error"
) -> Issue:
    found = issue(code, message, tier=Tier.SEMANTIC, path=path, fix=fix)
    short = _SHORT.get(code, message)
    detail: dict[str, JSON] = {"short": short}
    rows = list(evidence)
    if rows:
        detail["evidence"] = rows
    return replace(found, severity=severity, detail=detail)


_SHORT = {
    "GLOB_MISMATCH": "glob didn't match samples",
    LOW_COVERAGE: "glob fits too few samples",
    "OVERBROAD_GLOB": "glob takes unwanted paths",
    "EMPTY_EXTRACTION": "extracted no fields",
}
