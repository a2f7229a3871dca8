"""Paths that callers name: as bytes, and why a file can't be read."""

from __future__ import annotations

from versiondiff.errors import InvalidInput

__all__ = ["path_bytes", "why_unread"]


def path_bytes(path: str) -> bytes:
    """A path in a tree as bytes; surrogates stand for bytes that are no UTF-8, as in `os.fsdecode`.

    Raises:
        InvalidInput: A surrogate of it stands for no byte.
    """
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        message = "a path is no Unicode text: it holds a surrogate that stands alone"
        raise InvalidInput(message) from None


def why_unread(error: OSError | ValueError) -> str:
    """Why there is nothing to read; a path that no file can have is a `ValueError`."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "can not be read"
