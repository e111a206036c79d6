"""The modules that sandboxed code can import. They only compute. They are loaded before locking."""

from __future__ import annotations

MODULES = [
    "base64",
    "binascii",
    "bisect",
    "calendar",
    "collections.abc",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "io",
    "itertools",
    "json",
    "math",
    "operator",
    "os.path",
    "pathlib",
    "random",
    "re",
    "string",
    "textwrap",
    "time",
    "types",
    "typing",
    "unicodedata",
    "urllib.parse",
    "uuid",
    "zlib",
    "_strptime",  # datetime.strptime imports it at its first use
]
ENCODINGS = ["ascii", "latin-1", "cp1252", "cp437", "idna", "utf-8-sig", "utf-16"]
