"""Runs aider's block applier on cases: `edits_corpus.py --aider PYTHON` starts it with that Python.

It reads one JSON object per line from standard input: "markers", "before", "target". It writes one back: "applied",
"files", "ms". Blocks are applied one after the other, as in aider: blocks before a failed one stay applied.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def main() -> None:
    blocks: Any = importlib.import_module("aider.coders.editblock_coder")
    os.chdir(tempfile.mkdtemp(prefix="retouch-"))
    Path("in-memory").touch()  # aider checks on disk whether a file exists, and creates it if it does not
    for line in sys.stdin:
        case = json.loads(line)
        start = time.process_time()
        applied, files = _apply(blocks, case["markers"], case["before"], case["target"])
        ms = (time.process_time() - start) * 1000
        print(json.dumps({"applied": applied, "files": files, "ms": ms}), flush=True)


def _apply(blocks: Any, markers: str, before: dict[str, str], target: str | None) -> tuple[bool, dict[str, str]]:
    names = list(before)
    fence = ("```", "```")
    try:
        found = [edit for edit in blocks.find_original_update_blocks(markers, fence, names) if edit[0] is not None]
    except ValueError:
        return False, {}
    now: dict[str, str] = {}
    ok = bool(found)
    for path, original, updated in found:
        wanted = path or target or ""
        if not original.strip() and wanted not in before:
            now[wanted] = updated  # a new file; aider's own function would create it on disk
            continue
        tried = [wanted, *(name for name in names if name != wanted)]
        for name in tried:
            text = now.get(name, before.get(name))
            new = None if text is None else blocks.do_replace(Path("in-memory"), text, original, updated, fence)
            if new:
                now[name] = new
                break
        else:
            ok = False
    return ok, now


if __name__ == "__main__":
    main()
