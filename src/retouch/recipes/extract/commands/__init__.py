"""The command of the extract recipe: `retouch generate extract`, and `retouch extract` as its alias."""

from retouch.commands import RecipeCommands

_HERE = "retouch.recipes.extract.commands"
_LINE = "Extract validated records: rows and a schema in, records that satisfy the schema out."

commands = RecipeCommands(
    recipe="extract",
    generate=(f"{_HERE}.generate:command", _LINE),
    is_verb=True,
    job=f"{_HERE}.job",
    demo=f"{_HERE}.demo:demo",
)
