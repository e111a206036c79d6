"""Tier 3: checks whether an artifact does what is wanted on the samples."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from retouch.engine.types import Tier
from retouch.recipes.rule.applying.near import near_miss
from retouch.recipes.rule.asking.source import DAY_FIRST, MONTH_FIRST
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.detecting.specificity import specificity_of
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
    from retouch.recipes.rule.detecting.specificity import Specificity
    from retouch.recipes.rule.judging.artifact import Artifact
    from retouch.recipes.rule.judging.rows import Row, Trial
    from retouch.recipes.rule.language.model import ExtractionRule, Field

LOW_COVERAGE = "LOW_COVERAGE"
USUAL_COVERAGE = 0.8
FEW = 10
MOST_COERCIONS = 0.05
MOST_OTHERS = 0.5
MANY = 3


async def check(job: RuleJob, values: Mapping[str, Artifact], _options: RunOptions) -> list[Issue]:
    """Return the issues of trying an artifact on every sample."""
    import asyncio

    found: list[Issue] = []
    for artifact in values.values():
        found += await asyncio.to_thread(_issues, job, artifact)
    return found


def _issues(job: RuleJob, artifact: Artifact) -> list[Issue]:
    found = semantic_issues(job, artifact)
    if artifact.rule is None or any(one.severity == "error" for one in found):
        return found
    return [*found, *unproved(job, artifact.rule, tried(job, artifact))]


def semantic_issues(job: RuleJob, artifact: Artifact) -> list[Issue]:
    """Return the issues of tier 3. A function that cannot be run has an issue of tier 2."""
    trial = tried(job, artifact)
    if artifact.rule is None:
        from retouch.recipes.rule.judging.python_checks import failures

        found = failures(trial, lines_before=artifact.lines_before)
        return found if any(one.severity == "error" for one in found) else [*found, *_value_issues(trial, ())]
    found = _glob_issues(job, artifact, artifact.rule, trial)
    if not trial.matched:
        return found
    fields = artifact.rule.fields
    if not fields:
        return found  # the rule only sets its tag
    return [*found, *_value_issues(trial, fields), *_guessed_dates(job, fields, trial), *_other_values(job, trial)]


def _other_values(job: RuleJob, trial: Trial) -> list[Issue]:
    """Return the errors of labelled samples from which the rule takes other values."""
    rows = {row.path: row for row in trial.rows}
    wrong: list[dict[str, JSON]] = []
    names: list[str] = []
    for path, fields in job.examples:
        row = rows.get(path)
        for name, wanted in fields:
            given = row.values.get(name) if row is not None else None
            if row is None or name not in row.values or json.dumps(given) != json.dumps(wanted):
                wrong.append({"path": path, "field": name, "wanted": wanted, "given": given})
                names.append(name)
    if not wrong:
        return []
    path, name, wanted, given = (wrong[0][key] for key in ("path", "field", "wanted", "given"))
    others = [one for one in dict.fromkeys(names) if one != name]
    more = f"; {', '.join(others)} differ too" if others else ""
    message = f"{name} of {path!r} is {_shown(given)}, but its label is {_shown(wanted)}{more}"
    fix = "Give each labelled field its name and its value. A text of digits is written as field='\"42\"'."
    return [_semantic_issue("EXAMPLE_NOT_MET", message, [*wrong[:MOST_EVIDENCE]], fix=fix, path="extract")]


def _shown(value: JSON) -> str:
    """Return a value with its type, as users call it."""
    if value is None:
        return "missing"
    return f"the {'text' if isinstance(value, str) else 'number'} {json.dumps(value, ensure_ascii=False)}"


def unproved(job: RuleJob, rule: ExtractionRule, trial: Trial) -> list[Issue]:
    """Return the reason why samples do not prove a rule: it leaves some of them out, or is not specific."""
    lost = [row.path for row in trial.rows if row.status != "COMPLETE"]
    if lost:
        why = f"{len(lost)} of {len(trial.rows)} samples do not give every field, for example {lost[0]!r}"
        fix = "Name those that are no data with --noise, or label one of them with --example."
        return [_not_run("NOT_ALL_TAKEN", why, "retouch generate rule ... --noise PATH", fix=fix)]
    specificity = _specificity(job, rule, trial)
    if specificity.is_specific:
        return _waived(job)
    why = (
        f"the rule is not specific: it explains {specificity.explained:.0%} of the characters of a path, and takes "
        f"{specificity.near_misses:.0%} of names that are no data"
    )
    fix = "Label a path with --example, or give more samples, so that the rule says more about them."
    return [_not_run("NOT_SPECIFIC", why, "retouch generate rule ... --example PATH field=value", fix=fix)]


def _specificity(job: RuleJob, rule: ExtractionRule, trial: Trial) -> Specificity:
    """Return how specific a rule is: what the questions say, if it is the detector's rule under any names."""
    candidate = table_of(job).candidate
    if _readings(rule) == _readings(candidate.rule):
        return candidate.specificity
    return specificity_of(rule, [row.path for row in trial.rows], root=job.root)


