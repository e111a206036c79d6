"""Reads sentences about the commands that a shell may run: "never run sudo", "ask before you install with npm".

A restriction is about the command lines that the agent gives: one that may run such a command, or of which it is not
known what it runs. A script or a build tool that a permitted command starts can still do it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.shell_tests import READS
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.several_tests import code_parts
from retouch.recipes.policy.english.limits.shell_limits import other_runs, permitted_runs, restricted_runs
from retouch.recipes.policy.english.limits.telling_times import clock_tests
from retouch.recipes.policy.english.ordinary.shell_phrases import is_permittable, patterns_of
from retouch.recipes.policy.english.ordinary.stance_words import AGREE, ASKED, BEFORE, NEVER, SAID
from retouch.recipes.policy.english.tools.shell_tools import is_typed, shell_argument
from retouch.recipes.policy.english.words.clock_times import whole_times
from retouch.recipes.policy.english.words.naming import SentenceWords
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.english.words.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.clock_times import NamedTime
    from retouch.recipes.policy.english.words.sentences import ToolPart

_RUN = r"(?:run|execute|use|call|invoke|type|issue|do|perform|try|start|make|touch|launch)"
_RUNNING = r"(?:running|executing|using|calling|invoking|typing|issuing|doing|performing|trying|making)"
_MAY = (
    r"(?:(?:you|the agent) (?:may|can|are allowed to|are free to|are permitted to)|feel free to|it's "
    r"(?:fine|ok|okay) to|i allow you to)"
)
_SHELL = r"(?:shell|bash|terminal|command line|console)"
_IN_SHELL = (
    rf"(?:(?:in|on|from|with|via|through|using) (?:the |a |any |my )?{_SHELL}(?: tool)?|on this "
    rf"(?:machine|box|computer|laptop)|here)"
)
_WHAT = r"(?P<what>.+?)"
_END = (
    r"(?:,? (?:ever|always|first|at all|again|whatever happens|no matter what|under any circumstances|please|period|"
    r"full stop))?"
)
_NOTHING_ELSE = (
    r"[,;]?(?: but| and)? ?(?:nothing else|no other commands?|no others|nothing more|nothing but "
    r"that|not anything else)"
)
_FORBIDDEN = (
    r"(?:forbidden|banned|off[- ]limits|not allowed|prohibited|taboo|not ok|not okay|a no-go|never "
    r"allowed|never ok|never okay)"
)
_READING = r"(?:read-?only|reading|harmless read-?only)"
_CHANGES = r"(?:chang|modif|writ|delet|alter|edit)(?:e|es|s|ies|y)?"


@dataclass(frozen=True)
class _Said:
    """How a sentence is meant: `never`, `ask`, `allow` or `only`; the patterns of its commands, and its time.

    It is about every command if there are no patterns.
    """

    how: str
    patterns: tuple[str, ...]
    when: NamedTime | None = None


# Each form with whether a word such as "run" or "command" shows that a command follows.
_FORMS: tuple[tuple[str, str, bool], ...] = (
    ("never", rf"{NEVER} {_RUN} {_WHAT}", True),
    ("never", rf"{NEVER} {_WHAT}", False),
    ("never", rf"no {_RUNNING} (?:of )?{_WHAT}", True),
    ("never", rf"no (?:more )?{_WHAT}", False),
    ("never", rf"(?:{_RUNNING} )?{_WHAT} (?:is|are) (?:strictly |absolutely |always )?{_FORBIDDEN}", False),
    ("never", rf"{_WHAT} (?:must|may|should|can) (?:never|not) be (?:run|used|executed|called)", True),
    ("never", rf"(?:stay away from|keep away from|stop) (?:{_RUNNING} )?{_WHAT}", False),
    ("never", rf"(?:run )?nothing {_WHAT}", False),
    ("ask", rf"{BEFORE}(?:{_RUN}|{_RUNNING}) {_WHAT}", True),
    ("ask", rf"{BEFORE}(?:{_RUNNING} )?{_WHAT}", False),
    (
        "ask",
        (
            rf"before (?:you )?(?:{_RUN} |{_RUNNING} )?{_WHAT},? (?:please )?(?:always )?(?:ask|check with|"
            rf"consult|get my (?:ok|okay|approval)"
            r"|get approval)(?: me)?(?: first| for permission)?"
        ),
        False,
    ),
    (
        "ask",
        (
            rf"(?:{_RUNNING} )?{_WHAT} (?:always )?(?:needs?|requires?|has to have|have to have|must have|calls? "
            rf"for) {AGREE}"
        ),
        False,
    ),
    ("ask", rf"(?:no|{NEVER}(?: {_RUN})?) {_WHAT} without {ASKED}", False),
    ("ask", rf"(?:no|{NEVER}(?: {_RUN})?) {_WHAT} unless {SAID}", False),
    ("ask", rf"(?:{_RUN} )?{_WHAT} only (?:after|with) {ASKED}", False),
    ("ask", rf"only {_RUN} {_WHAT} (?:after|with|if|when) (?:{ASKED}|{SAID})", True),
    (
        "ask",
        (
            rf"i (?:want|need|have|would like|'d like) to (?:approve|confirm|ok|sign off on) (?:every|each|any|"
            rf"all) {_WHAT}"
        ),
        False,
    ),
    (
        "only",
        (
            rf"(?:please )?(?:{_MAY} )?(?:only {_RUN}|{_RUN} only|{_RUN} nothing (?:but|except|other than)) "
            rf"(?:the commands? )?{_WHAT}"
        ),
        True,
    ),
    ("only", rf"{NEVER} {_RUN} (?:anything|commands?|any commands?) (?:but|except|other than|besides) {_WHAT}", True),
    (
        "only",
        (
            rf"the only (?:{_SHELL} )?commands? (?:that )?(?:you (?:may|can) (?:run|use)|allowed|i allow) (?:is|"
            rf"are):? {_WHAT}"
        ),
        True,
    ),
    ("only", rf"only {_WHAT} (?:is|are) (?:allowed|permitted|ok|okay|fine)", True),
    ("allow", rf"{_MAY} {_RUN} (?:the commands? )?{_WHAT}{_NOTHING_ELSE}", True),
    ("allow", rf"{_MAY} (?:always |freely )?{_RUN} (?:the commands? )?{_WHAT}", True),
    ("allow", rf"(?:{_RUNNING} )?{_WHAT} (?:is|are) (?:always )?(?:fine|ok|okay|allowed|permitted)", False),
    ("allow", rf"allowed (?:{_SHELL} )?commands(?: are)?:? {_WHAT}", True),
)
_FILES = (
    r"(?:(?:any|my|the|our|other|local|existing|of|a|single|more) )*(?:files?|folders?|director(?:y|ies)|"
    r"files (?:or|and) "
    r"(?:folders|directories)|(?:anything|files) (?:on|from) (?:my|the|this) (?:disk|machine|computer|drive|laptop))"
)
_DELETE = r"(?:delet|remov|eras|wip|trash|unlink)(?:e|es|ing)?"
_EVERY = rf"(?:use |using |run |running )?(?:the |a |any |my )?{_SHELL}(?: tool| commands?)?"
_COMMANDS = rf"(?:(?:any|a|the) )?(?:{_SHELL} )?commands?"
_DELETIONS = (
    ("never", rf"{NEVER} {_DELETE} {_FILES}{_END}"),
    ("never", rf"no (?:{_DELETE}|deletions?|deletes?) (?:of )?{_FILES}{_END}"),
    ("ask", rf"{BEFORE}{_DELETE} {_FILES}{_END}"),
    ("never", rf"(?:{NEVER} {_RUN}|no) {_COMMANDS} that {_DELETE}s? {_FILES}{_END}"),
    ("ask", rf"{BEFORE}(?:{_RUN}|{_RUNNING}) {_COMMANDS} that {_DELETE}s? {_FILES}{_END}"),
    ("ask", rf"{_DELETE} {_FILES} (?:always )?(?:needs?|requires?) {AGREE}"),
    ("ask", rf"{NEVER} {_DELETE} {_FILES} (?:without {ASKED}|unless {SAID})"),
)
_REMOVING = frozenset({"delete", "remove", "erase", "trash", "wipe", "purge", "destroy", "unlink"})
_READ_ONLY_FORMS = (
    rf"(?:please )?(?:{_MAY} )?(?:only {_RUN}|{_RUN} only) {_READING} (?:{_SHELL} )?commands?",
    (
        rf"(?:please )?(?:{_MAY} )?(?:only )?use (?:the |this |my )?{_SHELL}(?: tool)? (?:only )?(?:for|to) "
        rf"(?:read|reading|look around|looking)(?: things| files| only)?"
    ),
    rf"(?:the |my )?{_SHELL} (?:is|stays) (?:{_READING}|for reading only|only for reading)(?: only)?",
    rf"(?:(?:all |any |your )?(?:{_SHELL} )?commands?) (?:must|should|have to) be {_READING}",
    rf"(?:{NEVER} {_RUN}|no) (?:any )?(?:{_SHELL} )?commands? that {_CHANGES} (?:anything|something|files|things)",
)


def shell_meaning(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about commands means for tools that run a shell. None if it is no such sentence.

    Raises:
        Unclear: it is one, but its time cannot be tested.
    """
    tools = [one for one in toolbox.tools if shell_argument(one)]
    if not tools:
        return None
    of_files = _of_files(text, toolbox)
    if of_files is not None:
        return of_files
    said = _said(text, toolbox)
    if said is None or (said.patterns != (READS,) and _others_do(said, toolbox)):
        return None
    others = frozenset(
        part for one in toolbox.tools if one.code and one not in tools for part in _timed(one, said, toolbox)
    )
    if said.how in {"ask", "never"}:
        parts = frozenset(part for one in tools for part in _restricted(one, said, toolbox)) | others
        return Meaning(ask=parts) if said.how == "ask" else Meaning(never=parts)
    if said.how == "only":
        return Meaning(never=others | {part for one in tools for part in other_runs(one, said.patterns)})
    started = [one for one in tools if not is_typed(shell_argument(one))]
    return Meaning(allow=frozenset(part for one in started for part in permitted_runs(one, said.patterns)))


