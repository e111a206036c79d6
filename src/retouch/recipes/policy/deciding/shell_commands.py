"""Tells which programs a command line of a POSIX shell runs, with their arguments, or that it does not know.

`sudo`, `env`, `xargs`, `find -exec`, `bash -c` and the like count, and so does what they run. What is started by a
script or a build tool that the command line names is not seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding import shell_programs as programs
from retouch.recipes.policy.deciding.shell_words import Word, simple_commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.deciding.shell_programs import Options
    from retouch.recipes.policy.deciding.shell_words import SimpleCommand

_DEEPEST = 5
_PLAIN = re.compile(r"[\w.+@~/:-]*[\w+~-]|\[\[?|\.|:", re.ASCII)
_FILE = re.compile(r"(?!-|/dev/|/proc/)[\w ./~@+:-]*[\w.]", re.ASCII)
_VALUE = re.compile(r"[\w./+-]*", re.ASCII)
_RUN_BY_NAME = re.compile(
    r"PROMPT_COMMAND|PS\d|ENV|BASH_ENV|IFS|ZDOTDIR|BROWSER|VISUAL|LESS(?:OPEN|CLOSE)|\w*(?:EDITOR|PAGER|_COMMAND|ASKPASS)|"
    r"GIT_(?!AUTHOR|COMMITTER)\w+|BASH_FUNC\w*|SHELL"
)
_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)\+?=(?P<value>.*)", re.ASCII | re.DOTALL)
_DISGUISED = re.compile(r"\w(?:''|\"\"|\\|'\w+'|\"\w+\"|\$[@*\d])\w|\\\n")
_OF_ANY = Word("", exact=False)
_USUAL = re.compile(r"(?:/usr)?(?:/local)?/s?bin/[^/]+")
SET_TO = "="


@dataclass(frozen=True)
class RunCommand:
    """A program that is run: its name without its directory, and its arguments.

    `path`: the name as it is written. `plain`: no variables are set for it, and nothing is written to a file.
    The value of a variable is a command of the program `SET_TO`, because another one may run it.
    """

    program: str
    args: tuple[Word, ...]
    path: str = ""
    plain: bool = True


class _Unknown(Exception):
    """It is not known what is run."""


def commands_run(text: str) -> tuple[RunCommand, ...] | None:
    """Return the commands that a command line runs. None if it is not certain.

    Example:
        >>> [one.program for one in commands_run("cd a && sudo make && bash -c 'git push'") or ()]
        ['cd', 'sudo', 'make', 'bash', 'git']
        >>> commands_run('$CMD x') is None, commands_run("python -c 'x'") is None
        (True, True)
    """
    try:
        return tuple(_of_text(text, 0))
    except _Unknown:
        return None


def _of_text(text: str, depth: int) -> Iterator[RunCommand]:
    found = simple_commands(text)
    if found is None or depth > _DEEPEST:
        raise _Unknown
    for one in found:
        for name, value in one.assigned:
            yield from _set(name, value)
        if one.words:
            yield from _of_words(tuple(one.words), one, depth)
        elif one.writes:
            yield RunCommand(SET_TO, (), plain=False)


def _set(name: str, value: Word) -> Iterator[RunCommand]:
    """Yield what a variable may run."""
    if _RUN_BY_NAME.fullmatch(name):
        if not value.exact or not _VALUE.fullmatch(value.text):
            raise _Unknown
        yield RunCommand(value.text.rpartition("/")[2], (), plain=False)
    if re.search(r"[$`]\(|`", value.text):
        raise _Unknown
    yield RunCommand(SET_TO, (value,), plain=False)


def _of_words(words: tuple[Word, ...], one: SimpleCommand, depth: int) -> Iterator[RunCommand]:
    """Yield the command of some words, and what it runs."""
    first, args = words[0], words[1:]
    if not first.exact or not _PLAIN.fullmatch(first.text):
        raise _Unknown
    program = first.text.rpartition("/")[2]
    if _USUAL.fullmatch(first.text):
        first = Word(program)
    own = RunCommand(program, args, first.text, plain=not (one.assigned or one.writes))
    low = program.lower().removesuffix(".exe")
    if low in programs.UNKNOWN:
        raise _Unknown
    if low == "git":
        yield _of_git(own)
    elif low in programs.WRAPPERS:
        yield own
        yield from _wrapped(low, args, one, depth)
    elif low in programs.SHELLS:
        yield own
        yield from _of_shell(args, depth)
    elif re.sub(r"[\d.]+$", "", low) in programs.INTERPRETERS:
        yield own
        yield from _interpreted(low, args, one, depth)
    else:
        yield own
        yield from _of_others(low, args, one, depth)


def _after_options(args: tuple[Word, ...], options: Options) -> tuple[Word, ...]:
    """Return the arguments after the options.

    Raises:
        _Unknown: an option is not known, so that its value may be the next argument.
    """
    at = 0
    while at < len(args):
        text, exact = args[at].text, args[at].exact
        if not exact and text[:1] in {"", "-"}:
            raise _Unknown
        if text == "--":
            return args[at + 1 :]
        if not text.startswith("-") or text == "-":
            break
        at += 1 + _has_value_apart(text, options)
    return args[at:]


def _has_value_apart(text: str, options: Options) -> bool:
    name, sign, _ = text.partition("=")
    if text.startswith("--"):
        if sign or name in options.long_flags:
            return False
        if name in options.long_valued:
            return True
        raise _Unknown
    for at, letter in enumerate(text[1:], start=2):
        if letter in options.valued:
            return at == len(text)
        if letter not in options.flags:
            raise _Unknown
    return False


def _wrapped(program: str, args: tuple[Word, ...], one: SimpleCommand, depth: int) -> Iterator[RunCommand]:
    """Yield what a program runs that runs its arguments."""
    options = programs.WRAPPERS[program]
    if program == "command" and args[:1] in {(Word("-v"),), (Word("-V"),)}:
        return
    rest = _after_options(args, options)
    if len(rest) < options.operands:
        raise _Unknown
    rest = rest[options.operands :]
    while options.sets and rest and (match := _ASSIGNMENT.fullmatch(rest[0].text)) is not None:
        yield from _set(match["name"], Word(match["value"], rest[0].exact))
        rest = rest[1:]
    if program == "env" and rest[:1] == (Word("-"),):
        raise _Unknown
    if program == "xargs":
        rest = _of_xargs(args[: len(args) - len(rest)], rest)
    if rest:
        yield from _of_words(rest, one, depth)
    elif one.fed and program in {"sudo", "doas"}:
        raise _Unknown


def _of_xargs(options: tuple[Word, ...], rest: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the words that `xargs` runs: what it reads is added, or stands where the option `-I` says."""
    told = [one.text for one in options]
    marks = [
        text[2:] or (told[at + 1] if at + 1 < len(told) else "{}")
        for at, text in enumerate(told)
        if text[:2] in {"-I", "-J"}
    ]
    if any(re.match(r"-\w+[IJ]", one.text) for one in options):
        raise _Unknown
    opened = tuple(
        next((Word(one.text.partition(mark)[0], exact=False) for mark in marks if mark in one.text), one)
        for one in rest
    )
    return (*opened, _OF_ANY) if opened else ()