def _readings(rule: ExtractionRule) -> list[tuple[str, list[Field]]]:
    """Return the globs and the fields of all shapes, without names."""
    shapes = (rule, *rule.others)
    return [(one.glob.text, [replace(field, name="", description="") for field in one.fields]) for one in shapes]


def _waived(job: RuleJob) -> list[Issue]:
    """Return a note for each open assumption that the user accepted."""
    found = [one for one in table_of(job).candidate.assumptions if one.open and one.is_accepted(job.accepted)]
    notes = [
        issue("ASSUMPTION_ACCEPTED", one.question, tier=Tier.SEMANTIC, path="extract", fix="Nothing: you accepted it.")
        for one in found
    ]
    return [replace(one, severity="info", detail={**one.detail, "waived": "assumption"}) for one in notes]


def _not_run(code: str, why: str, following: str, *, fix: str) -> Issue:
    found = issue(code, why, tier=Tier.SEMANTIC, path="extract", fix=fix)
    return replace(found, severity="info", detail={"short": code.lower(), "not_run": why, "next": following})


def _glob_issues(job: RuleJob, artifact: Artifact, rule: ExtractionRule, trial: Trial) -> list[Issue]:
    """Return the issues about the paths that the glob matches."""
    missed = [row.path for row in trial.rows if row.status == "UNMATCHED"]
    found: list[Issue] = []
    whole, taken = len(trial.rows), len(trial.matched)
    near: list[JSON] = [
        {"path": path, "why": near_miss(rule, path, root=job.root).why} for path in missed[:MOST_EVIDENCE]
    ]
    if not taken:
        fix = "Write the glob so that it fits the sample paths; begin it with **/ unless they lie at the top."
        found.append(
            _semantic_issue("GLOB_MISMATCH", f"the glob fits none of the {whole} samples", near, fix=fix, path="glob")
        )
    elif taken / whole < _wanted_coverage(job):
        message = f"the glob fits {taken} of {whole} samples; {_wanted_coverage(job):.0%} are wanted"
        fix = "Widen the glob so that it fits these paths as well, unless they are another kind of file."
        low = _semantic_issue(LOW_COVERAGE, message, near, fix=fix, path="glob")
        found.append(replace(low, severity="warning") if artifact.reported_issue == LOW_COVERAGE else low)
    return found + _overbroad(job, artifact)


def _wanted_coverage(job: RuleJob) -> float:
    """Return the wanted share of the samples. The default is lower if the detector found samples of other shapes."""
    if job.wanted_coverage != USUAL_COVERAGE:
        return job.wanted_coverage
    left = len(table_of(job).candidate.left)
    return min(USUAL_COVERAGE, 1 - left / max(len(job.samples), 1))


