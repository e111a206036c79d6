"""The compile command of `chisel_real.py`: sends the sources to the warm build, and writes the Verilog it returns.

    python chisel_client.py SOCKET TOP

The sources are below `src`, the Verilog is written to `build`. Standard output has what the compiler printed.
"""

from __future__ import annotations

import json
import shutil
import socket
import sys
from pathlib import Path


def main(address: str, top: str) -> int:
    """Return the exit status."""
    texts = {path.relative_to("src").as_posix(): path.read_text("utf-8") for path in Path("src").rglob("*.scala")}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        with connection.makefile("rwb") as stream:
            stream.write(json.dumps({"top": top, "texts": texts}).encode() + b"\n")
            stream.flush()
            answer = json.loads(stream.readline())
    print(answer["output"], end="")
    shutil.rmtree("build", ignore_errors=True)
    Path("build").mkdir()
    for name, text in answer["verilog"].items():
        (Path("build") / name).write_text(text, encoding="utf-8")
    return 0 if answer["passed"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
