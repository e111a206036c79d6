"""Lists the operations of a line of Verilog. They remain where a compiler has replaced all names by its own."""

from __future__ import annotations

import re

from retouch.locate.values import BASES

_ASSIGNS = re.compile(
    r"\s*(?:assign\s+|(?:wire|reg|logic)\b\s*(?:signed\s+)?(?:\[[^\]]*\]\s*)*)?[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)*"
    r"(?:<=|=)(?!=)"
)
_CONDITION = re.compile(r"\s*(?:end\s+)?(?:else\s+)?if\s*\(")
_PADDING = re.compile(r"\{\d+'[hdb][0-9a-f]+\},\s*")  # {{2'd0}, x}: made by the compiler
_TOKEN = re.compile(
    r"(?P<literal>(?P<negative>-?)\d*'(?P<marked>s?)(?:h(?P<h>[0-9a-fA-F][0-9a-fA-F_]*)|d(?P<d>\d[\d_]*)"
    r"|o(?P<o>[0-7][0-7_]*)|b(?P<b>[01][01_]*)))|(?P<signed>\$signed)|(?P<slice>\[\d+:\d+\])|(?P<bit>\[[^\]]*\])"
    r"|(?P<operator>>>>|<<|>>|==|!=|<=|>=|&&|\|\||[-+*/%^&|~!?<>{])|(?P<opening>[(:,=])|(?P<value>\w+)"
)
_SAME = {"!": "~", "&&": "&", "||": "|", ">>>": ">>"}
_ALSO_UNARY = {"|": "any", "&": "all", "^": "parity", "-": "negative"}


def operations(code: str) -> list[str]:
    """Return the operations that a line assigns or tests, in order. Empty for other lines, for example declarations.

    They are operators (`&` for `&&` too), `slice` and `bit`, `signed`, `any`, `all` and `parity` of all bits,
    `constant` with its value as `#5`, `{` for a concatenation, and `?` for a choice, also for `if`.

    Example:
        >>> operations("  wire [4:0] _T_8 = _T_7[4:0] - 5'hf;")
        ['slice', '-', '#15', 'constant']
    """
    assigns, condition = _ASSIGNS.match(code), _CONDITION.match(code)
    found = ["?"] if condition and not assigns else []
    start = assigns or condition
    after_value = False
    for token in _TOKEN.finditer(_PADDING.sub("", code[start.end() :])) if start else ():
        kind, text = token.lastgroup, token[0]
        if kind == "literal":
            found += _constant(token)
        elif kind == "operator":
            is_unary = not after_value and text in _ALSO_UNARY
            found.append(_ALSO_UNARY[text] if is_unary else _SAME.get(text, text))
        elif kind in {"slice", "bit", "signed"}:
            found.append(kind)
        after_value = kind in {"literal", "slice", "bit", "value"}
    return found


def _constant(literal: re.Match[str]) -> list[str]:
    signs = [*(["signed"] if literal["marked"] else []), *(["negative"] if literal["negative"] else [])]
    values = [int(literal[base].replace("_", ""), number) for base, number in BASES.items() if literal[base]]
    return [*signs, *(f"#{value}" for value in values), "constant"]
