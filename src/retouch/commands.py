"""What a recipe needs to bring commands of its own: the contribution, and the tools of our own commands.

    from retouch.commands import CommandRunner, ModelOptions, RecipeCommands, Setting, Verb, model_options

A package registers a `RecipeCommands` in the entry-point group `retouch.commands`, under the name of its recipe. The
commands themselves are click commands. They may use what this module offers, and nothing else of `retouch.cli`:

- `RecipeCommands` is what a recipe adds to the command line, `RecipeDemo` its example for `retouch demo`;
  `CommandRunner` is what its function `finish` gets.
- `ModelOptions` with `model_options` are the options of a command that makes a run; `run_folder_option` is its `-o`.
- `Verb` and `LazyGroup` are classes of commands, `Setting` of an option that is also a key of retouch.toml, `Option`
  of one that has older names. `with_examples` adds examples to the help of a command. `as_json_option`, `model_option`
  and their like are options that several commands share.
- `completing` makes a function for click's `shell_complete`.
- `print_json`, `print_table`, `print_issues`, `print_status`, `counted` and `printable` print; `show_result` ends a
  command about one run, and `print_cost_and_next` any other.
- `write_originals` and its like change the user's own files; `allow_executable_option`, `allowed_patterns` and
  `expect_permission` are for those that run commands by themselves. `indexed` searches source code.

Names are loaded when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch._lib.counting import counted, counted_are
    from retouch.cli.check_options import CheckArguments, check_options, check_timeout_option
    from retouch.cli.colour import is_live_terminal
    from retouch.cli.completion import completing
    from retouch.cli.contributions import RecipeCommands, RecipeDemo, UndoPlan
    from retouch.cli.failure import failure_of, printable
    from retouch.cli.locating import hint_config, hint_config_option, indexed, weight_option
    from retouch.cli.options import (
        Amount,
        RetryLimits,
        as_json_option,
        fallback_option,
        max_cost_more_option,
        max_cost_option,
        model_option,
        quiet_option,
        retry_options,
        run_argument,
        run_folder_option,
        wait_option,
        with_options,
    )
    from retouch.cli.outcome import (
        COLOURS,
        is_strict,
        keeping,
        print_cost_and_next,
        print_status,
        show_result,
        tiers_in_words,
    )
    from retouch.cli.output import print_issues, print_json, print_table
    from retouch.cli.permission import (
        ALLOWED,
        allow_executable_option,
        allowed_patterns,
        expect_permission,
        permitted,
    )
    from retouch.cli.plan import PlanPreview, estimate, missing, planned, show_prompt, showing_requests
    from retouch.cli.progress import Lines, ManyRuns, live_bar, watching
    from retouch.cli.runner import CommandRunner, ModelOptions, model_options
    from retouch.cli.runs import batching, cost_limit, count_earlier, opened_models
    from retouch.cli.settings import Setting
    from retouch.cli.tracing import workers_traced
    from retouch.cli.verb import LazyGroup, Option, Verb, with_examples
    from retouch.cli.workspace import (
        holds_text,
        put_back_originals,
        put_back_texts,
        take_back_killed,
        unwritten,
        wants_writing,
        write_originals,
    )

_HOMES = {
    "retouch._lib.counting": ("counted", "counted_are"),
    "retouch.cli.check_options": ("CheckArguments", "check_options", "check_timeout_option"),
    "retouch.cli.colour": ("is_live_terminal",),
    "retouch.cli.completion": ("completing",),
    "retouch.cli.contributions": ("RecipeCommands", "RecipeDemo", "UndoPlan"),
    "retouch.cli.failure": ("failure_of", "printable"),
    "retouch.cli.locating": ("hint_config", "hint_config_option", "indexed", "weight_option"),
    "retouch.cli.options": (
        "Amount",
        "RetryLimits",
        "as_json_option",
        "fallback_option",
        "max_cost_more_option",
        "max_cost_option",
        "model_option",
        "quiet_option",
        "retry_options",
        "run_argument",
        "run_folder_option",
        "wait_option",
        "with_options",
    ),
    "retouch.cli.outcome": (
        "COLOURS",
        "is_strict",
        "keeping",
        "print_cost_and_next",
        "print_status",
        "show_result",
        "tiers_in_words",
    ),
    "retouch.cli.output": ("print_issues", "print_json", "print_table"),
    "retouch.cli.permission": (
        "ALLOWED",
        "allow_executable_option",
        "allowed_patterns",
        "expect_permission",
        "permitted",
    ),
    "retouch.cli.plan": ("PlanPreview", "estimate", "missing", "planned", "show_prompt", "showing_requests"),
    "retouch.cli.progress": ("Lines", "ManyRuns", "live_bar", "watching"),
    "retouch.cli.runner": ("CommandRunner", "ModelOptions", "model_options"),
    "retouch.cli.runs": ("batching", "cost_limit", "count_earlier", "opened_models"),
    "retouch.cli.settings": ("Setting",),
    "retouch.cli.tracing": ("workers_traced",),
    "retouch.cli.verb": ("LazyGroup", "Option", "Verb", "with_examples"),
    "retouch.cli.workspace": (
        "holds_text",
        "put_back_originals",
        "put_back_texts",
        "take_back_killed",
        "unwritten",
        "wants_writing",
        "write_originals",
    ),
}

__all__ = [  # noqa: RUF022 - grouped as in the table of homes
    "CheckArguments",
    "check_options",
    "check_timeout_option",
    "is_live_terminal",
    "completing",
    "RecipeCommands",
    "RecipeDemo",
    "UndoPlan",
    "failure_of",
    "printable",
    "hint_config",
    "hint_config_option",
    "indexed",
    "weight_option",
    "Amount",
    "RetryLimits",
    "as_json_option",
    "fallback_option",
    "max_cost_more_option",
    "max_cost_option",
    "model_option",
    "quiet_option",
    "retry_options",
    "run_argument",
    "run_folder_option",
    "wait_option",
    "with_options",
    "COLOURS",
    "is_strict",
    "keeping",
    "print_cost_and_next",
    "print_status",
    "show_result",
    "tiers_in_words",
    "counted",
    "counted_are",
    "print_issues",
    "print_json",
    "print_table",
    "ALLOWED",
    "allow_executable_option",
    "allowed_patterns",
    "expect_permission",
    "permitted",
    "PlanPreview",
    "estimate",
    "missing",
    "planned",
    "show_prompt",
    "showing_requests",
    "Lines",
    "ManyRuns",
    "live_bar",
    "watching",
    "CommandRunner",
    "ModelOptions",
    "model_options",
    "batching",
    "cost_limit",
    "count_earlier",
    "opened_models",
    "Setting",
    "workers_traced",
    "LazyGroup",
    "Option",
    "Verb",
    "with_examples",
    "holds_text",
    "put_back_originals",
    "put_back_texts",
    "take_back_killed",
    "unwritten",
    "wants_writing",
    "write_originals",
]

__getattr__ = lazy_attributes(__name__, {name: module for module, names in _HOMES.items() for name in names})
