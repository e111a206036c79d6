"""Compiles a small subset of Chisel to Verilog: enough for the example and the tests.

    python small_chisel SOURCE_DIRECTORY -o OUTPUT_DIRECTORY

A file has classes that extend Module. A class can contain: `val io = IO(new Bundle { val a = Input(UInt(8.W)) ... })`
with UInt and Bool ports, `val r = RegInit(0.U(8.W))`, `val w = Wire(UInt(8.W))`, `val m = Module(new Other)`, `val n =
<expr>`, `sink := <expr>`, and `when (c) { } .elsewhen (c) { } .otherwise { }`. Expressions: names, literals (1.U,
"hff".U, 1.U(8.W), true.B), + - & | ^ ~ ! && || === =/= < > <= >=, x(3), x(7, 4) of a name x, Mux, Cat. Imports and
packages are skipped. A module must be defined before it is used. Anything else is an error, printed in the format of
scalac: FILE:LINE: error: MESSAGE.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from reading import Reader
from values import Module, Wrong
from writing import verilog


def main() -> int:
    """Write one .v file per module. If a source has errors, print them and return 1."""
    parser = argparse.ArgumentParser(description="Compile a small subset of Chisel to Verilog.")
    parser.add_argument("source", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    modules: dict[str, Module] = {}
    texts: dict[str, str] = {}
    wrong = 0
    for path in sorted(arguments.source.rglob("*.scala")):
        name = path.relative_to(arguments.source).as_posix()
        try:
            for module in Reader(name, path.read_text(encoding="utf-8"), modules).all_modules():
                modules[module.name] = module
                texts[module.name] = verilog(module, modules)
        except Wrong as error:
            wrong += 1
            line = path.read_text(encoding="utf-8").split("\n")[error.line - 1]
            print(f"{name}:{error.line}: error: {error}\n{line}", file=sys.stderr)
    if wrong:
        print(f"{wrong} of the files could not be compiled", file=sys.stderr)
        return 1
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (arguments.output / f"{name}.v").write_text(text, encoding="utf-8")
    print(f"{len(texts)} modules compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
