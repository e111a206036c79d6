"""`retouch rule test`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.commands import Verb, as_json_option, counted, print_json, printable
from retouch.errors import BadInput
from retouch.recipes.rule.commands.paths import Given, read_rule_file, root_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule import ExtractionRule

_SHOWN = 20
_ABSENT = object()


@click.command(cls=Verb)
@click.argument("rule", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--expect",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='JSON lines {"path", "fields"}; fields is null for a path that must not match with all fields.',
)
@root_option
@as_json_option
@click.pass_context
def command(ctx: click.Context, /, *, rule: Path, expect: Path, root: str | None, as_json: bool) -> None:
    """Compare the values that a rule extracts with the expected ones.

    \b
      retouch rule test rule.yaml --expect expected.jsonl
      retouch rule test rule.yaml --expect expected.jsonl --json

    If the fields of a path are null, the path must not match, or must lack a field. The exit status is 1 if anything
    differs.

    With --json: {"paths", "differing", "differences": [{"path", "field", "expected", "got", "why"}]}; field is null if
    the difference is about the whole path.
    """
    from retouch.recipes.rule.language.model import precedence

    rules = sorted(read_rule_file(rule), key=precedence)
    differences: list[dict[str, Any]] = []
    paths = 0
    for path, fields in _expected(expect):
        paths += 1
        differences += _differences(Given(shown=path, path=path, root=root or "/"), fields, rules)
    differing = len({one["path"] for one in differences})
    if as_json:
        print_json({"paths": paths, "differing": differing, "differences": differences})
    else:
        _print_differences(paths, differing, differences)
    if differences:
        ctx.exit(1)


def _expected(file: Path) -> Iterator[tuple[str, Mapping[str, JSON] | None]]:
    found = False
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except ValueError as error:
            raise _invalid_line(file, number, f"it is not JSON: {error}") from None
        if not isinstance(row, dict) or not isinstance(cast("dict[str, JSON]", row).get("path"), str):
            raise _invalid_line(file, number, "it has no 'path'")
        expected = cast("dict[str, JSON]", row)
        fields = expected.get("fields", expected.get("values", False))
        if fields is not None and not isinstance(fields, dict):
            raise _invalid_line(file, number, "its 'fields' is neither an object nor null")
        found = True
        yield cast("str", expected["path"]), fields
    if not found:
        raise BadInput(
            f"{str(file)!r} has no expectations.", hint='Write lines such as {"path": "a/1.csv", "fields": {}}.'
        )


def _invalid_line(file: Path, line: int, problem: str) -> BadInput:
    hint = 'Each line is {"path": "a/1.csv", "fields": {"number": 1}}, with null for a path that must not match.'
    return BadInput(f"{str(file)!r}, line {line}: {problem}.", hint=hint)


def _differences(
    given: Given, fields: Mapping[str, JSON] | None, rules: Sequence[ExtractionRule]
) -> Iterator[dict[str, Any]]:
    from retouch.recipes.rule.applying.near import near_miss

    rule, extraction = given.extracted_by(rules)
    if fields is None:
        if extraction.status == "COMPLETE":
            yield _row(given, None, None, dict(extraction.values), "the path matches, but must not")
        return
    if extraction.status == "UNMATCHED":
        why = near_miss(rule, given.path, root=given.root).why
        yield _row(given, None, dict(fields), None, f"the path does not match: {why}")
        return
    for name in dict.fromkeys((*fields, *extraction.values, *extraction.reasons)):
        expected, got = fields.get(name, _ABSENT), extraction.values.get(name, _ABSENT)
        reason = extraction.reasons.get(name)
        if expected is _ABSENT and got is not _ABSENT:
            yield _row(given, name, None, got, "the field is not expected")
        elif expected is not _ABSENT and got is _ABSENT:
            yield _row(given, name, expected, None, str(reason or "the rule has no such field"))
        elif json.dumps(expected, default=str) != json.dumps(got, default=str):
            yield _row(given, name, expected, got, str(reason or ""))


def _row(given: Given, field: str | None, expected: object, got: object, why: str) -> dict[str, Any]:
    return {"path": given.shown, "field": field, "expected": expected, "got": got, "why": why}


def _print_differences(paths: int, differing: int, differences: Sequence[Mapping[str, Any]]) -> None:
    for one in differences[:_SHOWN]:
        click.echo(printable(one["path"]))
        place = f"  {one['field']}: " if one["field"] else "  "
        click.echo(printable(f"{place}expected {json.dumps(one['expected'])}, got {json.dumps(one['got'])}"))
        if one["why"]:
            click.echo(printable(f"    {one['why']}"))
    if len(differences) > _SHOWN:
        click.echo(f"... and {counted(len(differences) - _SHOWN, 'difference')} more; --json shows all")
    summary = "all as expected" if not differing else f"{differing:,} not as expected"
    click.secho(f"{counted(paths, 'path')}: {summary}", fg="red" if differing else "green")
