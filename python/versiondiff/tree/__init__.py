"""The tree of versions: branches and merges drawn as lines."""

from versiondiff.tree.graph import GraphRow, GraphVersion, Style, draw, sort

__all__ = ["GraphRow", "GraphVersion", "Style", "draw", "sort"]
