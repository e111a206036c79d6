"""Finds code in a fix that is no hardware: files, processes, class loading, chance, Verilog of its own, assumptions.

A fix is code that runs in the build. A hardware fix needs none of this. With it, the build could produce the wanted
Verilog from something other than the Chisel, or a proof could hold for no input.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from retouch.locate.languages.quiet import quiet_places

if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPE = re.compile(r"\\u+([0-9a-fA-F]{4})")
_SPACE = re.compile(r"\s*\.\s*")
_BACKTICKS = re.compile(r"`([^`\n]*)`")
_AFTER_KEYWORD = re.compile(r"\b(new|import|extends|with|package|object)\s+")
_IMPORTS = re.compile(r"\bimport ((?:[^\n;{},]|\{[^{}]*\}|,\s*)+)")
_COMMA = re.compile(r",(?![^{]*\})")
_DIRECTIVE = re.compile(r"//>(?=\s*using\b)")
# Where versions of Scala differ in what is a comment, and what `quiet_places` does not know: escapes, quotes in quoted
# names and in interpolated strings, XML, and a quote as a character.
_UNSURE = re.compile(
    r"\\u|`[^`\n]*(?:/[/*]|\*/|\")[^`\n]*`|\w\"[^\n]*(?:\\\"|\$\")|(?:^|[\s({=])<[A-Za-z_!?]|\'\'\'",
    re.MULTILINE,
)

# A collection `xs` in `xs.par`. A port or field may be called par, too.
_XS = r"(?<![\w.)\]])(?!(?:\w+(?:\([^()\n]*\))?\.)*(?:io|bits|in|out)\b)\w+(?:\.\w+|\([^()\n]*\))*"
_EACH = (
    r"\.(?:foreach|(?:flat)?[mM]ap|filter\w*|zip\w*|reduce\w*|fold\w*|aggregate|scan\w*|collect|find|exists|forall|count"
    r"|head|last|tail|init|seq|to[A-Z]\w*|indices|tasksupport|m(?:in|ax)\w*|sum|product|take\w*|drop\w*|groupBy|iterator)\b"
)


def _either(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.MULTILINE)


# What `scala.sys` has that is no error, so that a bundle may be called sys.
_OF_SYS = r"(?:env|props|process|exit|runtime|package|\w*[sS]hutdownHook|allThreads|SystemProperties|\w*Prop\b|[{_*])"
_STATIC = r"(?:System|Runtime|Class|ClassLoader|Thread|Properties|Source|Logger|XML|Files|Paths|Driver|os)"
_STREAM = (
    r"(?:(?:Print|File|Buffered|OutputStream)Writer|(?:File|Buffered)Reader|PrintStream|\w*(?:Input|Output)Stream)"
)
_REACHES = _either(
    # packages
    r"\bjavax?\b(?!\.(?:math|text)\b|\.lang\.(?:Math|Integer|Long|Float|Double|Character|String|\w*Exception)\b"
    r"|\.util\.(?:Random|BitSet|Arrays)\b)(?:\.\w+)*",
    r"\bscala\.(?:sys(?!\.error\b)|io|reflect(?!\.ClassTag\b)|tools|concurrent|quoted|xml|\{|_\s*(?:$|;))(?:\.?\w+)*",
    rf"\bsys\.{_OF_SYS}\w*|\bimport (?:scala\.)?(?:sys(?!\.error\b)|io|reflect(?!\.ClassTag\b))\.\S+",
    r"\b(?:io\.(?:Source|BufferedSource|Codec|StdIn)|reflect\.(?:io|runtime|internal|macros)|tools\.nsc)\w*",
    r"\b(?:sun|(?<!scala\.)jdk|com\.sun|better\.files|org\.apache|com\.google|ammonite|coursier|quoted)\.\w+",
    r"\bpackage (?:object )?(?:scala|chisel3|firrtl|circt|sys)\b",
    r"\bos\.(?:write|read|proc|move|copy|remove|makeDir|pwd|Path|root|home|symlink|hardlink|call|spawn|temp|exists"
    r"|FilePath|RelPath|SubPath|SubProcess|resource|package|[{*]|_\b)\w*|\bimport os\.\S+|\bos\s*=>",
    # static methods, also under another name
    r"\bSystem\.(?:get|set|exit|load|clear|out|err|in\b|current|nano|identity)\w*|\bRuntime\.get\w*"
    r"|\b(?:Thread|ClassLoader|Console|ModuleLayer|StackWalker)\.\w*|\bClass\.for\w*",
    r"\b(?:System|Runtime|Class)(?:\.[{_*]| (?:get|set|exit|load|clear|for)[A-Z]?\w*)",
    rf"\bimport [^\n;]*\b{_STATIC}\b ?(?:=>|as\b)",
    r"\bProperties\.(?:env|prop|set|clear|user|java|jdk|os|is[WML]|tmp|[{_*])\w*|\butil\.Properties\b",
    r"\b(?:Files\.[a-z]|Paths\.get|Path\.of|Source\.from|XML\.(?:load|save|write)|IO\.(?:write|copy|delete|move|append))\w*",
    r"\bFileUtils\.\w+|\blogger\.(?:Logger\b|\{[^}]*\bLogger\b|_)|\bLogger\.set\w+",
    # objects
    rf"\bnew (?:\w+\.)*(?:ProcessBuilder|Thread|File|RandomAccessFile|\w*Socket|URL|\w*ClassLoader|{_STREAM})\b",
    r"\b(?:extends|with) (?:Thread|\w*ClassLoader)\b",
    r"\bclassOf\[(?:Runtime|System|Class|ClassLoader|Thread|Process\w*)\b|\.(?:getMethods?|getConstructors?|invoke)\b",
    r"\bgetClass\b(?!\.(?:getSimpleName|getName)\b)|\b(?:getClassLoader|loadClass|getDeclared\w+|setAccessible)\b"
    r"|\.getResource\w*",
    r"\bclassOf\[[\w.]+\]\.(?!getSimpleName\b|getName\b)\w+|\.(?:getProtectionDomain|getCodeSource|getStackTrace|findLoader)\b",
    r"\bProcess\((?=\s*(?:\"|Seq\b))|[\")]\.!|\"\.(?:lineStream|lazyLines|run\b)|\" !!?(?=\s*(?:$|[;})]))|#(?:&&|\|\|)",
    # the generator itself, and what differs between two builds
    r"\bemit(?:System)?Verilog\w*|\bRunFirrtlTransform\b|\bChisel(?:Stage|Main)\b|\bDriver\.(?:execute|emit|elaborate)\w*",
    r"\b(?:circt|chisel3|firrtl)\.(?:stage|simulator|options)\b",
    r"\bRandom\.(?:next|shuffle|alphanumeric|between)\w*|\bnew (?:\w+\.)*Random\b(?:\(\))?(?!\()|\b[mM]ath\.random\b"
    r"|\.hashCode\b|\.##|\bnew (?:Object|AnyRef)\b(?!\s*\{\s*[^\s}])|\bArray(?:\[\w+\])?\([^()\n]*\)\.toString\b",
    r"(?:\)|\.(?:to[A-Z]\w+|indices))\.par\b|\bcollection\.parallel\b|\bPar(?:Seq|Set|Map|Vector|Array|Range|Iterable)\b",
    rf"{_XS}\.par(?={_EACH})|(?:[^=!<>:]=|<-) ?{_XS}(?:\.| )par\s*(?:$|[;)}}])|<- ?{_XS}\.par\b|\bimport [^\n;]*\.par\b"
    rf"|(?<![\w.])par(?={_EACH})|\bGen(?:Seq|Set|Map|Iterable|Traversable(?:Once)?)\b|\.parallel[A-Z]\w*|\.parallel\b",
    r"\bRandom (?:=>|as\b)|\bRandom\.self\b|= ?Random\s*(?:$|;)",
    r"\b(?:Integer|Long|Boolean)\.get(?:Integer|Long|Boolean)\b",
    r"\bthis\.toString\b|\$(?:this|\{this\})\W*\"\.|\bnew \w+(?:\([^()\n]*\))?\)\.toString\b|\bDeadline\.now\b",
    r"\bPlatform\.currentTime\b|\bexecutionStart\b|\b(?:(?:Weak|Soft|Phantom)Reference|WeakHashMap)\b|\bdef finalize\b"
    r"|\b(?:StackOverflow|OutOfMemory)Error\b",
    r"@native\b|\bmacro\b|\bimport \$\w+|>> ?using\b.*",
)
_VERILOG = _either(
    r"\bHas(?:BlackBox|ExtModule)(?:Inline|Resource|Path)\b|\b(?:BlackBox(?:\w*Anno)?|ExtModule|RawParam)\b",
    r"\b(?:setInline|addResource|addPath|Intrinsic(?:Expr|Module)?)\b",
    r"\bannotate\b ?(?:[({.]|=>|as\b)|\b[A-Z]\w*Anno(?:tation)?\b|\bCustomFileEmission\b|\baddAttribute\b",
    r"\bloadMemoryFromFile\w*|\bMemoryFile\b|\bSourceLine\(|\bAnalog\b|(?<![.\w])attach\(",
    r"(?<!internal\.)\bfirrtl\.(?:Transform|ir|passes|transforms|annotations|analyses|Parser|CircuitState)\b",
    r"\b(?:def|val|var) desiredName\b|\bforceName\(|\bBuilder\.annotations\b",
    r"\bendmodule\b|\"\s*(?:assign|always|initial|module)\b[^\"\n]*[;=@]",
    r"\bextends Transform\b|\b(?:pushCommand|pushOp)\b|\bFormal\.\w+",
)
# The object itself is enough: it can be renamed, or be the value of a name. A text may have the word.
_ASSUMPTION = _either(
    r"\bAssumeProperty\b|\b[aA]ssume\b(?=\s*(?:[({\[.]|=>|_\b|(?:as|apply)\b))|\.[aA]ssume\b",
    r"(?:=|[=(,{]\s*)[aA]ssume\b(?=\s*(?:[),};]|$))",
    r"\bModuleChoice\b|\bPlusArgs(?:Test|Value)\b|\bforceInitial\b|\bprobe\.force\w*|(?<![.\w])(?:chisel3\.)?stop\(",
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
        fix="Repair the hardware only. Do not use files, processes, reflection, time or chance.",
    ),
    Forbidden(
        code=OWN_VERILOG,
        pattern=_VERILOG,
        message="the fix adds Verilog, names of modules, annotations or contents of memories of its own, with",
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

    For example `java.nio.file.Files.write`, and `setInline`. A line that was there before may move, but not change.
    Comments do not count, unless it depends on the version of Scala what is a comment.
    """
    texts = [text.replace("\r", "\n") for text in before], [text.replace("\r", "\n") for text in after]
    unsure = any(_UNSURE.search(text) for text in (*texts[0], *texts[1]))
    old, new = ([_readings(text, unsure=unsure) for text in several] for several in texts)
    found = [(kind, _more(kind.pattern, old, new)) for kind in _FORBIDDEN]
    return [(kind, names) for kind, names in found if names]


