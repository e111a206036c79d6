"""`retouch policy`: questions to a compiled policy; no model is called."""

from __future__ import annotations

import click

from retouch.cli.verb import LazyGroup

TABLE = {
    "check": ("retouch.cli.policy_check:command", "Decide about one call, and say why."),
    "test": ("retouch.cli.policy_test:command", "Execute every scenario on a policy."),
    "analyse": ("retouch.cli.policy_analyse:command", "Find rules that are wrong, dead or reached by no scenario."),
    "diff": ("retouch.cli.policy_diff:command", "Show the calls that two policies decide differently."),
    "export": ("retouch.cli.policy_export:command", "Export the rules of a policy to Cedar, and check the export."),
    "clauses": ("retouch.recipes.policy.commands.clauses:clauses", "Show what became of each sentence of the text."),
    "waive": ("retouch.recipes.policy.commands.clauses:waive", "Record that a clause may pass unenforced."),
    "guard": ("retouch.recipes.policy.commands.guarding:guard", "Start an MCP server and let allowed calls through."),
    "hook": ("retouch.recipes.policy.commands.guarding:hook", "Decide about a call as a hook of Claude Code."),
    "explain": ("retouch.cli.policy_explain:command", "Explain rules by their clause and by calls that they decide."),
}


@click.group(cls=LazyGroup, table=TABLE)
def command() -> None:
    """Ask a policy: decide, test, analyse, compare, explain, export; see its clauses; enforce it.

    POLICY is a policy file, or a folder that holds policy.json or compiled-policy.json. No model is called.
    """
