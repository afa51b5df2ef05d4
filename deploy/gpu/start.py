"""The command ludus-gpu. The modules of the server import each other by their plain names, also when they are installed as a package."""

import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    from server import main as serve

    serve()