def _of_shell(args: tuple[Word, ...], depth: int) -> Iterator[RunCommand]:
    """Yield what a shell runs: the text after `-c`. A script is a program of its own."""
    at, reads = 0, False
    while at < len(args) and args[at].exact and args[at].text.startswith(("-", "+")):
        if not re.fullmatch(r"[-+][aefilmnuvxc]+|--(?:login|norc|noprofile|posix)", args[at].text):
            raise _Unknown
        reads = reads or "c" in args[at].text.replace("--norc", "")
        at += 1
    if at == len(args) or not args[at].exact:
        raise _Unknown
    if reads:
        yield from _of_text(args[at].text, depth + 1)
    elif not _FILE.fullmatch(args[at].text):
        raise _Unknown


def _interpreted(program: str, args: tuple[Word, ...], one: SimpleCommand, depth: int) -> Iterator[RunCommand]:
    """Yield what an interpreter runs: `python -m pip` is `pip`. A file is a program of its own."""
    if not args or not args[0].exact:
        raise _Unknown
    first = args[0].text
    if program.startswith(("python", "pypy")):
        rest = _after_options(args, _PYTHON) if first != "-m" else args
        if len(rest) > 1 and rest[0].text == "-m":
            yield from _of_words(rest[1:], one, depth)
            return
        first = rest[0].text if rest and rest[0].exact else "-"
    if first in {"--version", "--help", "-V"} and len(args) == 1:
        return
    if not _FILE.fullmatch(first) or first in {"eval", "repl", "-"}:
        raise _Unknown


