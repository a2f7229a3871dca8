"""What outlives what, of that which was written."""

from __future__ import annotations

import enum

__all__ = ["Durability"]


class Durability(enum.Enum):
    """What is promised of what a call has written once it came back."""

    PROCESS = "process"
    """It stays when the process dies. A power cut can take the last of it, as with git's default
    settings, and leave damaged what was just being written."""
    POWER = "power"
    """It stays when the machine loses power, and what is all or nothing stays so. Everything is
    forced to the disk (`fsync`) in the order in which it depends on each other, which takes time
    with each call. What others wrote, or a call without this, is not covered by it."""
