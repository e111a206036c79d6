"""Replies with known results: formats x perturbations x line ends. The suite has a sample of them.

    python tests/edits/fuzzing.py [--cases 100000] [--seed 0]

Each case is a file, some edits of it, and a reply with these edits in one format, as a careless model might write it.
The reply must be applied with exactly the expected result, or be refused. Anything else is WRONG: other bytes, or an
edit that was dropped without a word. The table shows how many replies of each kind were applied.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from retouch.edits import apply_reply, fence_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PATH = "src/app.py"
NAMES = ["alpha", "beta", "gamma", "total", "rate", "items"]
ODD = ["```", "```python", "~~~", "=======", "- item", "+ item", "-- note", "@@ mark", "...", "# ...", "<path>x</path>"]
ODD_MARKS = ["<<<<<<< SEARCH", ">>>>>>> REPLACE", "*** End Patch", "FIND:", "REPLACE WITH:", "--- a/x", "src/app.py"]
SMART = str.maketrans({'"': "\u201d", "'": "\u2019"})
Pair = tuple[list[str], list[str]]
Part = tuple[str, bool]  # a line of the reply, and whether it belongs to the format


@dataclass(frozen=True, kw_only=True)
class Case:
    """One reply and what it must give."""

    kind: str
    before: str
    after: str
    reply: str
    parts: tuple[str, ...] = ()  # if the reply is cut: the results of its first edits alone


@st.composite
def sources(draw: st.DrawFn) -> list[str]:
    """Lines of a small Python file: functions, blank lines, and now and then a line that looks like markup."""
    lines = ["import os", ""]
    for number in range(draw(st.integers(1, 3))):
        lines.append(f"def {draw(st.sampled_from(NAMES))}_{number}(a, b):")
        for _ in range(draw(st.integers(2, 5))):
            name, other = draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES))
            lines.append(
                draw(
                    st.sampled_from(
                        [
                            f"    {name} = {other} + {draw(st.integers(0, 99))}",
                            f'    print("{name}", {other}(1.5))',
                            f"    {name} = [{other}, 'it']",
                            f"    if {name}:\n        {other}(a, b);",
                            f"    return {name}",
                            "",
                        ]
                    )
                )
            )
        lines.append("")
    if draw(st.integers(0, 9)) == 0:
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from([*ODD, *ODD_MARKS])))
    return "\n".join(lines).split("\n")


@st.composite
def changes(draw: st.DrawFn, lines: Sequence[str]) -> list[tuple[int, int, list[str]]]:
    """Changes of lines that are not blank, in order and apart from each other: first line, line after, new lines."""
    found: list[tuple[int, int, list[str]]] = []
    at = draw(st.integers(0, 3))
    for _ in range(draw(st.integers(1, 3))):
        while at < len(lines) and not lines[at].strip():
            at += 1
        if at >= len(lines):
            break
        line = lines[at]
        lead = line[: len(line) - len(line.lstrip())]
        new = draw(
            st.sampled_from(
                [
                    [line.replace("a", "o", 1)],
                    [line + "  # new"],
                    [f"{lead}first(1)", line],
                    [line, f"{lead}after = 2"],
                    [f"{lead}other = 'x'"],
                    [],
                ]
            )
        )
        if new != [line]:
            found.append((at, at + 1, new))
        at += draw(st.integers(2, 6))
    return found


def occurrences(lines: Sequence[str], find: Sequence[str]) -> int:
    return sum(list(lines[at : at + len(find)]) == list(find) for at in range(len(lines) - len(find) + 1))


def windows(lines: Sequence[str], edits: Sequence[tuple[int, int, list[str]]], context: int) -> list[Pair] | None:
    """The FIND and REPLACE of each change, with at least so many lines of context. None if one cannot be unique."""
    pairs: list[Pair] = []
    for number, (start, stop, new) in enumerate(edits):
        low_limit = edits[number - 1][1] if number else 0
        high_limit = edits[number + 1][0] if number + 1 < len(edits) else len(lines)
        for size in range(context, len(lines)):
            low, high = max(start - size, low_limit), min(stop + size, high_limit)
            find = list(lines[low:high])
            if any(line.strip() for line in find) and occurrences(lines, find) == 1:
                pairs.append((find, [*lines[low:start], *new, *lines[stop:high]]))
                break
        else:
            return None
    return pairs


def common_indent(lines: Sequence[str]) -> int:
    return min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)


def dedent(lines: Sequence[str], width: int) -> list[str]:
    return [line[width:] if line.strip() else line for line in lines]


def perturbed(kind: str, pair: Pair, first: int, chance: int) -> Pair:
    """The pair as a careless model might write it. `first` is the number of its first line in the file."""
    find, new = pair
    width = common_indent(find)
    match kind:
        case "dedent" if common_indent(new) >= width:
            return dedent(find, width), dedent(new, width)
        case "dedent find":
            return dedent(find, width), new
        case "indent more":
            return [f"    {one}" if one else one for one in find], [f"    {one}" if one else one for one in new]
        case "first stripped" if new:
            return [find[0].lstrip(), *find[1:]], [new[0].lstrip(), *new[1:]]
        case "trailing blanks" | "smart quotes":
            return in_shared_lines(kind, pair)
        case "cut find" | "lost mark" | "both lost mark":
            return with_shorter_end(kind, pair, chance)
        case "numbers" | "listing":
            return numbered(kind, pair, first)
        case "elided":
            return elided(find, new)
        case _:
            return pair


def in_shared_lines(kind: str, pair: Pair) -> Pair:
    """The pair with blanks or other quotes in the lines that both texts have."""
    find, new = pair

    def worse(line: str) -> str:
        return line.translate(SMART) if kind == "smart quotes" else line and line + "  "

    return [worse(one) if one in new else one for one in find], [worse(one) if one in find else one for one in new]


def with_shorter_end(kind: str, pair: Pair, chance: int) -> Pair:
    """The pair with the last line of FIND cut inside, or without its last character."""
    find, new = pair
    last = find[-1]
    lead = len(last) - len(last.lstrip())
    if kind == "cut find" and len(last.strip()) > 3:
        return [*find[:-1], last[: lead + 1 + chance % (len(last) - lead - 1)].rstrip()], new
    if last[-1:] not in set(";,:)]"):
        return pair
    if kind == "lost mark":
        return [*find[:-1], last[:-1]], new
    if kind == "both lost mark" and new and new[-1][-1:] == last[-1:]:
        return [*find[:-1], last[:-1]], [*new[:-1], new[-1][:-1]]
    return pair


def numbered(kind: str, pair: Pair, first: int) -> Pair:
    """The pair with the line numbers of a listing, in FIND or in both."""
    find, new = pair
    if kind == "numbers":
        return [f"{first + at}→{one}" for at, one in enumerate(find)], new
    texts = [[f"{first + at} | {one}" for at, one in enumerate(text)] for text in (find, new)]
    return texts[0], texts[1]


def elided(find: list[str], new: list[str]) -> Pair:
    """The pair with the same lines left out in the middle of both."""
    for low in range(1, len(find) - 2):
        middle = find[low:-1]
        for at in range(1, len(new) - len(middle)):
            if new[at : at + len(middle)] == middle and new[at + len(middle) :] == find[-1:]:
                dots = "    # ... existing code ..."
                return [*find[:low], dots, find[-1]], [*new[:at], dots, new[-1]]
    return find, new


PERTURBATIONS = [
    "as is", "as is", "dedent", "dedent find", "indent more", "first stripped", "trailing blanks", "smart quotes",
    "cut find", "lost mark", "both lost mark", "numbers", "listing", "elided", "spaces in blank lines",
]  # fmt: skip


def content(lines: Sequence[str]) -> list[Part]:
    return [(line, False) for line in lines]


def marked(*lines: str) -> list[Part]:
    return [(line, True) for line in lines]


def as_change(pairs: Sequence[Pair], _before: Sequence[str]) -> list[Part]:
    parts: list[Part] = []
    for number, (find, new) in enumerate(pairs, start=1):
        fence = fence_for("\n".join(find), "\n".join(new))
        parts += marked(f"### CHANGE {number}: x", f"FILE: {PATH}", "FIND:", fence) + content(find)
        parts += marked(fence, "REPLACE WITH:", fence) + content(new) + marked(fence)
    return parts


def as_blocks(pairs: Sequence[Pair], _before: Sequence[str], signs: int = 7, lead: str = "") -> list[Part]:
    parts: list[Part] = []
    for find, new in pairs:
        parts += marked(f"{lead}{PATH}", f"{lead}```python", f"{lead}{'<' * signs} SEARCH")
        parts += content([lead + one for one in find]) + marked(f"{lead}{'=' * signs}")
        parts += content([lead + one for one in new]) + marked(f"{lead}{'>' * signs} REPLACE", f"{lead}```")
    return parts


def hunk(pair: Pair) -> list[Part]:
    """The lines of a hunk: the lines that both texts begin and end with are context."""
    find, new = pair
    most = min(len(find), len(new))
    head = next((at for at in range(most) if find[at] != new[at]), most)
    tail = next((at for at in range(most - head) if find[-1 - at] != new[-1 - at]), most - head)
    parts = [" " + one for one in find[:head]] + ["-" + one for one in find[head : len(find) - tail]]
    parts += ["+" + one for one in new[head : len(new) - tail]] + [" " + one for one in find[len(find) - tail :]]
    return content(parts)


def as_diff(pairs: Sequence[Pair], before: Sequence[str]) -> list[Part]:
    parts = marked("```diff", f"--- a/{PATH}", f"+++ b/{PATH}")
    moved = 0
    for find, new in pairs:
        at = next((n for n in range(len(before)) if list(before[n : n + len(find)]) == find), 0) + 1
        parts += marked(f"@@ -{at},{len(find)} +{at + moved},{len(new)} @@") + hunk((find, new))
        moved += len(new) - len(find)
    return parts + marked("```")


def as_sloppy_diff(pairs: Sequence[Pair], _before: Sequence[str]) -> list[Part]:
    parts = marked(f"--- {PATH}", f"+++ {PATH}")
    for pair in pairs:
        parts += marked("@@ -1,7 +1,9 @@") + hunk(pair)
    return parts


def as_patch(pairs: Sequence[Pair], _before: Sequence[str]) -> list[Part]:
    parts = marked("*** Begin Patch", f"*** Update File: {PATH}")
    for pair in pairs:
        parts += marked("@@") + hunk(pair)
    return parts + marked("*** End Patch")


def text_of(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def as_calls(pairs: Sequence[Pair], _before: Sequence[str]) -> list[Part]:
    calls = [
        {"command": "str_replace", "path": PATH, "old_str": text_of(find), "new_str": text_of(new)}
        for find, new in pairs
    ]
    return marked(*(line for call in calls for line in json.dumps(call, indent=1).split("\n")))


def as_many(pairs: Sequence[Pair], _before: Sequence[str]) -> list[Part]:
    edits = [{"old_string": text_of(find), "new_string": text_of(new)} for find, new in pairs]
    call = {"type": "tool_use", "name": "MultiEdit", "input": {"file_path": PATH, "edits": edits}}
    return marked(*json.dumps([call], indent=1).split("\n"))


def as_function_calls(pairs: Sequence[Pair], _before: Sequence[str]) -> list[Part]:
    calls = [
        {
            "type": "function",
            "function": {
                "name": "replace",
                "arguments": json.dumps({"file_path": PATH, "old_string": text_of(find), "new_string": text_of(new)}),
            },
        }
        for find, new in pairs
    ]
    return marked("```json", *json.dumps({"tool_calls": calls}, indent=1).split("\n"), "```")


def as_xml(pairs: Sequence[Pair], _before: Sequence[str]) -> list[Part]:
    parts = marked("<replace_in_file>", f"<path>{PATH}</path>", "<diff>")
    for find, new in pairs:
        parts += marked("------- SEARCH") + content(find) + marked("=======") + content(new) + marked("+++++++ REPLACE")
    return parts + marked("</diff>", "</replace_in_file>")


def as_roo(pairs: Sequence[Pair], _before: Sequence[str]) -> list[Part]:
    parts: list[Part] = []
    for find, new in pairs:
        parts += marked("<apply_diff>", f"<path>{PATH}</path>", "<diff>", "<<<<<<< SEARCH", ":start_line:1", "-------")
        parts += (
            content(find) + marked("=======") + content(new) + marked(">>>>>>> REPLACE", "</diff>", "</apply_diff>")
        )
    return parts


def as_mixed(pairs: Sequence[Pair], before: Sequence[str]) -> list[Part]:
    writers = [as_change, as_blocks, as_patch, as_calls, as_diff, as_roo]
    parts: list[Part] = []
    for number, pair in enumerate(pairs):
        parts += writers[(number + len(before)) % len(writers)]([pair], before) + content([""])
    return parts


FORMATS: dict[str, Callable[[Sequence[Pair], Sequence[str]], list[Part]]] = {
    "change": as_change,
    "blocks": as_blocks,
    "blocks of 5": lambda pairs, before: as_blocks(pairs, before, 5),
    "blocks in a list": lambda pairs, before: as_blocks(pairs, before, 7, "   "),
    "diff": as_diff,
    "sloppy diff": as_sloppy_diff,
    "patch": as_patch,
    "calls": as_calls,
    "many edits": as_many,
    "function calls": as_function_calls,
    "xml": as_xml,
    "roo": as_roo,
    "mixed": as_mixed,
}
DAMAGES = ["none", "none", "none", "drop a line", "double a line", "cut", "other block"]


@st.composite
def cases(draw: st.DrawFn) -> Case | None:
    """One case, or None if the drawn edits cannot be written."""
    lines = draw(sources())
    edits = draw(changes(lines))
    pairs = windows(lines, edits, draw(st.integers(0, 3))) if edits else None
    if not pairs:
        return None
    name, kind = draw(st.sampled_from(list(FORMATS))), draw(st.sampled_from(PERTURBATIONS))
    chance = draw(st.integers(0, 1000))
    stages = [list(lines)]  # the file after each of the edits
    moved = 0
    for start, stop, new in edits:
        stages.append([*stages[-1][: start + moved], *new, *stages[-1][stop + moved :]])
        moved += len(new) - (stop - start)
    if kind == "spaces in blank lines":
        stages = [[one or "    " for one in text] for text in stages]
    worse: list[Pair] = []
    for pair in pairs:
        first = next(at for at in range(len(lines)) if lines[at : at + len(pair[0])] == pair[0]) + 1
        worse.append(perturbed(kind, pair, first, chance))
    if any(find == new for find, new in worse):
        return None
    parts, damage = damaged(draw(st.sampled_from(DAMAGES)), FORMATS[name](worse, lines), chance)
    eol, reply_eol = draw(st.sampled_from(["\n", "\r\n"])), draw(st.sampled_from(["\n", "\n", "\r\n"]))
    end = draw(st.sampled_from([True, True, False]))
    texts = [eol.join(text) + (eol if end else "") for text in stages]
    if draw(st.integers(0, 9)) == 0:
        texts = ["\ufeff" + text for text in texts]
    reply = reply_eol.join(["Here is the change:", "", *(line for line, _ in parts), "", "It is done.", ""])
    parts_of = tuple(texts[1:-1]) if damage == "cut" else ()
    return Case(kind=f"{name}, {kind}, {damage}", before=texts[0], after=texts[-1], reply=reply, parts=parts_of)


def damaged(damage: str, parts: list[Part], chance: int) -> tuple[list[Part], str]:
    """The reply with one line of its format lost or doubled, cut off, or with half a block of another format."""
    if damage == "drop a line" and ("=======", False) in parts:
        return parts, "none"  # a line of the text takes the place of the lost one: nobody can see that
    own = [at for at, (_, is_marker) in enumerate(parts) if is_marker]
    at = own[chance % len(own)]
    match damage:
        case "drop a line":
            return [*parts[:at], *parts[at + 1 :]], damage
        case "double a line":
            return [*parts[: at + 1], *parts[at:]], damage
        case "cut":
            return parts[: max(1, at)], damage
        case "other block":
            others = [
                "<<<<<<< SEARCH",
                ">>>>>>> REPLACE",
                f"*** Update File: {PATH}",
                "@@ -1,2 +1,3 @@",
                "</apply_diff>",
            ]
            others += [f"{PATH}\n```python\nx = 1\n```", '{"command": "str_replace", "path": "a", "old_str": 1']
            return [*parts, ("", False), *content(others[chance % len(others)].split("\n"))], damage
        case _:
            return parts, "none"


def verdict(case: Case) -> str:
    """Return applied, refused, or WRONG. Of a reply that is cut, the edits before the cut may be applied."""
    result = apply_reply(case.reply, {PATH: case.before})
    if result.outcome == "refused":
        return "refused" if not result.files else "WRONG"
    if dict(result.files) in [{PATH: text} for text in (case.after, *case.parts)]:
        return "applied"
    return "WRONG"


def run(count: int, random_seed: int) -> tuple[Counter[tuple[str, str]], list[Case]]:
    """Try so many cases. Return how often each kind had which verdict, and the cases that were WRONG."""
    seen: Counter[tuple[str, str]] = Counter()
    wrong: list[Case] = []

    @seed(random_seed)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )  # fmt: skip
    @given(cases())
    def attempt(case: Case | None) -> None:
        if case is None:
            return
        found = verdict(case)
        seen[case.kind, found] += 1
        if found == "WRONG":
            wrong.append(replace(case))

    attempt()
    return seen, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    seen: Counter[tuple[str, str]] = Counter()
    wrong: list[Case] = []
    for start in range(0, arguments.cases, 5000):
        some, bad = run(min(5000, arguments.cases - start), arguments.seed + start)
        seen, wrong = seen + some, wrong + bad
        print(f"{start + 5000}: {seen.total()} cases, {len(wrong)} WRONG", flush=True)
        for case in list({case.kind: case for case in bad}.values())[:5]:
            print(
                f"\n===== {case.kind}\n{case.before}\n----- reply\n{case.reply}\n----- wanted\n{case.after}", flush=True
            )
    for part, title in ((0, "format"), (1, "perturbation"), (2, "damage")):
        table: dict[str, Counter[str]] = {}
        for (kind, found), number in seen.items():
            table.setdefault(kind.split(", ")[part], Counter())[found] += number
        print(f"\n{title}: applied, refused, WRONG")
        for name, counts in sorted(table.items()):
            print(f"  {name:24} {counts['applied']:7} {counts['refused']:7} {counts['WRONG']:5}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
