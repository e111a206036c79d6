"""Lists the operations of Chisel source that become operations of Verilog."""

from __future__ import annotations

import re

from retouch.locate.languages.quiet import quiet_places
from retouch.locate.values import BASES

# Arithmetic of Scala numbers while the hardware is generated: `width - 1`, `3.W`, `BigInt(1) << n`.
_WHILE_GENERATED = re.compile(
    r"(?<![:=<>])(?:(?<=[\w) ])[-+*/]\s*\d+\b(?!\.[USW]|\.as)|\d+\.W\b|\bBigInt\(-?\d+\)\s*<<"
    r"|(?<![\w.])\d+\s*[-+*/]\s*(?=[a-z]))"
)
_NUMBER = re.compile(rb'"(?:h[0-9a-fA-F][0-9a-fA-F_]*|d[0-9][0-9_]*|o[0-7][0-7_]*|b[01][01_]*)"')
_TOKEN = re.compile(
    r"\"(?P<base>[hdob])(?P<digits>[0-9a-fA-F_]+)\"\.[US]\b"
    r"|(?P<literal>(?:\b(?:0x[0-9a-fA-F]+|\d+)\.(?:[US]\b|as[US]Int)|(?<=[US]Int\()\d+(?=\))))"
    r"|(?P<computed>(?<=[\w)])\.[USB]\b)|(?P<truth>\b(?:true|false)\.B\b)"
    r"|(?P<operator>=/=|===|:=|<>|=>|<-|<<|>>|<=|>=|&&|\|\||\+[&%]|-[&%]|##|==|!=|[-+*/%^&|~!<>])"
    r"|(?P<word>\b(?:Mux\w*|PriorityMux|PriorityEncoder\w*|OHToUInt|UIntToOH|when|elsewhen|otherwise|unless|switch|is"
    r"|Cat|Fill|Reverse|asSInt|SInt|zext|orR|andR|xorR|Log2|PopCount|Counter|fire)\b)"
    r"|(?P<slice>(?<=\w)\([^(),]+,[^(),]+\))|(?P<bit>(?<=\w)\((?:\d+|\w+(?: *[-+] *\w+)*)\))"
)
_OPERATORS = {
    "=/=": ("!=",),
    "===": ("==",),
    "&&": ("&",),
    "||": ("|",),
    "+&": ("+",),
    "+%": ("+",),
    "-&": ("-",),
    "-%": ("-",),
    "##": ("{",),
    "!": ("~",),
    **{one: (one,) for one in ("<<", ">>", "<=", ">=", "+", "-", "*", "/", "%", "^", "&", "|", "~", "<", ">")},
}
_WORDS = {
    "when": ("?", "&"),
    "elsewhen": ("?", "&", "~"),
    "otherwise": ("~",),
    "unless": ("?", "~"),
    "switch": ("?",),
    "is": ("==", "?"),
    "Cat": ("{",),
    "Fill": ("{",),
    "Reverse": ("{", "bit"),
    "asSInt": ("signed",),
    "SInt": ("signed",),
    "zext": ("signed", "{"),
    "orR": ("any", "!="),
    "andR": ("all", "=="),
    "xorR": ("parity",),
    "PriorityMux": ("?",),
    "OHToUInt": ("|", "{", "bit"),
    "UIntToOH": ("<<",),
    "fire": ("&",),
    "Log2": ("?", "bit"),
    "PopCount": ("+",),
    "Counter": ("+", "=="),
}


def line_operations(text: str) -> list[list[str]]:
    """Return the operations of each line of Scala text that has some, in the words of `diffs.operations.operations`.

    Comments and strings are skipped, and so is arithmetic of numbers while the hardware is generated.

    Example:
        >>> line_operations("val small = rawIn.sExp < least.S  // - 1\\nwhen (io.full && ready) {}")
        [['<', 'constant', 'signed'], ['?', '&', '&']]
    """
    lines = map(_operations, _code(text).split("\n"))
    return [one for one in lines if one]


def _code(text: str) -> str:
    """Return the text without comments and strings. Numbers in strings stay: `"h1f".U` is a literal."""
    data = bytearray(text, "utf-8")
    quiet = quiet_places(bytes(data))
    for start, end in (*quiet.comments, *quiet.texts):
        if not _NUMBER.fullmatch(data[start:end]):
            data[start:end] = re.sub(rb"[^\n]", b" ", bytes(data[start:end]))
    return data.decode("utf-8", "replace")


def _operations(line: str) -> list[str]:
    found: list[str] = []
    for token in _TOKEN.finditer(_WHILE_GENERATED.sub(" ", line)):
        kind, text = token.lastgroup, token[0]
        if kind == "digits":
            found += [f"#{int(token['digits'].replace('_', ''), BASES[token['base']])}", "constant"]
        elif kind == "literal":
            number, _, kind_of = text.partition(".")
            found += [f"#{int(number, 16 if number.startswith('0x') else 10)}", "constant"]
            found += ["signed"] if kind_of in {"S", "asSInt"} else []
        elif kind == "computed":
            found += ["constant", *(["signed"] if text == ".S" else [])]
        elif kind == "truth":
            found.append("#1" if text.startswith("t") else "#0")
        elif kind == "operator":
            found += _OPERATORS.get(text, ())
        elif kind == "word":
            found += _of_word(text)
        else:
            found += [kind] if kind else []
    return found


def _of_word(word: str) -> tuple[str, ...]:
    if word in _WORDS:
        return _WORDS[word]
    return ("?", "bit") if word.startswith("PriorityEncoder") else ("?",)
