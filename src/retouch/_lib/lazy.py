"""Lazy attributes of a package: each name is imported when it is first used, so the package's own import is cheap."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_attributes(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of `package`. `modules` maps each name to the module that defines it.

    A module that begins with a dot is relative to the package. A name is looked up once and then cached. An empty
    module name means that the name is itself a submodule of the package, for example `aio` in `retouch.aio`.
    """

    def attribute(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = modules[name]
        value: object = getattr(import_module(module, package), name) if module else import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    return attribute
