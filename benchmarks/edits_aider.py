"""Runs aider's appliers on cases: `edits_corpus.py` and `edits_formats.py` start it with the Python of `--aider`.

It reads one JSON object per line from standard input: "markers" (the reply), "before", "target". If the reply is not in
SEARCH blocks, also "format" (udiff, patch or whole) and "fence". It writes one back: "applied", "files", "ms".

SEARCH blocks are applied one after the other in memory, as in aider: blocks before a failed one stay applied. In the
other formats, aider's own coder reads the reply and writes into a temporary directory.
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

CODERS = {
    "udiff": ("udiff_coder", "UnifiedDiffCoder"),
    "patch": ("patch_coder", "PatchCoder"),
    "whole": ("wholefile_coder", "WholeFileCoder"),
}


def main() -> None:
    blocks: Any = importlib.import_module("aider.coders.editblock_coder")
    coders = {
        name: getattr(importlib.import_module(f"aider.coders.{where}"), kind) for name, (where, kind) in CODERS.items()
    }
    console: Any = importlib.import_module("aider.io").InputOutput(pretty=False, fancy_input=False, yes=True)
    console.tool_output = console.tool_warning = console.tool_error = _silent
    os.chdir(tempfile.mkdtemp(prefix="retouch-"))
    Path("in-memory").touch()  # aider checks on disk whether a file exists, and creates it if it does not
    for line in sys.stdin:
        case = json.loads(line)
        coder = coders.get(case.get("format"))
        if coder is None:
            start = time.process_time()
            applied, files = _apply(blocks, case["markers"], case["before"], case["target"])
            ms = (time.process_time() - start) * 1000
        else:
            applied, files, ms = _apply_by(coder, console, case["markers"], case["before"], case["fence"])
        print(json.dumps({"applied": applied, "files": files, "ms": ms}), flush=True)


def _silent(*_words: object, **_options: object) -> None:
    """Take the place of aider's printing."""


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


def _apply_by(
    coder: Any, console: Any, reply: str, before: dict[str, str], fence: str
) -> tuple[bool, dict[str, str], float]:
    """Let a coder apply a reply to files on disk. Return whether it reported success, the changed files and the ms."""
    with tempfile.TemporaryDirectory(prefix="retouch-") as folder:
        root = Path(folder)
        for name, text in before.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode("utf-8", "surrogatepass"))
        one = coder.__new__(coder)
        one.io, one.root, one.abs_root_path_cache, one.fence = console, folder, {}, (fence, fence)
        one.partial_response_content, one.multi_response_content = reply, ""
        one.abs_fnames, one.repo = {str(root / name) for name in before}, None
        start = time.process_time()
        try:
            edits = one.get_edits()
            one.apply_edits(edits)
            applied = bool(edits)
        except Exception:  # noqa: BLE001 - the coder's own errors, and its crashes, are refusals
            applied = False
        ms = (time.process_time() - start) * 1000
        now = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    texts = {name: data.decode("utf-8", "surrogateescape") for name, data in now.items()}
    return applied, {name: text for name, text in texts.items() if before.get(name) != text}, ms


if __name__ == "__main__":
    main()
