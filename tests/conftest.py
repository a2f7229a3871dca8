"""What holds for all tests."""

from __future__ import annotations

import signal
import threading

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would every program
# that they start: those that are about Ctrl-C would wait for ever.
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    and threading.current_thread() is threading.main_thread()
):
    signal.signal(signal.SIGINT, signal.default_int_handler)