_PYTHON = programs.Options("uBOEIsSbq", "WX")


def _of_git(own: RunCommand) -> RunCommand:
    """Return a command of git without the options before its subcommand.

    Raises:
        _Unknown: the subcommand is an alias, or an option or setting can run something.
    """
    args, plain = _after_settings(own.args), own.plain and own.args[:1] != (Word("-c"),)
    first = args[0] if args else Word("--help")
    if first.text not in {"--version", "--help"}:
        rest = _after_options(args, programs.GIT_GLOBAL)
        plain = plain and {one.text for one in args[: len(args) - len(rest)]} <= {"--no-pager", "-P"}
        args = rest
    named = args[0] if args else Word("--help")
    if not named.exact or named.text not in programs.GIT_COMMANDS or named.text in programs.GIT_RUNNING:
        raise _Unknown
    if _git_runs(named.text, args[1:]):
        raise _Unknown
    return RunCommand("git", args or (named,), own.path, plain=plain)


def _after_settings(args: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the arguments of git after `-c name=value`.

    Raises:
        _Unknown: a setting may run something.
    """
    at = 0
    while at + 1 < len(args) and args[at] == Word("-c"):
        setting = args[at + 1]
        if not setting.exact or not programs.GIT_SETTING.fullmatch(setting.text):
            raise _Unknown
        at += 2
    return args[at:]


def _git_runs(command: str, args: Sequence[Word]) -> bool:
    """Return whether a subcommand of git may run another command."""
    texts = [one.text for one in args]
    if any(programs.GIT_RUNNING_OPTION.match(text) for text in texts):
        return True
    words = {"bisect": {"run"}, "submodule": {"foreach"}, "grep": {"-O"}, "rebase": {"-x"}, "clone": {"-c", "-u"}}
    if any(text[:2] == word or text == word for text in texts for word in words.get(command, ())):
        return command not in {"bisect", "submodule"} or not words[command].isdisjoint(texts)
    sets = command == "config" and not {"--get", "--list", "-l", "get", "list"}.intersection(texts)
    return sets and any(programs.GIT_RUNNING_SETTING.search(text.lower()) for text in texts)


def _of_others(program: str, args: tuple[Word, ...], one: SimpleCommand, depth: int) -> Iterator[RunCommand]:
    """Yield what another program runs."""
    if program == "find":
        yield from _of_find(args, one, depth)
    elif program == "ssh":
        yield from _joined(_after_options(args, programs.SSH)[1:], args, one, depth)
    elif program in {"su", "runuser"}:
        yield from _of_su(args, one, depth)
    elif program in {"export", "declare", "typeset", "local", "readonly"}:
        yield from _exported(program, args)
    elif program in {"source", "."}:
        if not args or not args[0].exact or not _FILE.fullmatch(args[0].text):
            raise _Unknown
    elif _is_program_text(program, args, one):
        raise _Unknown
    elif not _is_data(program, args):
        yield from _in_arguments(args, one, depth)


def _is_program_text(program: str, args: tuple[Word, ...], one: SimpleCommand) -> bool:
    """Return whether a program takes a text that may run something, and this text is not known not to."""
    texts = [word.text for word in args]
    if program == "[[":
        return texts[-1:] != ["]]"] or "]]" in texts[:-1] or any("[" in text for text in texts)
    if program in {"test", "["}:
        return any("[" in text for text in texts)
    if program == "printf":
        return texts[:1] == ["-v"]
    if program == "sed":
        return not is_plain_sed(args)
    if program in programs.AWKS:
        return not all(word.exact for word in args[:1]) or any(
            re.search(r"system|[|@]|getline|^-[fliEe]|^--", text) for text in texts
        )
    if program in programs.EDITORS:
        return any(text.startswith(("-", "+")) for text in texts)
    if program in programs.DATABASES:
        return one.fed or any(re.search(r"\\|\.shell|\.system|system|^-f|!", text) for text in texts)
    if program in {"npx", "npm", "pnpm", "yarn", "bunx"}:
        return any(re.match(r"-c$|--call|--script-shell|--shell", text) for text in texts)
    if program == "tar":
        return any(re.match(r"--(?:ch|to-c|use|rsh|i|new-v)|-[a-zA-Z]*[IF]", text) for text in texts)
    return False


def is_plain_sed(args: Sequence[Word]) -> bool:
    """Return whether a script of `sed` only prints, deletes lines or replaces text: `e` and `w` do other things."""
    scripts = [word for word in args if not re.fullmatch(r"-[nErsuz]+|-i[.\w]*|--in-place|-e", word.text)]
    many = sum(word.text == "-e" for word in args) or 1
    return bool(scripts) and all(word.exact and programs.PLAIN_SED.fullmatch(word.text) for word in scripts[:many])


def _of_find(args: tuple[Word, ...], one: SimpleCommand, depth: int) -> Iterator[RunCommand]:
    at = 0
    while at < len(args):
        if args[at].text in {"-exec", "-execdir", "-ok", "-okdir"}:
            ends = (end for end in range(at + 1, len(args)) if args[end].text in {";", "+"})
            end = next(ends, len(args))
            inner = tuple(
                Word(word.text.partition("{}")[0], exact=False) if "{}" in word.text else word
                for word in args[at + 1 : end]
            )
            if not inner:
                raise _Unknown
            yield from _of_words(inner, one, depth)
            at = end
        at += 1


def _of_su(args: tuple[Word, ...], one: SimpleCommand, depth: int) -> Iterator[RunCommand]:
    texts = [word.text for word in args]
    if "-c" in texts:
        yield from _joined(args[texts.index("-c") + 1 :][:1], args, one, depth)
    elif one.fed or any(len(text) > 2 and text.startswith("-") and text != "--login" for text in texts):
        raise _Unknown


def _joined(rest: tuple[Word, ...], args: tuple[Word, ...], one: SimpleCommand, depth: int) -> Iterator[RunCommand]:
    """Yield what another shell runs to which the words are given as a text."""
    told = (word.text.lower() for word in args[: len(args) - len(rest)])
    if any(not word.exact for word in rest) or any("command" in text or text.startswith("-f/") for text in told):
        raise _Unknown
    if rest:
        yield from _of_text(" ".join(word.text for word in rest), depth + 1)
    elif one.fed:
        raise _Unknown


def _exported(program: str, args: tuple[Word, ...]) -> Iterator[RunCommand]:
    for word in args:
        match = _ASSIGNMENT.fullmatch(word.text)
        if match is not None:
            yield from _set(match["name"], Word(match["value"], word.exact))
        elif not word.exact or not re.fullmatch(r"-[xrgp]+|\w+" if program != "export" else r"-[pn]|\w+", word.text):
            raise _Unknown


def _is_data(program: str, args: tuple[Word, ...]) -> bool:
    first = args[0].text if args else ""
    return (
        programs.takes_only_data(program, first)
        or program in programs.READING
        or f"{program} {first}" in programs.READING
    )


def _in_arguments(args: tuple[Word, ...], one: SimpleCommand, depth: int) -> Iterator[RunCommand]:
    """Yield the commands of shells that another program is told to run: `docker exec web bash -c "..."`."""
    if any(_DISGUISED.search(word.text) for word in args):
        raise _Unknown
    for at, word in enumerate(args):
        name = word.text.rpartition("/")[2]
        inline = name == "node" and any(re.match(r"-[ep]|--(?:eval|print)", after.text) for after in args[at + 1 :][:1])
        if word.exact and (inline or name in programs.SHELLS | {"eval", "xargs", "env", "python", "python3", "perl"}):
            yield from _of_words(args[at:], one, depth)
