"""Whether a command line runs some programs: certainly only these, or possibly one of them.

A pattern is a program, then words that must follow it, then options: `sudo`, `git push`, `git push --force`, `rm -rf`.
`<main>` after `git push` is the branch that is pushed to. `(reads)` are the commands that only read, `(well-known)`
those of programs of which it is known that they are no text of another language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding import shell_programs as programs
from retouch.recipes.policy.deciding.shell_commands import RunCommand, commands_run, is_plain_sed
from retouch.recipes.policy.deciding.sizes import UNKNOWN, Passes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.recipes.policy.deciding.shell_words import Word

READS = "(reads)"
WELL_KNOWN = "(well-known)"
_NPM_INSTALL = "install i in ins inst insta instal isnt isnta isntal isntall add it cit ci install-test install-ci-test"
# Words and options that mean the same.
_SAME_WORDS: Mapping[tuple[str, str], frozenset[str]] = {
    ("npm", "install"): frozenset(_NPM_INSTALL.split()),
    ("npm", "test"): frozenset({"test", "tst", "t"}),
    ("npm", "run"): frozenset({"run", "run-script", "rum", "urn"}),
    ("npm", "uninstall"): frozenset({"uninstall", "un", "unlink", "remove", "rm", "r"}),
    ("pnpm", "install"): frozenset({"install", "i", "add"}),
}
_SAME_PROGRAMS: Mapping[str, frozenset[str]] = {
    "apt": frozenset({"apt", "apt-get", "aptitude"}),
    "apt-get": frozenset({"apt", "apt-get", "aptitude"}),
    "pip": frozenset({"pip", "pip3"}),
    "sudo": frozenset({"sudo", "sudoedit"}),
}
_SAME_OPTIONS: tuple[tuple[str, frozenset[str]], ...] = (
    ("rm", frozenset({"-r", "-R", "--recursive"})),
    ("rm", frozenset({"-f", "--force"})),
    ("git push", frozenset({"-f", "--force", "--force-with-lease", "--mirror", "+"})),
    ("git push", frozenset({"-d", "--delete", "--prune", "--mirror", ":"})),
    ("git commit", frozenset({"--no-verify", "-n"})),
    ("git", frozenset({"-f", "--force"})),
    ("kubectl", frozenset({"--force"})),
    ("kill", frozenset({"-9", "-KILL", "-SIGKILL"})),
)
_PUSH_OPTION = re.compile(
    r"-[ufvqn]+|--(?:set-upstream|force(?:-with-lease(?:=.*)?|-if-includes)?|no-verify|verbose|quiet|dry-run|tags|"
    r"follow-tags|atomic|porcelain|progress|no-progress|delete|signed|thin|no-thin)"
)
_ELSEWHERE = frozenset({"send-pack", "subtree", "http-push"})


@dataclass(frozen=True)
class _Pattern:
    """A pattern of commands: `branches` are those that are pushed to."""

    program: str
    words: tuple[str, ...]
    options: tuple[str, ...]
    branches: tuple[str, ...]


def judge_runs(text: str, patterns: Sequence[str]) -> Passes:
    """Return whether a command line only runs what the patterns say, and whether it may run something of it."""
    found = commands_run(text)
    if found is None:
        return UNKNOWN
    surely = bool(found) and all(any(_surely(one, pattern) for pattern in patterns) for one in found)
    return Passes(surely, any(_may(one, pattern) for one in found for pattern in patterns))


def run_examples(tested: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a command line for each pattern, and for every two of them."""
    found = list(dict.fromkeys(text for patterns in tested for pattern in patterns for text in _examples(pattern)))
    yield from found
    yield from (f"{one}; {found[0]}" for one in found[1:])
    yield from ("$unknown",) if found else ()


