"""`mathwb serve`: the screens in a browser."""

from __future__ import annotations

import ipaddress
import sys
from typing import Annotated

import typer

from workbench.cli.common import emit, say
from workbench.errors import MissingError
from workbench.workspace import Workspace, ensure_sample

__all__ = ["serve"]


Host = Annotated[str, typer.Option("--host", help="Where to listen; others than this machine too.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")]


def serve(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Open the screens in a browser, at an address that nobody can guess; Ctrl-C ends it.

    Whoever has the address can do here what you can. Without --host only this machine is listened to.
    """
    try:
        from workbench.web import WebServer, listen
    except ImportError as error:
        raise MissingError(
            f"{error.name or 'textual-serve'} is not installed",
            code="E351",
            remedy="pip install mathwb[serve]",
        ) from None
    # Once here, so that a workspace that cannot be used is told now and not to each page.
    ensure_sample(Workspace.open())
    place = listen(host, port)
    server = WebServer(place)
    if not _is_loopback(place.getsockname()[0]):
        say("others can reach this address, and nothing that goes over it is encrypted")
    emit(None, False, text=server.address)
    sys.stdout.flush()
    server.run()


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback
