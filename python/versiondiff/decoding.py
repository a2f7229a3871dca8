"""JSON that others wrote, read by msgspec."""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["NOT_DECODED"]

NOT_DECODED: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises where a text is no JSON or not of the type, no UTF-8, or nests too deep."""