def _examples(pattern: str) -> Iterator[str]:
    if pattern in {READS, WELL_KNOWN}:
        yield from ("ls", "rm example") if pattern == READS else ("make",)
        return
    one = pattern_of(pattern)
    text = " ".join((one.program, *one.words, *one.options))
    yield from [f"{text} origin {name.replace('*', '/1')}" for name in one.branches] or [text]


@lru_cache(maxsize=1000)
def pattern_of(text: str) -> _Pattern:
    """Return the parts of a pattern."""
    program, *rest = text.split()
    options = [one for one in rest if one.startswith(("-", "+"))]
    letters = [f"-{one}" for option in options if re.fullmatch(r"-[a-zA-Z]{2,4}", option) for one in option[1:]]
    options = [one for one in options if not re.fullmatch(r"-[a-zA-Z]{2,4}", one)] + letters
    branches = tuple(one[1:-1] for one in rest if one.startswith("<"))
    return _Pattern(
        program, tuple(one for one in rest if not one.startswith(("-", "+", "<"))), tuple(options), branches
    )


def _surely(one: RunCommand, text: str) -> bool:
    if text == READS:
        return one.plain and reads_only(one)
    if text == WELL_KNOWN:
        return one.path != "" and _base(one.program) in programs.WELL_KNOWN
    pattern = pattern_of(text)
    named = pattern.program if "/" in pattern.program else pattern.program.rpartition("/")[2]
    if not one.plain or pattern.branches or one.path != named or not all(word.exact for word in one.args[:1]):
        return False
    words = tuple(word.text for word in one.args[: len(pattern.words)] if word.exact)
    if len(words) < len(pattern.words):
        return False
    same = all(word in _same_words(pattern.program, own) for word, own in zip(words, pattern.words, strict=True))
    given = {word.text for word in one.args if word.exact}
    return same and set(pattern.options) <= given and (reads_only(one) or not _is_reader(one))


def is_of_reading(text: str) -> bool:
    """Return whether a pattern is of commands that only read."""
    return text == READS or any(text == name or text.startswith(f"{name} ") for name in programs.READING)


def _is_reader(one: RunCommand) -> bool:
    return any(name in programs.READING for name in _names(one)) or one.program in {"sed", *programs.AWKS}


def _names(one: RunCommand) -> tuple[str, ...]:
    texts = [word.text for word in one.args[:2]]
    return (one.program, f"{one.program} {' '.join(texts[:1])}", f"{one.program} {' '.join(texts)}")


def reads_only(one: RunCommand) -> bool:
    """Return whether a command only reads: it writes, changes, deletes and runs nothing else."""
    if one.path != one.program:
        return False
    if one.program == "sed":
        return is_plain_sed(one.args) and not any(
            word.text.startswith(("-i", "--i")) or not word.exact for word in one.args
        )
    if one.program in programs.AWKS:
        return all(word.exact and ">" not in word.text for word in one.args)
    name = next((name for name in _names(one)[::-1] if name in programs.READING), "")
    if not name:
        return False
    forbidden = programs.READING[name]
    args = one.args[name.count(" ") :]
    return all(_spares(forbidden, word) for word in args)


def _spares(forbidden: re.Pattern[str], word: Word) -> bool:
    if forbidden.pattern == "a^":
        return True
    return (word.exact or (word.text[:1] not in {"", "-"} and forbidden.match("x") is None)) and not forbidden.match(
        word.text
    )


def _may(one: RunCommand, text: str) -> bool:
    if text == READS:
        return reads_only(one) or _is_reader(one)
    if text == WELL_KNOWN:
        return True
    pattern = pattern_of(text)
    own = pattern.program.rpartition("/")[2].casefold()
    same = _SAME_PROGRAMS.get(own, frozenset({own}))
    if {one.program.casefold().removesuffix(".exe"), _base(one.program)} & same:
        return _may_follow(one, pattern)
    first = one.args[0].text if one.args else ""
    data = programs.takes_only_data(one.program, first) or any(name in programs.READING for name in _names(one))
    return not data and _mentions(one, pattern)


