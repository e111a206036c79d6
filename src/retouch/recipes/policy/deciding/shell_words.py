"""Reads a command line of a POSIX shell into simple commands and their words, or says that it does not know.

Bash, dash and zsh differ, and an interactive shell expands what a script does not. So a text is only known if all of
them agree about it: no functions, no `case`, no history, no arithmetic but numbers, no escapes in `$'...'`. What a
variable, a pattern or a substitution stands for is left open, and the commands in a substitution are commands, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LONGEST = 20_000
_DEEPEST = 12
_NOT_PLAIN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_REDIRECTION = re.compile(r"\d*(?:<<<|<<-|<<|<>|<&|<(?!\()|&>>|&>|>>|>\||>&|>(?!\())")
_SEPARATOR = re.compile(r"&&|\|\||\|&|;|&|\|")
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)\+?=", re.ASCII)
_VARIABLE = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])", re.ASCII)
_BRACED = re.compile(
    r"\$\{#?(?:[A-Za-z_]\w*|[0-9@*#?])(?:\[[\d@*]+\])?"
    r"(?::?[-+?][^${}`\"'\\()<>;|&!]*|[#%^,/][^${}`\"'\\()<>;|&!]*|: ?\d+(?::\d+)?)?\}",
    re.ASCII,
)
_SUM = re.compile(r"\$\(\([\d\s+*/%-]+\)\)", re.ASCII)
_ESCAPED = re.compile(r"\$'(?:[^'\\]|\\[^'])*'")
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_BRACKETS = re.compile(r"\[\[?(?=[ \t\n])|\{\}(?=[ \t\n;)]|$)|\{(?=[ \t\n])")
_COMMENT = re.compile(r"#[\w \t.,:/+-]*(?=\n|$)", re.ASCII)
_NOTHING = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "-", *"0123456789"})
_SKIPPED = frozenset({"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!"})
_UNREAD = frozenset({"case", "select", "function", "coproc", "repeat", "foreach", "noglob", "nocorrect", "end", "esac"})
_ENDS_WORD = frozenset(" \t\n;&|()<>")


class _Unsure(Exception):
    """Shells may read the text in several ways."""


@dataclass(frozen=True)
class Word:
    """A word of a command: its text, or if it is not `exact` the text that it surely begins with."""

    text: str
    exact: bool = True


@dataclass
class SimpleCommand:
    """One simple command: its words, the variables that it sets, and whether it writes to a file.

    `fed`: what it reads may be the output of another command, a file or a text of the command line.
    """

    words: list[Word] = field(default_factory=list[Word])
    assigned: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])
    writes: bool = False
    fed: bool = False


def simple_commands(text: str) -> list[SimpleCommand] | None:
    """Return the simple commands of a command line, also those of substitutions. None if it is not certain.

    Example:
        >>> [[word.text for word in one.words] for one in simple_commands("cd a && git log | head -5") or ()]
        [['cd', 'a'], ['git', 'log'], ['head', '-5']]
        >>> simple_commands("f() { ls; }") is None
        True
    """
    if len(text) > _LONGEST or _NOT_PLAIN.search(text) is not None:
        return None
    reader = _Reader(text)
    try:
        reader.read_list("")
    except _Unsure:
        return None
    return reader.found


class _Reader:
    """Reads a text from left to right. `found` are the commands so far."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.depth = depth
        self.at = 0
        self.found: list[SimpleCommand] = []
        self.fed = False
        self.bodies: list[tuple[str, bool, bool]] = []

    def read_list(self, closing: str) -> None:
        """Read commands until `closing`, a bracket, or until the end of the text."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Unsure
        one, complete, loops = SimpleCommand(fed=self.fed), True, False
        while True:
            self._skip_blanks()
            char = self.text[self.at : self.at + 1]
            if char in {"", ")"}:
                self._add(one, drop=loops)
                self._close(char, closing, complete=complete or one != SimpleCommand(fed=one.fed))
                return
            separated = self._separator(char)
            if separated:
                complete = (complete and separated == "\n") or separated in {";", "&"} or one.words != []
                complete = complete if separated not in {"&&", "||", "|", "|&"} else False
                self._add(one, drop=loops)
                one, loops = SimpleCommand(fed=self.fed), False
            elif char == "(":
                self._read_group(one)
                complete = True
            else:
                complete, loops = True, self._read_part(one, loops=loops)

    def _close(self, char: str, closing: str, *, complete: bool) -> None:
        if char != closing or self.bodies or not complete:
            raise _Unsure
        self.at += len(char)
        self.depth -= 1

    def _skip_blanks(self) -> None:
        while self.text.startswith((" ", "\t", "\\\n"), self.at):
            self.at += 2 if self.text[self.at] == "\\" else 1
        if self.text.startswith("#", self.at):
            match = _COMMENT.match(self.text, self.at)
            if match is None:
                raise _Unsure  # an interactive zsh knows no comments
            self.at = match.end()

    def _separator(self, char: str) -> str:
        """Return what separates two commands here. "" if nothing does."""
        if char == "\n":
            self.at += 1
            self._read_bodies()
            return char
        match = None if _REDIRECTION.match(self.text, self.at) else _SEPARATOR.match(self.text, self.at)
        if match is None or self.text.startswith(";;", self.at):
            if char == ";":
                raise _Unsure
            return ""
        self.at = match.end()
        self.fed = self.fed or match[0] in {"|", "|&"}
        return match[0]

    def _add(self, one: SimpleCommand, *, drop: bool) -> None:
        if drop:
            one.words = []
        if one != SimpleCommand(fed=one.fed):
            self.found.append(one)

    def _read_group(self, one: SimpleCommand) -> None:
        if one != SimpleCommand(fed=one.fed) or self.text.startswith("((", self.at):
            raise _Unsure
        self.at += 1
        self.read_list(")")

    def _read_part(self, one: SimpleCommand, *, loops: bool) -> bool:
        """Read a word or a redirection of a command. Return whether its words are those of a loop, `for x in ...`."""
        redirection = _REDIRECTION.match(self.text, self.at)
        if redirection is not None:
            self.at = redirection.end()
            self._redirect(one, redirection[0].lstrip("0123456789"))
            return loops
        name, start = _ASSIGNED.match(self.text, self.at), self.at
        word = self._word()
        bare = self.text[start : self.at]
        if one.words or loops:
            one.words.append(word)
        elif bare in _UNREAD or bare.startswith(("=", "^")):
            raise _Unsure
        elif bare == "for" and not one.assigned:
            return True
        elif name is not None:
            one.assigned.append((name["name"], Word(word.text[len(name[0]) :], word.exact)))
        elif bare not in _SKIPPED:
            one.words.append(word)
        return loops

    def _redirect(self, one: SimpleCommand, sign: str) -> None:
        self._skip_blanks()
        start = self.at
        target = self._word()
        if not self.text[start : self.at]:
            raise _Unsure
        one.fed = self.fed = self.fed or sign.startswith("<")
        if sign in {"<<", "<<-"}:
            raw = self.text[start : self.at]
            if not target.exact:
                raise _Unsure
            self.bodies.append((target.text, sign == "<<-", raw != target.text))
        elif sign not in {"<", "<<<", "<&"}:
            one.writes = one.writes or not (target.exact and target.text in _NOTHING)

    def _read_bodies(self) -> None:
        """Read the texts that follow a line with `<<`."""
        for end, strips, literal in self.bodies:
            while True:
                line, newline, _ = self.text[self.at :].partition("\n")
                self.at += len(line) + len(newline)
                if (line.lstrip("\t") if strips else line) == end:
                    break
                if not newline or (not literal and (line.endswith("\\") or re.search(r"\$[({\[]|`", line))):
                    raise _Unsure
        self.bodies = []

    def _word(self) -> Word:
        found = _OpenWord()
        while self.at < len(self.text) and self.text[self.at] not in _ENDS_WORD:
            char = self.text[self.at]
            if char == "'":
                end = self.text.find("'", self.at + 1)
                found.add(self.text[self.at + 1 : self._past(end)])
                self.at = end + 1
            elif char == '"':
                self._read_double(found)
            elif char in "$`":
                self._read_expansion(found, quoted=False)
            else:
                self._read_plain(found, char)
        if self.text.startswith(("<(", ">("), self.at):
            self.at += 2
            self.read_list(")")
            found.leave_open(splits=True)
        elif self.text.startswith("(", self.at):
            raise _Unsure
        return Word("".join(found.text), found.exact)

    def _past(self, at: int) -> int:
        """Return a place that was found."""
        if at < 0:
            raise _Unsure
        return at

    def _read_plain(self, found: _OpenWord, char: str) -> None:
        brackets = None if found.text else _BRACKETS.match(self.text, self.at)
        after = self.text[self.at + 1 : self.at + 2]
        if brackets is not None:
            self.at = brackets.end()
            found.add(brackets[0])
            return
        if char.isspace() or (char == "!" and after not in {"", " ", "\t", "\n", "="}):
            raise _Unsure
        if char == "\\":
            if not after:
                raise _Unsure
            found.add("" if after == "\n" else after)
        elif char in "*?[{":
            found.leave_open(splits=False)
        else:
            found.add(char)
        self.at += 2 if char == "\\" else 1

    def _read_double(self, found: _OpenWord) -> None:
        self.at += 1
        while not self.text.startswith('"', self.at):
            char, after = self.text[self.at : self.at + 1], self.text[self.at + 1 : self.at + 2]
            if not after or (char == "!" and after not in ' \t\n="'):
                raise _Unsure
            if char in "$`":
                self._read_expansion(found, quoted=True)
            elif char == "\\" and after in '$`"\\\n':
                found.add("" if after == "\n" else after)
                self.at += 2
            else:
                found.add(char)
                self.at += 1
        self.at += 1

    def _read_expansion(self, found: _OpenWord, *, quoted: bool) -> None:
        """Read a variable or a substitution. Unless it is `quoted`, it can stand for several words."""
        backticks = _BACKTICKS.match(self.text, self.at)
        if backticks is not None:
            inner = _Reader(re.sub(r"\\([\\`$])", r"\1", backticks[1]), self.depth)
            inner.read_list("")
            self.found += inner.found
            self.at = backticks.end()
        elif (known := self._variable(quoted=quoted)) is not None:
            self.at = known.end()
        elif self.text.startswith("$(", self.at) and not self.text.startswith("$((", self.at):
            self.at += 2
            self.read_list(")")
        elif re.compile(r"\$(?=[ \t\n/.,)%|\"]|$)").match(self.text, self.at) and (
            quoted or self.text[self.at + 1 :][:1] != '"'
        ):
            self.at += 1
            found.add("$")
            return
        else:
            raise _Unsure
        found.leave_open(splits=not quoted)

    def _variable(self, *, quoted: bool) -> re.Match[str] | None:
        forms = (_SUM, _BRACED, _VARIABLE) if quoted else (_SUM, _BRACED, _VARIABLE, _ESCAPED)
        return next((match for one in forms if (match := one.match(self.text, self.at)) is not None), None)


class _OpenWord:
    """A word that is being read: its text up to the first part that is not known."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.exact = True

    def add(self, text: str) -> None:
        """Add text that is known."""
        if self.exact and text:
            self.text.append(text)

    def leave_open(self, *, splits: bool) -> None:
        """End the text that is known. What `splits` can make other words of it."""
        self.exact = False
        if splits:
            self.text = []