def _of_files(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "ask me before you delete any files" means if only what runs code can do it. None if it differs."""
    plain = " ".join(text.strip().rstrip(".!").replace("\u2019", "'").split())
    forms = ((how, pattern) for how, pattern in _DELETIONS if re.fullmatch(pattern, plain, re.IGNORECASE))
    how = next((how for how, _ in forms), "")
    others = [one for one in toolbox.tools if not one.code and not one.deletes_parts_of(("file",))]
    if not how or any("delete-path" in one.roles or not _REMOVING.isdisjoint(one.verbs) for one in others):
        return None
    parts = code_parts(toolbox.tools, (), None, ("delete",))
    return Meaning(ask=parts) if how == "ask" else Meaning(never=parts)


def _others_do(said: _Said, toolbox: Toolbox) -> bool:
    """Return whether a tool is called like a command (`Grep`), or changes what it says, so that it may be meant."""
    named = (word for one in said.patterns for word in one.split() if not word.startswith(("-", "<")))
    words = {word for one in named for word in re.findall("[a-z]+", one)}
    called = any("".join(one.words) in words for one in toolbox.tools)
    return called or any(not (one.code or one.reads or words.isdisjoint(one.words)) for one in toolbox.tools)


def _restricted(one: KnownTool, said: _Said, toolbox: Toolbox) -> Iterator[ToolPart]:
    for timed in _timed(one, said, toolbox):
        if timed.unless:
            raise Unclear("the time of a command cannot be tested so; write one span of hours or days")
        if said.patterns:
            yield from restricted_runs(one, said.patterns, where=timed.where)
        else:
            yield timed


def _timed(one: KnownTool, said: _Said, toolbox: Toolbox) -> Iterator[ToolPart]:
    if said.when is None:
        yield part_of(one)
    else:
        yield from clock_tests(one, said.when, toolbox.frame.time_zone)


def _said(text: str, toolbox: Toolbox) -> _Said | None:
    """Return what a sentence says of commands. None if it is another one, or can be read in several ways."""
    plain = " ".join(text.strip().rstrip(".!").replace("\u2019", "'").split())
    for pattern in _READ_ONLY_FORMS:
        if re.fullmatch(pattern, plain, re.IGNORECASE):
            return _Said("only", (READS,))
    plain, when = _without_time(plain, toolbox)
    plain = re.sub(rf"^{_IN_SHELL},? |,? {_IN_SHELL}$", "", plain, flags=re.IGNORECASE)
    found = _of_forms(plain) or _of_list(plain)
    restricts = found is not None and found.how in {"never", "ask"}
    if found is None or not (restricts or (when is None and all(map(is_permittable, found.patterns)))):
        return None
    return _Said(found.how, found.patterns, when)


def _without_time(text: str, toolbox: Toolbox) -> tuple[str, NamedTime | None]:
    """Return a sentence without the time at its end, and the time."""
    match = re.search(r" (?:on|after|before|between|during|at|from|outside)(?: of)? [^`]*$", text)
    while match is not None:
        try:
            words = SentenceWords(tokens_of(text[match.start() + 1 :]), known=toolbox.words)
        except Unclear:
            return text, None
        times = {when for when, end in whole_times(words, 0) if end == words.size}
        if len(times) == 1:
            return text[: match.start()].rstrip(","), times.pop()
        match = re.compile(r" (?:on|after|before|between|during|at|from|outside)(?: of)? [^`]*$").search(
            text, match.end()
        )
    return text, None


def _of_forms(text: str) -> _Said | None:
    for how, pattern, after_run in _FORMS:
        match = re.fullmatch(f"{pattern}{_END}", text, re.IGNORECASE)
        found = () if match is None else patterns_of(_named(match["what"]), after_run=after_run)
        if found:
            return _Said(how, found)
        every = match is not None and re.fullmatch(_EVERY, match["what"], re.IGNORECASE) is not None
        if every and how in {"never", "ask"}:
            return _Said(how, ())
    return None


def _named(text: str) -> str:
    """Return the names of commands without "the commands" before and "in the shell" after them."""
    short = re.sub(rf",? {_IN_SHELL}$", "", text.strip(), flags=re.IGNORECASE)
    short = re.sub(
        r"^(?:either|both|the (?:following )?commands?:?|(?:any |all )?commands? like|things like|commands?:) ",
        "",
        short,
        flags=re.IGNORECASE,
    )
    short = re.sub(
        r"(?:^|(?<=, )|(?<=and )|(?<=or )|(?<=nor ))(?:no|running|run|use|using|any) (?=\S)",
        "",
        short,
        flags=re.IGNORECASE,
    )
    short = re.sub(r" with (?:the )?(?:(?:flag|option) )?(?=`?-)", " ", short)
    return short.strip()


def _of_list(text: str) -> _Said | None:
    """Return what "Don't rewrite history: no rebase, no amend" means: the list says what the first words stand for."""
    match = re.fullmatch(rf"{NEVER} (?P<whole>[^:]+): (?P<list>(?:no |never ).+)", text, re.IGNORECASE)
    if match is None:
        return None
    named = patterns_of(_named(match["list"]), after_run=False)
    listed = re.sub(r"^(?:no|never) ", "", match["list"], flags=re.IGNORECASE)
    named = named or patterns_of(_named(listed), after_run=False)
    whole = patterns_of(match["whole"], after_run=False)
    return _Said("never", named) if named and whole else None
