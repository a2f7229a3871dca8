"""What a run of the benchmarks has beside pytest's own: one table of all that was measured."""

from table_of_a_run import pytest_addoption, pytest_configure, pytest_terminal_summary, table

__all__ = ["pytest_addoption", "pytest_configure", "pytest_terminal_summary", "table"]
