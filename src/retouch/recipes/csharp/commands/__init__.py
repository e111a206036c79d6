"""The commands of the csharp recipe: `retouch generate csharp` and `retouch csharp ...`."""

from retouch.commands import RecipeCommands

_HERE = "retouch.recipes.csharp.commands"

commands = RecipeCommands(
    recipe="csharp",
    generate=(f"{_HERE}.generate:command", "Generate C# data objects from endpoints of an OpenAPI document."),
    about="""List the endpoints of OpenAPI documents, and install the C# compiler.

    No model is called. 'retouch generate csharp' creates runs.""",
    commands={
        "endpoints": (f"{_HERE}.endpoints:command", "List the endpoints of an OpenAPI document."),
        "compiler": (f"{_HERE}.compiler:command", "Install the C# compiler, or show which one is used."),
    },
    aliases={"endpoints": "endpoints", "compiler": "compiler"},
    options=f"{_HERE}.arguments:run_options",
    tools=f"{_HERE}.arguments:expect_compiler",
    finish=f"{_HERE}.generate:finish",
)
