"""`python -m versiondiff`: the command line."""

from __future__ import annotations

import sys

from versiondiff.cli import main

sys.exit(main())
