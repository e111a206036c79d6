"""The commands of the chisel recipe: `retouch generate chisel` and `retouch chisel trials`."""

from retouch.commands import RecipeCommands

_HERE = "retouch.recipes.chisel.commands"

commands = RecipeCommands(
    recipe="chisel",
    generate=(f"{_HERE}.generate:command", "Repair the Chisel module that a Verilog diff comes from."),
    about="""Show which modules earlier runs have tried.

    No model is called.""",
    commands={
        "trials": (f"{_HERE}.trials:command", "Show which modules were tried for which diff, and the outcomes."),
    },
    aliases={"trials": "trials"},
    finish=f"{_HERE}.generate:finish",
    notes="retouch.commands:unwritten",
    demo=f"{_HERE}.demo:demo",
)
