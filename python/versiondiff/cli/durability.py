"""What outlives what, as it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from versiondiff.cli.arguments import typed
from versiondiff.durability import Durability

if TYPE_CHECKING:
    import argparse

__all__ = ["add_durability_option", "durability_of"]


class _Durability(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed; commands that only read don't ask."""

    durability: Durability = Durability.PROCESS


def add_durability_option(parser: argparse.ArgumentParser) -> None:
    """Add what the command's work is to outlive."""
    group = parser.add_argument_group("how safe it is")
    group.add_argument(
        "--durability",
        choices=tuple(each.value for each in Durability),
        default=Durability.PROCESS.value,
        help="what is written outlives the process, or a power cut too, which takes longer "
        "(default: %(default)s)",
    )


def durability_of(namespace: argparse.Namespace) -> Durability:
    """What the command's work is to outlive."""
    return typed(namespace, _Durability).durability
