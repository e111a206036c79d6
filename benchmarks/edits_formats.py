"""The same edits in every format: retouch compared with aider's appliers, in one run.

    python benchmarks/edits_formats.py --history HISTORY --aider PYTHON [--most 1500]

HISTORY is a directory of cases that `make_history_corpus.py` made from git repositories. Each case is written in each
format, as a model writes it, and given to both engines. aider has an applier for four of the formats.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from edits_cases import Came, cases, verdict
from edits_corpus import WORKER
from retouch.edits import apply_reply, fence_for
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from edits_cases import Case

HEAD = ("format", "cases", "engine", "count", "correct", "near", "refused", "partial", "WRONG")


def text_lines(text: str) -> list[str]:
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []


def hunk(edit: dict[str, str]) -> list[str]:
    """Return an edit as the lines of a hunk. The lines that both texts begin and end with are context."""
    old, new = text_lines(edit["find"]), text_lines(edit["replace"])
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    lines = [f" {line}" for line in old[:head]] + [f"-{line}" for line in old[head : len(old) - tail]]
    return (
        lines + [f"+{line}" for line in new[head : len(new) - tail]] + [f" {line}" for line in old[len(old) - tail :]]
    )


def path_of(case: Case) -> str:
    return case.target or next(iter(case.before))


def as_diff(case: Case) -> str:
    lines = ["```diff", f"--- {path_of(case)}", f"+++ {path_of(case)}"]
    for edit in case.edits or []:
        lines += ["@@ ... @@", *hunk(edit)]
    return "\n".join([*lines, "```", ""])


def as_patch(case: Case) -> str:
    lines = ["*** Begin Patch", f"*** Update File: {path_of(case)}"]
    for edit in case.edits or []:
        lines += ["@@", *hunk(edit)]
    return "\n".join([*lines, "*** End Patch", ""])


def as_whole(case: Case) -> str:
    text = (case.after or {}).get(path_of(case)) or ""
    fence = fence_for(text)
    return f"{path_of(case)}\n{fence}\n{text.replace(chr(13), '')}{fence}\n"


def as_part(case: Case) -> str:
    """A fence under the path of the file that holds only the changed lines."""
    return as_whole_text(case, "".join(edit["replace"] for edit in case.edits or []))


def as_whole_text(case: Case, text: str) -> str:
    fence = fence_for(text)
    return f"{path_of(case)}\n{fence}\n{text}{fence}\n"


def as_calls(case: Case) -> str:
    found = [
        {"command": "str_replace", "path": path_of(case), "old_str": edit["find"], "new_str": edit["replace"]}
        for edit in case.edits or []
    ]
    return "\n".join(json.dumps(one) for one in found)


def as_function_calls(case: Case) -> str:
    found = [
        {"file_path": path_of(case), "old_string": edit["find"], "new_string": edit["replace"]}
        for edit in case.edits or []
    ]
    calls = [{"type": "function", "function": {"name": "replace", "arguments": json.dumps(one)}} for one in found]
    return json.dumps({"tool_calls": calls}, indent=1)


def as_xml(case: Case) -> str:
    blocks = [f"------- SEARCH\n{edit['find']}=======\n{edit['replace']}+++++++ REPLACE\n" for edit in case.edits or []]
    return f"<replace_in_file>\n<path>{path_of(case)}</path>\n<diff>\n{''.join(blocks)}</diff>\n</replace_in_file>\n"


FORMATS: dict[str, tuple[Callable[[Case], str], str | None]] = {
    "SEARCH blocks": (lambda case: case.markers, "blocks"),
    "unified diff": (as_diff, "udiff"),
    "apply-patch": (as_patch, "patch"),
    "whole file": (as_whole, "whole"),
    "whole file, only a part": (as_part, "whole"),
    "FIND and REPLACE WITH": (lambda case: case.reply, None),
    "str_replace calls": (as_calls, None),
    "function calls": (as_function_calls, None),
    "XML": (as_xml, None),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--history", type=Path, required=True, help="a directory of history cases")
    parser.add_argument("--aider", required=True, help="a Python with aider-chat installed")
    parser.add_argument("--most", type=int, default=1_500)
    arguments = parser.parse_args()
    announce("The same edits in every format")
    command = [arguments.aider, "-c", "import aider; print(aider.__version__)"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    print(f"aider-chat {version}\n")
    found = [*cases(arguments.history)][: arguments.most]
    rows: list[list[object]] = []
    for name, (write, coder) in FORMATS.items():
        chosen = list(chosen_cases(name, found))
        replies = [write(case) for case in chosen]
        results = {"retouch": [retouch(*pair, name) for pair in zip(chosen, replies, strict=True)]}
        if coder is not None:
            results["aider"] = aider(arguments.aider, coder, chosen, replies)
        rows += summaries(name, chosen, results)
    print(table(HEAD, rows))


def chosen_cases(name: str, found: Sequence[Case]) -> Iterator[Case]:
    """Yield the cases that a format can express: a whole file needs the right result, and a part must be refused."""
    for case in found:
        if not name.startswith("whole file"):
            yield case
        elif case.kind == "exact" and case.after is not None:
            from dataclasses import replace

            part = {"group": "must refuse", "after": None, "may_apply": False}
            yield replace(case, **part) if "part" in name else case


def retouch(case: Case, reply: str, name: str) -> Came:
    start = time.process_time()
    whole_files = name == "whole file"
    result = apply_reply(reply, case.before, target=case.target, whole_files=whole_files)
    ms = (time.process_time() - start) * 1000
    return Came(applied=result.outcome == "applied", files=result.files, ms=ms)


def aider(python: str, coder: str, chosen: Sequence[Case], replies: Sequence[str]) -> list[Came]:
    asked = (
        json.dumps(
            {"markers": reply, "before": case.before, "target": case.target, "format": coder, "fence": fence_in(reply)}
        )
        for case, reply in zip(chosen, replies, strict=True)
    )
    done = subprocess.run([python, WORKER], input="\n".join(asked), stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [Came(applied=one["applied"], files=one["files"], ms=one["ms"]) for one in answers]


def fence_in(reply: str) -> str:
    """Return the fence that a reply uses. aider chooses it so that the text of the file does not have it."""
    return next((line for line in reply.split("\n") if line.startswith("```") and line.strip("`") == ""), "```")


def summaries(name: str, chosen: Sequence[Case], results: dict[str, list[Came]]) -> Iterator[list[object]]:
    """Yield a row for each group of cases and engine, with shares in percent."""
    for group in sorted({case.group for case in chosen}, key=["recoverable", "either", "must refuse"].index):
        for engine, came in results.items():
            pairs = [(case, one) for case, one in zip(chosen, came, strict=True) if case.group == group]
            counts = Counter(verdict(case, one) for case, one in pairs)
            shares = [f"{100 * counts[kind] / len(pairs):.1f} %" for kind in ("correct", "near", "refused", "partial")]
            yield [name, group, engine, len(pairs), *shares, counts["WRONG"]]


if __name__ == "__main__":
    main()