def _more(pattern: re.Pattern[str], before: Iterable[list[str]], after: Iterable[list[str]]) -> list[str]:
    old, new = (sum((_found(pattern, text) for text in texts), _Lines()) for texts in (before, after))
    return sorted({name for name, _ in new - old})


_Lines: TypeAlias = Counter[tuple[str, str]]


def _found(pattern: re.Pattern[str], readings: list[str]) -> _Lines:
    """Return what the pattern finds in one of the readings of a text, each with its line."""
    found = _Lines()
    for text in readings:
        found |= _Lines((match[0], _lines_around(text, match)) for match in pattern.finditer(text))
    return found


def _lines_around(text: str, found: re.Match[str]) -> str:
    start, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
    return " ".join(text[start : end if end >= 0 else len(text)].split())


def _readings(text: str, *, unsure: bool) -> list[str]:
    """Return the source as it is read, with its comments only if it is unsure what they are."""
    text = _DIRECTIVE.sub(">>", text)
    escaped = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    if unsure:
        return [_plain(text), _plain(escaped)]
    data = text.encode("utf-8", "surrogatepass")
    for start, end in reversed(quiet_places(data).comments):
        data = data[:start] + b" " + data[end:]
    return [_plain(data.decode("utf-8", "surrogatepass"))]


def _plain(text: str) -> str:
    """Return code with one space where there are several, no quoted names, and one import for each name."""
    text = _SPACE.sub(".", _BACKTICKS.sub(r"\1", text)).replace("_root_.", "")
    text = _AFTER_KEYWORD.sub(r"\1 ", re.sub(r"[^\S\n]+", " ", text))
    return _IMPORTS.sub(
        lambda found: "; ".join(f"import {' '.join(one.split())}" for one in _COMMA.split(found[1])), text
    )
