"""Tools without rules, and short words for sentences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english import Compiled, compile_english
from retouch.recipes.policy.language.conversion import resolved_of
from retouch.recipes.policy.language.files import checked, read_tools
from retouch.recipes.policy.language.forms import ListsForm
from retouch.recipes.policy.language.strict_json import read_json

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[2] / "examples" / "policy"
SANDBOX = "/home/ada/sandbox"


def frame() -> Policy:
    """Return the tools of the example, with a sandbox, its lists and no rule."""
    lists = checked(ListsForm, read_json(EXAMPLE / "lists.json"), name="lists.json").lists
    return replace(
        Policy.load(HERE / "fixtures"),
        rules=(),
        tools=read_tools(EXAMPLE / "annotations.json"),
        semantics=2,
        list_defs=(),
        lists={name: resolved_of(one) for name, one in lists.items()},
    )


FRAME = frame()


def compiled(*sentences: str, within: Policy = FRAME) -> Policy:
    """Return the policy that the sentences mean."""
    made = compile_english("\n\n".join(sentences), within)
    return replace(within, rules=made.rules, list_defs=made.list_defs)


def notes(*sentences: str) -> Compiled:
    """Return everything that compiling gives."""
    return compile_english("\n\n".join(sentences), FRAME)


def decided(policy: Policy, tool: str, **arguments: JSON) -> str:
    """Return what is decided about `server/tool`."""
    server, _, name = tool.partition("/")
    request = ToolCall(server=server, tool=name, arguments=arguments)
    return evaluate(policy, request, surroundings=LEXICAL).decision
