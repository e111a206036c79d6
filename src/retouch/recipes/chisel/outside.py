"""Finds code in a fix that is no hardware: files, processes, class loading, Verilog of its own, assumptions.

A fix is code that runs in the build. A hardware fix needs none of this. With it, the build could produce the wanted
Verilog from something other than the Chisel, or a proof could hold for no input.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.locate.languages.quiet import quiet_places

if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPE = re.compile(r"\\u+([0-9a-fA-F]{4})")
_SPACE = re.compile(r"\s*\.\s*")
_BACKTICKS = re.compile(r"`([^`\n]*)`")
# What `scala.sys` has that is no error, so that a bundle may be called sys.
_OF_SYS = r"(?:env|props|process|exit|runtime|package|\w*[sS]hutdownHook|allThreads|SystemProperties|\w*Prop\b|[{_*])"
_REACHES = re.compile(
    r"\bjavax?\b(?!\.(?:math|text)\b|\.lang\.(?:Math|Integer|Long|Float|Double|Character|String|\w*Exception)\b"
    r"|\.util\.(?:Random|BitSet|Arrays)\b)(?:\.\w+)*"
    r"|\bscala\.(?:sys(?!\.error\b)|io|reflect(?!\.ClassTag\b)|tools|concurrent|\{|_\s*$)(?:\.?\w+)*"
    rf"|\bsys\.{_OF_SYS}\w*|\bimport (?:scala\.)?(?:sys(?!\.error\b)|io|reflect(?!\.ClassTag\b))\.\S+"
    r"|\b(?:io\.(?:Source|BufferedSource|Codec|StdIn)|reflect\.(?:io|runtime|internal)|Properties\.(?:env|prop))\w*"
    r"|\b(?:System\.(?:get|set|exit|load|clear|out|err|in\b)|Runtime\.get|Thread\.|Class\.for|ClassLoader\.|Console\.)\w*"
    r"|\b(?:System|Runtime|Class)(?:\.[{_*]| (?:get|set|exit|load|clear|for)[A-Z]?\w*)|\b(?:System|Runtime|Class)\s*=>"
    r"|\bclassOf\[(?:Runtime|System|Class|ClassLoader|Thread|Process\w*)\b|\.(?:getMethods?|getConstructors?|invoke)\b"
    r"|\bnew (?:ProcessBuilder|Thread|File|FileWriter|PrintWriter|FileOutputStream|RandomAccessFile)\b"
    r"|\bgetClass\b(?!\.(?:getSimpleName|getName)\b)|\b(?:getClassLoader|loadClass|getDeclared\w+|setAccessible)\b"
    r"|\bos\.(?:write|read|proc|move|copy|remove|makeDir|pwd|Path|root|home|symlink|hardlink|call|spawn|temp|exists)\w*"
    r"|\bimport os\.\S+|\bos\s*=>"
    r"|\b(?:sun|(?<!scala\.)jdk|com\.sun|better\.files|org\.apache|com\.google|ammonite|coursier)\.\w+"
    r"|\bFileUtils\.\w+|\bemit(?:System)?Verilog\w*|\bRunFirrtlTransform\b|\bChiselStage\b"
    r"|@native\b|\bmacro\b",
    re.MULTILINE,
)
_VERILOG = re.compile(
    r"\b(?:Has(?:BlackBox|ExtModule)(?:Inline|Resource|Path)|BlackBox(?:\w*Anno)?|ExtModule|setInline|addResource|addPath"
    r"|Intrinsic(?:Expr|Module)?)\b"
)
# The object itself is enough: it can be renamed, or be the value of a name. A text may have the word.
_ASSUMPTION = re.compile(
    r"\bAssumeProperty\b|\b[aA]ssume\b(?=\s*(?:[({\[.]|=>|_\b|(?:as|apply)\b))|\.[aA]ssume\b"
    r"|(?:=|[=(,{]\s*)[aA]ssume\b(?=\s*(?:[),};]|$))",
    re.MULTILINE,
)
REACHES_OUT, OWN_VERILOG, OWN_ASSUMPTION = "REACHES_OUT", "OWN_VERILOG", "OWN_ASSUMPTION"


@dataclass(frozen=True, kw_only=True)
class Forbidden:
    """A kind of code that a fix must not add: its issue code, a pattern, a message, and how to repair it."""

    code: str
    pattern: re.Pattern[str]
    message: str
    fix: str


_FORBIDDEN = (
    Forbidden(
        code=REACHES_OUT,
        pattern=_REACHES,
        message="the fix uses",
        fix="Repair the hardware only. Do not use files, processes or reflection.",
    ),
    Forbidden(
        code=OWN_VERILOG,
        pattern=_VERILOG,
        message="the fix adds Verilog of its own, with",
        fix="Repair the Chisel.",
    ),
    Forbidden(
        code=OWN_ASSUMPTION,
        pattern=_ASSUMPTION,
        message="the fix adds an assumption, which limits what a proof shows, with",
        fix="Repair the hardware for all inputs.",
    ),
)


def forbidden_additions(before: Iterable[str], after: Iterable[str]) -> list[tuple[Forbidden, list[str]]]:
    """Return the kinds of forbidden code that the files `after` a fix contain more often than those `before`.

    For example `java.nio.file.Files.write`, and `setInline`. Comments do not count.
    """
    old, new = [_code(text) for text in before], [_code(text) for text in after]
    found = [(kind, _more(kind.pattern, old, new)) for kind in _FORBIDDEN]
    return [(kind, names) for kind, names in found if names]


def _more(pattern: re.Pattern[str], before: list[str], after: list[str]) -> list[str]:
    old, new = (Counter(found[0] for text in texts for found in pattern.finditer(text)) for texts in (before, after))
    return sorted(new - old)


def _code(text: str) -> str:
    """Return the source without comments, with escapes and quoted names as they are read."""
    data = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text).encode("utf-8", "surrogatepass")
    for start, end in reversed(quiet_places(data).comments):
        data = data[:start] + b" " + data[end:]
    plain = _BACKTICKS.sub(r"\1", data.decode("utf-8", "surrogatepass"))
    return _SPACE.sub(".", plain).replace("_root_.", "")
