"""Environments of a Ludus server for Python. The client needs nothing but the standard library."""

from ludus_agents.client import Episode, Match, Observation, Server, ServerError, start_server

__all__ = ["Episode", "Match", "Observation", "Server", "ServerError", "start_server"]
__version__ = "0.2.0"
