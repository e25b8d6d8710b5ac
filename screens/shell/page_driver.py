"""The driver of a page in a browser, which ends with the server that shows it."""

from __future__ import annotations

import os
import threading

from textual import messages
from textual.drivers.web_driver import WebDriver

_PATIENCE_S = 30.0
"""Seconds in which a workbench ends that nobody can see any more."""


class PageDriver(WebDriver):
    """Ends the workbench of a page when its input ends.

    Textual's own driver stops reading there and lets the app go on: where a server is killed, its pages
    would stay behind, and one that is painting would do so for ever.
    """

    def run_input_thread(self) -> None:
        """Read what the server sends until it is gone, then end the app, if need be the process."""
        super().run_input_thread()
        self._app.call_later(self._app.post_message, messages.ExitApp())
        patience = threading.Timer(_PATIENCE_S, os._exit, (1,))
        patience.daemon = True
        patience.start()
