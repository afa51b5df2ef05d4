"""The notebooks run from top to bottom: in Jupyter where it is installed, and as plain programs otherwise."""

import contextlib
import io
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, monkeypatch, tmp_path):
    if "gymnasium" in path.stem:
        pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    monkeypatch.chdir(tmp_path)
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat

        nbclient.NotebookClient(nbformat.read(path, 4), timeout=600).execute()
    except ImportError:
        cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        scope = {"__name__": path.stem}
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in cells:
                exec(compile("".join(cell["source"]), str(path), "exec"), scope)


def test_there_are_three():
    assert len(NOTEBOOKS) == 3
