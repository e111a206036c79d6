"""The commands of the csharp recipe: `retouch generate csharp` and `retouch csharp ...`."""

from retouch.commands import RecipeCommands

_HERE = "retouch.recipes.csharp.commands"

commands = RecipeCommands(
    recipe="csharp",
    generate=(f"{_HERE}.generate:command", "Generate C# data objects from endpoints of an OpenAPI document."),
    about="""List the endpoints of OpenAPI documents, install the C# compiler, and run generated C#.

    No model is called. 'retouch generate csharp' creates runs.""",
    commands={
        "endpoints": (f"{_HERE}.endpoints:command", "List the endpoints of an OpenAPI document."),
        "compiler": (f"{_HERE}.compiler:command", "Install the C# compiler, or show which one is used."),
        "runtime": (f"{_HERE}.run_time:command", "Run the C# of a run with the real System.Text.Json."),
    },
    aliases={"endpoints": "endpoints", "compiler": "compiler"},
    options=f"{_HERE}.arguments:run_options",
    tools=f"{_HERE}.arguments:expect_compiler",
    finish=f"{_HERE}.generate:finish",
    demo=f"{_HERE}.demo:demo",
)