def _overbroad(job: RuleJob, artifact: Artifact) -> list[Issue]:
    """Return the issues of a glob that matches unwanted paths."""
    found: list[Issue] = []
    wrong = [row.path for row in rows_of(artifact.text, job.unwanted, root=job.root) if row.status != "UNMATCHED"]
    if wrong:
        evidence: list[JSON] = [{"path": path, "why": "it must not be taken"} for path in wrong[:MOST_EVIDENCE]]
        message = f"the glob takes {len(wrong)} of {len(job.unwanted)} paths that must not be taken"
        found.append(_semantic_issue("OVERBROAD_GLOB", message, evidence, fix="Narrow the glob.", path="glob"))
    known = {*job.paths, *job.unwanted}
    others = [path for path in job.others if path not in known]
    taken = [row.path for row in rows_of(artifact.text, others, root=job.root) if row.status != "UNMATCHED"]
    if others and len(taken) > MOST_OTHERS * len(others):
        evidence = [{"path": path, "why": "nobody spoke of it"} for path in taken[:MOST_EVIDENCE]]
        message = f"the glob takes {len(taken)} of {len(others)} other files of the tree"
        broad = _semantic_issue("OVERBROAD_GLOB", message, evidence, fix="See whether they are meant.", path="glob")
        found.append(replace(broad, severity="warning"))
    return found


def _value_issues(trial: Trial, fields: Sequence[Field]) -> list[Issue]:
    """Return the issues of the extracted values. `fields` are those of a rule."""
    rows = trial.matched
    names = [field.name for field in fields] or list(dict.fromkeys(name for row in rows for name in row.values))
    if not any(_is_extracted(row, name) for row in rows for name in names):
        return _nothing_extracted(rows)
    never = [
        name for name in names if not any(_is_extracted(row, name) for row in rows) and not _optional(fields, name)
    ]
    found = [_never_extracted(name, rows) for name in never]
    found += [one for name in names if name not in never for one in _coerced(name, rows)]
    partial = [name for name in names if name not in never and _is_missing(rows, name)]
    if partial:
        found.append(_partly_extracted(partial, rows))
    return [*found, *_redundant_fields(names, rows)]


def _optional(fields: Sequence[Field], name: str) -> bool:
    return any(field.name == name and field.optional for field in fields)


def _is_extracted(row: Row, name: str) -> bool:
    return row.values.get(name) is not None and name not in row.reasons


def _is_missing(rows: Sequence[Row], name: str) -> bool:
    """Return whether a value is missing somewhere without a default. A function may leave out fields."""
    return any(name in row.reasons and not row.reasons[name].defaulted for row in rows)


def _nothing_extracted(rows: Sequence[Row]) -> list[Issue]:
    fix = "See in the table what the segments of these paths hold, counted from the end."
    evidence = [_evidence_row(row, name) for row in rows[:MOST_EVIDENCE] for name in list(row.reasons)[:1] or [""]]
    return [_semantic_issue("EMPTY_EXTRACTION", "no value is taken from any sample", evidence, fix=fix, path="extract")]


def _evidence_row(row: Row, name: str) -> dict[str, JSON]:
    reason = row.reasons.get(name)
    if reason is None:
        return {"path": row.path, "field": name}
    return {"path": row.path, "field": name, "reason": reason.code}


def _never_extracted(name: str, rows: Sequence[Row]) -> Issue:
    wrong = failed(rows, name)
    codes = Counter(row.reasons[name].code for row in wrong)
    why = ", ".join(code for code, _ in codes.most_common()) or "it is always None"
    message = f"the field {name!r} is taken from none of the {len(rows)} paths ({why})"
    fix = "Count its segment from the end again, and compare the pattern with what stands there."
    evidence: list[JSON] = [_evidence_row(row, name) for row in (wrong or rows)[:MOST_EVIDENCE]]
    return _semantic_issue("FIELD_NEVER_EXTRACTED", message, evidence, fix=fix, path=f"extract.{name}")


