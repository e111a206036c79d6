"""The command of the edit recipe: `retouch generate edit`."""

from retouch.commands import RecipeCommands

_HERE = "retouch.recipes.edit.commands"

commands = RecipeCommands(
    recipe="edit",
    generate=(f"{_HERE}.generate:command", "Change files as requested: all changes are applied, or none."),
    finish=f"{_HERE}.generate:finish",
    undo=f"{_HERE}.writing:undo_plan",
    notes="retouch.commands:unwritten",
    demo=f"{_HERE}.demo:demo",
)
