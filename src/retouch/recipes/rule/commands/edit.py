"""`retouch rule edit`."""

from __future__ import annotations

import difflib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch._lib.disk import write_output
from retouch.commands import as_json_option, print_json, printable
from retouch.errors import BadInput
from retouch.recipes.rule.commands.job import ExampleVerb, example_of
from retouch.recipes.rule.commands.paths import given_paths, read_rule_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch.recipes.rule import ExtractionRule


@click.command(cls=ExampleVerb)
@click.argument("rule", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("paths", nargs=-1, metavar="[PATHS...|DIR|@FILE|-]")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="Give a field another name.")
@click.option("--drop", multiple=True, metavar="FIELD", help="Leave out a field.")
@click.option("--merge", multiple=True, metavar="A+B=NEW", help="Join adjacent fields of a segment.")
@click.option("--split", multiple=True, metavar="FIELD=MARK:A,B", help="Cut a field at each MARK.")
@click.option("--retype", multiple=True, metavar="FIELD=TYPE", help="Change a type, for example day=date:%d-%m-%Y.")
@click.option("--join", multiple=True, metavar="A+B=NEW[:MARK]", help="Join fields, with MARK ('-') between them.")
@click.option("--constant", multiple=True, metavar="NAME=WORD", help="Make a field of a word that all samples share.")
@click.option("--example", multiple=True, metavar="PATH FIELD=VALUE...", help="Take fields as in a labelled path.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write. Default: RULE."
)
@click.option("--dry-run", is_flag=True, help="Print the difference and write nothing.")
@as_json_option
def command(
    *, rule: Path, paths: tuple[str, ...], output: Path | None, dry_run: bool, as_json: bool, **given: Any
) -> None:
    """Change the fields of a rule: rename, drop, merge, split, retype, or show a value.

    \b
      retouch rule edit rules/mission.yaml --rename name=kind --drop number
      retouch rule edit r.yaml @paths.txt --merge year+number=id --split code=-:site,part
      retouch rule edit r.yaml @paths.txt --example data/s7_v2/a.csv site=7 version=2

    The operations are done in the order examples, constants, splits, merges, joins, types, names, dropped fields. PATHS
    are samples: a path of which the rule took every field must still give every field, else nothing is written.

    With --json: {"rule", "changed", "diff"}.
    """
    from retouch.recipes.rule.applying.changed import expect_no_loss

    samples = [given.path for given in given_paths(paths, root=None)]
    before = read_one_rule(rule)
    after = before
    for step in _steps(samples, given):
        after = step(after)
    expect_no_loss(before, after, samples)
    _write(rule, before, after, output=output or rule, dry_run=dry_run, as_json=as_json)


def read_one_rule(file: Path) -> ExtractionRule:
    """Return the one rule, or rule set, of a file.

    Raises:
        BadInput: the file is not valid, or has several rules of version 1.
    """
    from retouch.recipes.rule import load_rule
    from retouch.recipes.rule.language.load import decoded

    rules = read_rule_file(file)
    if len(rules) > 1 and not any(rule.order for rule in rules):
        raise BadInput(f"{str(file)!r} has {len(rules)} rules", hint="Put the rule to edit into a file of its own.")
    return load_rule(decoded(file.read_bytes()))


def _steps(
    samples: Sequence[str], given: Mapping[str, tuple[str, ...]]
) -> list[Callable[[ExtractionRule], ExtractionRule]]:
    """Return the operations in their order.

    Raises:
        BadInput: an argument is not of its form, or there is none.
    """
    from retouch.recipes.rule import editing

    steps: list[Callable[[ExtractionRule], ExtractionRule]] = []
    for text in given["example"]:
        path, labels = example_of(text)
        steps.append(lambda one, path=path, labels=labels: editing.with_example(one, path, dict(labels), samples))
    for text in given["constant"]:
        name, word = _pair(text, "--constant NAME=WORD")
        steps.append(lambda one, name=name, word=word: editing.with_constant(one, word, name))
    for text in given["split"]:
        name, rest = _pair(text, "--split FIELD=MARK:A,B")
        mark, _, names = rest.rpartition(":")
        steps.append(
            lambda one, name=name, mark=mark, names=names: editing.split(one, name, mark, names.split(","), samples)
        )
    for text in given["merge"]:
        names, new = _pair(text, "--merge A+B=NEW")
        steps.append(lambda one, names=names, new=new: editing.merged(one, names.split("+"), new))
    steps.extend(_join(text, samples) for text in given["join"])
    for text in given["retype"]:
        name, kind = _pair(text, "--retype FIELD=TYPE")
        steps.append(lambda one, name=name, kind=kind: editing.retyped(one, name, kind))
    for text in given["rename"]:
        old, new = _pair(text, "--rename OLD=NEW")
        steps.append(lambda one, old=old, new=new: editing.renamed(one, old, new))
    steps.extend(partial(_without, name) for name in given["drop"])
    if not steps:
        raise BadInput("there is nothing to change", hint="Give an operation, for example --rename name=kind.")
    return steps


def _join(text: str, samples: Sequence[str]) -> Callable[[ExtractionRule], ExtractionRule]:
    from retouch.recipes.rule import editing

    names, new = _pair(text, "--join A+B=NEW")
    new, _, mark = new.partition(":")
    return lambda rule: editing.joined(rule, names.split("+"), new, samples, mark=mark or "-")


def _without(name: str, rule: ExtractionRule) -> ExtractionRule:
    from retouch.recipes.rule import editing

    return editing.dropped(rule, name)


def _pair(text: str, form: str) -> tuple[str, str]:
    first, mark, second = text.partition("=")
    if not (first and mark and second):
        raise BadInput(f"{text!r} is not of the form {form}", hint=f"Write {form}.")
    return first, second


def _write(
    file: Path, before: ExtractionRule, after: ExtractionRule, *, output: Path, dry_run: bool, as_json: bool
) -> None:
    from retouch.recipes.rule.applying.changed import written
    from retouch.recipes.rule.language.render import render_rule

    text = written(after)
    diff = "".join(difflib.unified_diff(render_rule(before).splitlines(True), text.splitlines(True), str(file), "new"))
    if not dry_run:
        write_output(output, text)
    if as_json:
        print_json({"rule": text, "changed": bool(diff), "diff": diff})
    else:
        click.echo(printable(diff) if diff else "nothing changes")
