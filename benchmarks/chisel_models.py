"""Models that know the wrong line of a bug of `chisel_real.py`, and make typical mistakes before they are right."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from chisel_mutants import CHANGES
from retouch.models.offline import offline
from retouch.recipes.chisel import recipe
from retouch.recipes.chisel.faults import faults
from retouch.testing import faulty, scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from chisel_mutants import Mutant
    from retouch.engine.types import Model, Prompt, Request

NOT_HERE = "NOT HERE: the line that makes this is not in the code that is shown"
MISTAKES = ("from_memory", "unbalanced", "unknown_name", "wrong_place", "wrong_hardware")
MORE_MISTAKES: tuple[str, ...] = (*MISTAKES, "wrong_hardware", "as_diff", "with_numbers", "other_path")
REALISTIC = "scripted, realistic"
MODELS = ("offline", "faulty", "scripted, 1 mistake", "scripted, 2 mistakes", REALISTIC)
_LISTED = re.compile(r"^\*? *(\d+) \| (.*)$", re.MULTILINE)
_CANDIDATE = re.compile(r"^FILE: (\S+\.scala)$(.*?)^CODE\b", re.MULTILINE | re.DOTALL)


def answer(text: str, path: str, number: int, line: str) -> str:
    """Return the block that puts `line` in place of line `number`, with as many lines around it as make it unique."""
    lines = text.split("\n")
    first = last = number - 1
    while text.count("\n".join(lines[first : last + 1])) > 1:
        first, last = max(first - 1, 0), min(last + 1, len(lines) - 1)
    find = "\n".join(lines[first : last + 1])
    changed = "\n".join([*lines[first : number - 1], line, *lines[number : last + 1]])
    return f"CHANGE 1: as wanted\nFILE: {path}\nFIND:\n```\n{find}\n```\nREPLACE WITH:\n```\n{changed}\n```\n"


def other_mistake(mutant: Mutant) -> str:
    """Return another wrong version of the line, or the same one if no other change fits."""
    for kind, pattern, replacement in CHANGES:
        found = re.search(pattern, mutant.right)
        if kind != mutant.kind and found is not None:
            return mutant.right[: found.start()] + replacement + mutant.right[found.end() :]
    return f"{mutant.wrong} // as wanted"


def model_for(kind: str, texts: Mapping[str, str], mutant: Mutant) -> Model:
    """Return the model called `kind`. It knows the bug: if it is shown the line, it undoes the change.

    Otherwise it says NOT HERE. "offline" is right at once. "faulty" is "offline" with the failures that Retouch's
    faulty model injects. The scripted ones make mistakes before they are right. The realistic one also changes an
    operator of a wrong definition first, for half of the bugs whose line it is not shown at once.
    """
    marked = f"{mutant.line:5} | {mutant.wrong}".rstrip()
    right = answer(texts[mutant.path], mutant.path, mutant.line, mutant.right)

    def sees(text: str) -> bool:
        return marked in text and mutant.path in text

    def known(prompt: Prompt) -> str:
        return right if sees(prompt.user) else NOT_HERE

    seed = f"{mutant.project} {mutant.name}"
    if kind == "offline":
        return offline(known)
    if kind == "faulty":
        return faulty(offline(known), rate=0.6, seed=sum(seed.encode()), heal=0.8, faults=recipe.faults)
    random = Random(seed)
    if kind == REALISTIC:
        chosen = random.sample(MORE_MISTAKES, random.choice((1, 2)))
        elsewhere = random.random() < 0.5
    else:
        chosen, elsewhere = [random.choice(MISTAKES) for _ in range(int(kind.split()[1]))], False
    return scripted(_after(chosen, texts, mutant, random, sees, elsewhere=elsewhere))


def _after(
    chosen: list[str],
    texts: Mapping[str, str],
    mutant: Mutant,
    random: Random,
    sees: Callable[[str], bool],
    *,
    elsewhere: bool,
) -> Callable[[Request], str]:
    text = texts[mutant.path]
    right = answer(text, mutant.path, mutant.line, mutant.right)
    wrong_definitions = int(elsewhere)

    def say(request: Request) -> str:
        nonlocal wrong_definitions
        if not any(sees(message.text) for message in request.messages):
            wrong_definitions -= 1
            wrong = in_wrong_definition(texts, request.messages[0].text, random) if wrong_definitions >= 0 else ""
            return wrong or NOT_HERE
        if not chosen:
            return right
        mistake = chosen.pop(0)
        if mistake == "wrong_hardware":
            return answer(text, mutant.path, mutant.line, other_mistake(mutant))
        if mistake == "with_numbers":
            return re.sub(r"(?<=^FIND:\n```\n)", f"{mutant.line:5} | ", right, flags=re.MULTILINE)
        if mistake == "other_path":
            return right.replace(f"FILE: {mutant.path}", "FILE: src/main/scala/Top.scala")
        return faults[mistake](right, random)

    return say


def in_wrong_definition(texts: Mapping[str, str], prompt: str, random: Random) -> str:
    """Return a change of one operator in the first definition that a prompt shows, "" if it shows none."""
    if (found := _CANDIDATE.search(prompt)) is None:
        return ""
    path, listed = found[1], prompt[found.end() :]
    shown = [(int(number), line) for number, line in _LISTED.findall(listed.partition("\n\n")[0])]
    random.shuffle(shown)
    for number, line in shown:
        for _, pattern, replacement in CHANGES:
            if (place := re.search(pattern, line.partition("//")[0])) is not None:
                return answer(texts[path], path, number, line[: place.start()] + replacement + line[place.end() :])
    return ""
