"""Names of a package that are imported when they are asked for.

Importing everything takes longer than many a call: a command, or a service's worker, that needs
one part of a package does not wait for the others.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["names_on_demand"]


def names_on_demand(
    package: str, modules: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and the `__dir__` of a package (PEP 562).

    A name that was found is kept in the package, so that it is looked for once.

    Args:
        package: The name of the package.
        modules: The names that it takes from each of its modules. No name may be that of a module,
            which takes its place in the package as soon as anyone imports it.
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> object:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in homes:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        found: object = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes, *modules})

    return find, listed
