"""The training server of Ludus for one GPU machine: the command is ludus-gpu, see server.py."""

__version__ = "0.2.0"
