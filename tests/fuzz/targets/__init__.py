"""All targets, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fuzz.targets import files, flows, metadata, packages, repositories, texts, writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fuzz.target import Target

__all__ = ["TARGETS"]

TARGETS: Final[Mapping[str, Target[Any]]] = {
    target.name: target
    for module in (texts, metadata, packages, flows, repositories, writing, files)
    for target in module.TARGETS
}
