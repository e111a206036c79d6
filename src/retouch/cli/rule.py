"""`retouch rule apply`, `retouch rule test` and `retouch rule conflicts`: extraction rules at work, without a model."""

from __future__ import annotations

import click

from retouch.cli.verb import LazyGroup

TABLE = {
    "apply": ("retouch.cli.rule_apply:command", "Apply rules to paths: values, and why some are missing."),
    "test": ("retouch.cli.rule_test:command", "Compare what a rule takes from paths with what is expected."),
    "drafts": ("retouch.cli.rule_drafts:command", "List, check and approve rules that wait for a person."),
    "conflicts": ("retouch.cli.rule_conflicts:command", "Say which rules fit the same paths, and which one wins."),
}


@click.group(cls=LazyGroup, table=TABLE)
def command() -> None:
    """Apply, test and compare extraction rules; no model is called."""
