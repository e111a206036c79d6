"""The commands of the chisel recipe: `retouch generate chisel`, `retouch chisel batch` and `trials`."""

from retouch.commands import RecipeCommands

_HERE = "retouch.recipes.chisel.commands"

commands = RecipeCommands(
    recipe="chisel",
    generate=(f"{_HERE}.generate:command", "Repair the Chisel module that a Verilog diff comes from."),
    about="""Repair a list of bugs, and show which modules earlier runs have tried.""",
    commands={
        "batch": (f"{_HERE}.batch:command", "Repair a list of bugs of one project, and print a table of the outcomes."),
        "trials": (f"{_HERE}.trials:command", "Show which modules were tried for which diff, and the outcomes."),
    },
    aliases={"trials": "trials"},
    finish=f"{_HERE}.generate:finish",
    undo=f"{_HERE}.generate:undo_plan",
    notes="retouch.commands:unwritten",
    demo=f"{_HERE}.demo:demo",
)
