"""The commands of the rule recipe: `retouch generate rule` and `retouch rule ...`."""

from retouch.commands import RecipeCommands

_HERE = "retouch.recipes.rule.commands"

commands = RecipeCommands(
    recipe="rule",
    generate=(f"{_HERE}.generate:command", "Find the rule that extracts values from paths such as these."),
    about="""Apply, test and compare extraction rules, and find one interactively.

    No model is called, except by the wizard.""",
    commands={
        "wizard": (f"{_HERE}.wizard:command", "Find an extraction rule interactively: review, hint, edit, approve."),
        "apply": (f"{_HERE}.apply:command", "Apply rules to paths: values, and why some are missing."),
        "test": (f"{_HERE}.test:command", "Compare the values that a rule extracts with the expected ones."),
        "edit": (f"{_HERE}.edit:command", "Change the fields of a rule: rename, drop, merge, split, retype."),
        "export": (
            f"{_HERE}.export:command",
            ("Write a rule for DuckDB, Polars, pandas, or as a regular expression or a Python function."),
        ),
        "watch": (f"{_HERE}.watch:command", "Report how new paths differ from what a rule took before."),
        "drafts": (
            f"{_HERE}.drafts:command",
            "List, check and approve the rules of this project that wait for your approval.",
        ),
        "conflicts": (f"{_HERE}.conflicts:command", "List the rules that match the same paths, and which one wins."),
    },
    aliases={"wizard": "wizard"},
    finish=f"{_HERE}.generate:finish",
    demo=f"{_HERE}.demo:demo",
)
