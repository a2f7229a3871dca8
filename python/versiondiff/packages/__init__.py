"""Package diffs."""
