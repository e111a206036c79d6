"""The commands of the policy recipe: `retouch generate policy` and `retouch policy ...`."""

from retouch.commands import RecipeCommands

_HERE = "retouch.recipes.policy.commands"

commands = RecipeCommands(
    recipe="policy",
    generate=(
        f"{_HERE}.generate:command",
        "Generate rules and scenarios that agree from plain English, and prove it by execution.",
    ),
    about="""Test, analyse, compare, explain, export and enforce policies.

    POLICY is a policy file, or a directory that contains policy.json or compiled-policy.json. No model is called,
    except by annotate and lists with --model.""",
    commands={
        "check": (f"{_HERE}.check:check", "Decide about one call, and explain the decision."),
        "test": (f"{_HERE}.check:test", "Execute every scenario on a policy."),
        "analyse": (f"{_HERE}.analyse:analyse", "Find rules that are wrong, dead or not covered by a scenario."),
        "diff": (f"{_HERE}.analyse:diff", "Show the calls that two policies decide differently."),
        "annotate": (f"{_HERE}.annotate:command", "Propose the roles of the arguments of an agent's tools."),
        "assert": (
            f"{_HERE}.asserting:command",
            "Prove a sentence about a policy over all calls, or show the smallest call that contradicts it.",
        ),
        "export": (f"{_HERE}.export:command", "Export the rules of a policy to Cedar, and check the export."),
        "explain": (f"{_HERE}.analyse:explain", "Explain rules by their clause and by example calls."),
        "clauses": (f"{_HERE}.clauses:clauses", "Show the status of each sentence of the text."),
        "lists": (
            f"{_HERE}.lists:command",
            "Propose members of the lists of a policy with a model, accept them, or reject them.",
        ),
        "rewrite": (
            f"{_HERE}.clauses:rewrite",
            "Replace a sentence that is not understood by one that it may be meant as.",
        ),
        "waive": (f"{_HERE}.clauses:waive", "Record that a clause may pass although no rule enforces it."),
        "guard": (f"{_HERE}.guarding:guard", "Start an MCP server and forward only the calls that the policy allows."),
        "hook": (f"{_HERE}.guarding:hook", "Decide about one call as a PreToolUse hook of Claude Code."),
    },
    finish=f"{_HERE}.generate:finish",
    demo=f"{_HERE}.demo:demo",
)
