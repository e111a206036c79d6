"""Reads an answer in any of its forms: tiers 1 and 2, with all issues of the first tier that fails."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.engine.recipe import Read
from retouch.engine.types import Tier
from retouch.recipes.rule.asking.redactor import redactor_of
from retouch.recipes.rule.asking.restoring import restored_rule
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.judging.artifact import Artifact, kind_of, languages, without_heading
from retouch.recipes.rule.judging.columns_answer import ColumnsReader
from retouch.recipes.rule.judging.issues import ambiguous, issue, issue_of
from retouch.recipes.rule.judging.replies import Found, found_in, json_nodes
from retouch.recipes.rule.language.load import load_rule, read_text
from retouch.recipes.rule.language.notes import Notes
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Issue
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.judging.artifact import Heading
    from retouch.recipes.rule.language.yaml_nodes import YamlNode

_LANGUAGE = {"yaml": "a rule in YAML", "python": "a function in Python"}


def read(job: RuleJob, _unit: str, pages: Sequence[str]) -> Read[Artifact]:
    """Return the artifact of one answer, with the issues of the first tier that fails."""
    heading, answer = without_heading("".join(pages))
    return read_answer(job, answer, heading)


def read_answer(job: RuleJob, answer: str, heading: Heading) -> Read[Artifact]:
    """Return the artifact of an answer without its heading. The user's own text may have any form."""
    if not answer.strip():
        hint = "Write the whole answer, in the form that was asked for."
        return Read(None, (issue("EMPTY_OUTPUT", "the answer is empty", tier=Tier.SYNTAX, fix=hint),))
    unreadable = _not_unicode(answer)
    if unreadable is not None:
        return Read(None, (unreadable,))
    welcome = languages(heading.requested_form or job.form)
    is_manual = heading.requested_form == "any"
    root, others = (None, 0) if is_manual else json_nodes(answer)
    if root is not None and "yaml" in welcome:
        return Read(None, (ambiguous(others),)) if others else _from_columns(job, answer, root, heading)
    found = found_in(answer, welcome)
    kind = kind_of(found.text)
    if kind not in welcome:
        return Read(None, (_other_language(kind, welcome[0], found),))
    if kind == "python":
        from retouch.recipes.rule.judging.python_form import read_python

        return read_python(job, answer, found, heading, reveal=not is_manual)
    return _from_yaml(job, answer, heading, reveal=not is_manual)


def _not_unicode(answer: str) -> Issue | None:
    """Return the issue of a file that is not UTF-8. Its invalid bytes are surrogates in the text."""
    try:
        answer.encode("utf-8")
    except UnicodeEncodeError as error:
        line = answer.count("\n", 0, error.start) + 1
        column = error.start - answer.rfind("\n", 0, error.start)
        found = issue("ENCODING_ERROR", "the text is not UTF-8", tier=Tier.SYNTAX, line=line, fix="Save it as UTF-8.")
        return replace(found, detail={**found.detail, "column": column})
    return None


def _from_columns(job: RuleJob, answer: str, root: YamlNode, heading: Heading) -> Read[Artifact]:
    notes = Notes(lines=answer.splitlines())
    rule, beyond = ColumnsReader(root, table_of(job), notes, redactor_of(job).reveal, job.samples).rule()
    issues = [issue_of(problem) for problem in notes.problems]
    if rule is None:
        return Read(None, issues)
    text = render_rule(rule)
    reading = read_text(text)
    if not reading.rules:
        return Read(None, [issue_of(problem) for problem in reading.errors])
    rule = replace(load_rule(text), repaired=reading.repaired)
    issues += [_beyond(sentence) for sentence in beyond]
    return Read(
        Artifact(kind="yaml", text=text, rule=rule, beyond=beyond, reported_issue=heading.reported_issue),
        issues,
    )


def _from_yaml(job: RuleJob, answer: str, heading: Heading, *, reveal: bool) -> Read[Artifact]:
    """Read a YAML rule. Problems refer to the text as the model wrote it, with stand-ins."""
    reading = read_text(answer)
    problems = [issue_of(problem) for problem in reading.problems]
    if not reading.rules:
        return Read(None, problems)
    rule, *others = reading.rules
    if others and not reveal and any(one.order for one in others):
        text = render_rule(load_rule(answer))
        return Read(Artifact(kind="yaml", text=text, rule=load_rule(text), repaired=reading.repaired), problems)
    if others:
        message = f"there are {len(reading.rules)} rules, and one is wanted"
        return Read(None, (issue("SCHEMA_VIOLATION", message, path="rules", fix="Give one rule as a bare mapping."),))
    text = restored_rule(rule, job) if reveal else render_rule(rule)
    real = read_text(text)
    if not real.rules:
        return Read(None, [issue_of(problem) for problem in real.errors])
    found = Artifact(
        kind="yaml", text=text, rule=real.rules[0], repaired=reading.repaired, reported_issue=heading.reported_issue
    )
    return Read(found, problems)


def _other_language(kind: str, wanted: str, found: Found) -> Issue:
    message = f"the answer is {_LANGUAGE[kind]}, and {_LANGUAGE[wanted]} was asked for"
    return issue("WRONG_LANGUAGE", message, tier=Tier.SYNTAX, line=found.line, fix=f"Answer with {_LANGUAGE[wanted]}.")


def _beyond(sentence: str) -> Issue:
    fix = "Ask for a function in Python with --python, or do without it."
    found = issue("NEEDS_PYTHON", f"no rule in YAML can say this: {sentence}", tier=Tier.SEMANTIC, fix=fix)
    return replace(found, severity="warning")
