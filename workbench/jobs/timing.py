"""Intervals and limits of supervising, in seconds: who looks how often, and who waits how long."""

from __future__ import annotations

HEARTBEAT_S = 5.0
"""The supervisor writes its heartbeat this often."""

STALE_AFTER_S = 15.0
"""Three missed heartbeats: on another machine, nothing more is known than that."""

STALLED_AFTER_S = 600.0
"""A live worker without an event for so long may hang."""

GRACE_S = 60.0
"""A job asked to stop has so long before killing it is offered."""

START_LIMIT_S = 60.0
"""A supervisor that has not reported by then never started."""

TICK_S = 0.5
"""The supervisor looks for requests this often; a signal wakes it at once."""

LOCK_WAIT_S = 5.0
"""A supervisor waits so long for a reader that is just recording the end of the same attempt."""

RESULT_RETRY_S = 600.0
"""A result that a full disk refuses is offered again for so long."""

CLUSTER_WAIT_S = 30.0
"""A cluster needs a moment to let go of a job that has recorded its end."""

REPORTERS_WAIT_S = 60.0
"""Reporters that have not passed on the end of a job by then are not waited for."""