def _base(program: str) -> str:
    """Return the name of a program without a version: `pip` for `pip3.11`."""
    return re.sub(r"(?<=[a-z])[\d.]+$", "", program.casefold().removesuffix(".exe"))


def _mentions(one: RunCommand, pattern: _Pattern) -> bool:
    """Return whether arguments name a program and its first words, so that it may be run by this one."""
    told = " ".join(word.text for word in one.args).casefold()
    names = (pattern.program.rpartition("/")[2], *pattern.words)
    return all(re.search(rf"(?<![\w.-]){re.escape(name.casefold())}(?![\w-])", told) is not None for name in names)


def _may_follow(one: RunCommand, pattern: _Pattern) -> bool:
    if pattern.branches:
        pushes = bool(one.args) and one.args[0].text == "push"
        other = bool(one.args) and one.args[0].text in _ELSEWHERE
        if not (other or (pushes and any(_may_reach(one.args[1:], name) for name in pattern.branches))):
            return False
    elif not _may_name(one.args, pattern):
        return False
    return all(
        any(_may_be(word, each) for word in one.args for each in _same(pattern, option)) for option in pattern.options
    )


def _may_name(args: Sequence[Word], pattern: _Pattern, at: int = 0) -> bool:
    """Return whether the words of a pattern may follow a program. What follows an option may be its value."""
    if at == len(pattern.words):
        return True
    wanted = _same_words(pattern.program, pattern.words[at])
    valued = False
    for place, word in enumerate(args):
        if any(word.text == one if word.exact else one.startswith(word.text) for one in wanted) and _may_name(
            args[place + 1 :], pattern, at + 1
        ):
            return True
        if word.text.startswith("-"):
            valued = "=" not in word.text and word.text != "--"
        elif word.exact or word.text:
            if not valued:
                return False
            valued = False
    return False


def _same_words(program: str, word: str) -> frozenset[str]:
    return _SAME_WORDS.get((program, word), frozenset({word}))


def _same(pattern: _Pattern, option: str) -> frozenset[str]:
    own = " ".join((pattern.program, *pattern.words))
    found = (same for name, same in _SAME_OPTIONS if option in same and (own == name or own.startswith(f"{name} ")))
    return next(found, frozenset({option}))


def _may_be(word: Word, option: str) -> bool:
    """Return whether a word may be an option, also among others (`-rf`), with a value or shortened (`--forc`)."""
    if option in {"+", ":"}:
        return word.text.startswith(option) or (not word.exact and not word.text)
    if not word.exact and word.text in {"", "-", "--"}:
        return True
    name = word.text.partition("=")[0]
    if option.startswith("--"):
        return (
            name == option
            or (len(name) > 3 and option.startswith(name))
            or (not word.exact and option.startswith(word.text))
        )
    single = len(option) == 2
    return word.text == option or (single and word.text[:1] == "-" and word.text[:2] != "--" and option[1] in word.text)


def _may_reach(args: Sequence[Word], branch: str) -> bool:
    """Return whether a push may change a branch: one that it names, or if it names none the current one."""
    if any(not word.exact and not word.text for word in args):
        return True
    options = [word for word in args if word.text.startswith("-")]
    if any(not word.exact or not _PUSH_OPTION.fullmatch(word.text) for word in options):
        return True
    named = [word for word in args if not word.text.startswith("-")][1:]
    return not named or any(_may_be_branch(word, branch) for word in named)


def _may_be_branch(word: Word, branch: str) -> bool:
    text = word.text.lstrip("+")
    source, colon, target = text.partition(":")
    name = (target if colon else source).removeprefix("refs/heads/").removeprefix("heads/")
    if not word.exact:
        shown = name.partition("*")[0]
        start = branch.partition("*")[0]
        return shown.startswith(start) or start.startswith(shown)
    return name in {"", "HEAD", "@"} or "*" in name or fnmatchcase(name.casefold(), branch.casefold())