def _coerced(name: str, rows: Sequence[Row]) -> list[Issue]:
    wrong = [row for row in failed(rows, name) if row.reasons[name].code == "TYPE_COERCION_FAILED"]
    if not wrong or (len(rows) > FEW and len(wrong) <= MOST_COERCIONS * len(rows)):
        return []
    message = f"the field {name!r} has values that are not of its type on {len(wrong)} of {len(rows)} paths"
    fix = "Take less of the text with the pattern, or choose another type or format."
    evidence: list[JSON] = [_evidence_row(row, name) for row in wrong[:MOST_EVIDENCE]]
    return [_semantic_issue("TYPE_COERCION_FAILED", message, evidence, fix=fix, path=f"extract.{name}")]


def _partly_extracted(names: Sequence[str], rows: Sequence[Row]) -> Issue:
    counts = {name: len(failed(rows, name)) for name in names}
    list_of = ", ".join(f"{name} on {count}" for name, count in counts.items())
    wrong = [(row, name) for name in names for row in failed(rows, name)]
    evidence: list[JSON] = [_evidence_row(row, name) for row, name in wrong[:MOST_EVIDENCE]]
    message = f"some fields are missing on some of {len(rows)} paths: {list_of}"
    fix = "Give a field that may be missing a default."
    return _semantic_issue("PARTIAL_EXTRACTION", message, evidence, fix=fix, path="extract", severity="warning")


def _redundant_fields(names: Sequence[str], rows: Sequence[Row]) -> list[Issue]:
    """Return warnings about fields without information: the same value everywhere, or the values of another field."""
    found: list[Issue] = []
    columns = {name: [row.values.get(name) for row in rows] for name in names}
    varied: list[str] = []
    for name, column in columns.items():
        if len(rows) >= MANY and all(value == column[0] for value in column):
            message = f"the field {name!r} has the same value in all {len(rows)} paths"
            fix = "See whether it can differ in other paths."
            found.append(
                _semantic_issue("CONSTANT_FIELD", message, [], fix=fix, path=f"extract.{name}", severity="warning")
            )
        else:
            varied.append(name)
    for one, other in combinations(varied, 2):
        if columns[one] == columns[other]:
            message = f"the fields {one!r} and {other!r} have the same values in all paths"
            fix = "Leave one of them out."
            found.append(
                _semantic_issue("SAME_VALUES", message, [], fix=fix, path=f"extract.{other}", severity="warning")
            )
    return found


def _guessed_dates(job: RuleJob, fields: Sequence[Field], trial: Trial) -> list[Issue]:
    """Return warnings about date formats whose order of day and month the samples do not confirm."""
    found: list[Issue] = []
    for field in fields:
        form = field.format or ""
        other = form.replace("%d", "%\0").replace("%m", "%d").replace("%\0", "%m")
        if field.type != "date" or form in job.dates or not {"%d", "%m"} <= _pairs(form):
            continue
        order = DAY_FIRST if form.find("%d") < form.find("%m") else MONTH_FIRST
        days = [row.values[field.name] for row in trial.matched if isinstance(row.values.get(field.name), str)]
        if order not in job.dates and days and all(_swaps(str(day), other) for day in days):
            message = f"the samples do not tell whether {field.name!r} is {order}: every one can be read either way"
            fix = f"Say so with --date-format {order}, or with the other order."
            found.append(
                _semantic_issue(
                    "AMBIGUOUS_DATE", message, [], fix=fix, path=f"extract.{field.name}", severity="warning"
                )
            )
    return found


def _pairs(form: str) -> set[str]:
    return {form[at : at + 2] for at in range(len(form) - 1)}


def _swaps(day: str, other: str) -> bool:
    """Return whether a date is also valid in the `other` order, because its day could be a month."""
    year, month, number = day.split("-")
    text = other.replace("%Y", year).replace("%y", year[2:]).replace("%d", month).replace("%m", number)
    return "%" not in text and date_reader(other)(text) is not None


def _semantic_issue(
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
