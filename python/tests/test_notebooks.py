"""The notebooks run from their first cell to the last, and their pictures show something."""

import base64
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT, TARGET
from matplotlib.image import imread
from nbclient import NotebookClient

PICTURES = TARGET / "python/pictures"
"""For people to look at."""
NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "what a notebook gave is not kept"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}}).execute()
    pictures = [
        output.data["image/png"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]
    assert pictures
    PICTURES.mkdir(parents=True, exist_ok=True)
    for i, picture in enumerate(pictures):
        png = PICTURES / f"{path.stem}-{i}.png"
        png.write_bytes(base64.b64decode(picture))
        image = imread(png)
        assert image.shape[0] > 150 and image.shape[1] > 400
        # Lines of several colours on white.
        colours = {tuple(pixel) for row in (image[::2, ::2, :3] * 15).astype(int) for pixel in row}
        assert len(colours) > 20


def test_there_are_four() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["figure-of-paper-a", "first-steps", "learn-a-policy", "sweep-on-a-cluster"]
