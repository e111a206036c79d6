"""`retouch rule conflicts`."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import Verb, as_json_option, print_json, print_table
from retouch.recipes.rule.commands.paths import given_paths, read_rule_file, root_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.rule import ExtractionRule
    from retouch.recipes.rule.commands.paths import Given

_Pair = tuple[int, int]


@click.command(cls=Verb)
@click.argument(
    "rules", nargs=-1, required=True, metavar="RULES...", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--paths",
    multiple=True,
    metavar="PATH|DIR|@FILE|-",
    help="Count the paths of these that both rules match. Without it, one possible path is shown.",
)
@root_option
@as_json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    rules: tuple[Path, ...],
    paths: tuple[str, ...],
    root: str | None,
    as_json: bool,
) -> None:
    """List the rules that match the same paths, and which one wins.

    \b
      retouch rule conflicts rules/a.yaml rules/b.yaml
      retouch rule conflicts rules/a.yaml rules/b.yaml --paths @paths.txt

    The lowest priority number wins. If the numbers are equal, the first name wins. The exit status is 1 if only the
    name decides.

    With --json: {"conflicts": [{"winner", "loser", "decided_by", "common", "example"}]}; without --paths, common is
    null.
    """
    from retouch.recipes.rule.language.model import precedence

    every = sorted((rule for file in rules for rule in read_rule_file(file)), key=precedence)
    found = _counted(every, given_paths(paths, root=root)) if paths else _possible(every)
    rows = [_row(every[first], every[second], common, example) for (first, second), common, example in found]
    if as_json:
        print_json({"conflicts": rows})
    elif not rows:
        click.echo("no conflicts")
    else:
        heads = ["winner", "loser", "decided by", "common", "example"]
        print_table(heads, [list(row.values()) for row in rows])
    if any(row["decided_by"] != "priority" for row in rows):
        ctx.exit(1)


def _row(winner: ExtractionRule, loser: ExtractionRule, common: int | None, example: str) -> dict[str, Any]:
    by = "priority" if winner.priority != loser.priority else "name" if winner.name != loser.name else "nothing"
    return {"winner": winner.name, "loser": loser.name, "decided_by": by, "common": common, "example": example}


def _possible(rules: Sequence[ExtractionRule]) -> list[tuple[_Pair, int | None, str]]:
    from retouch.recipes.rule.globs.overlap import common_path

    pairs = list(combinations(range(len(rules)), 2))
    paths = [common_path(rules[first].glob, rules[second].glob) for first, second in pairs]
    return [(pair, None, path) for pair, path in zip(pairs, paths, strict=True) if path is not None]


def _counted(rules: Sequence[ExtractionRule], given: Iterable[Given]) -> list[tuple[_Pair, int | None, str]]:
    from retouch.recipes.rule import apply_rule

    common: Counter[_Pair] = Counter()
    examples: dict[_Pair, str] = {}
    for one in given:
        fitting = [
            number
            for number, rule in enumerate(rules)
            if apply_rule(rule, one.path, root=one.root).status != "UNMATCHED"
        ]
        for pair in combinations(fitting, 2):
            common[pair] += 1
            examples.setdefault(pair, one.shown)
    return [(pair, number, examples[pair]) for pair, number in sorted(common.items())]
