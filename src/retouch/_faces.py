"""What a package offers, loaded when it is used: an import of the package alone stays cheap."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of `package`, whose names live in the modules that `homes` says.

    A home that begins with a dot is relative to the package. A name is looked up once and then stays.
    """

    def attribute(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute
