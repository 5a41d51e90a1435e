"""Files of every format cut, flipped and filled with huge numbers: each is read, or refused as DocumentError says."""

from __future__ import annotations

import contextlib
import io
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.loaders import DocumentLoader
from core.ingest.reading_process import ReadingProcess
from core.research.synthetic.damaged_files import WAYS, repacked
from tests.data_makers.rich_files import RICH, TEXT
from tests.data_makers.round_trip_files import FILES

MUTATIONS = 6  # of each file, besides its quarters
NUMBERS = (b"99999999999999999999", b"-1", b"0", b"4294967295", b"1e999", b"9" * 400)
ALL: dict[str, Callable[[], bytes]] = {
    **RICH,
    **{f"plain.{kind}": lambda make=make: make(TEXT) for kind, make in FILES.items()},  # type: ignore[misc]
}


def huge(chance: random.Random, content: bytes) -> bytes:
    """One number of the file, or of a part of it, replaced."""
    with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
        part = chance.choice(archive.namelist())
        return repacked(content, lambda name, data: _huge(chance, data) if name == part else data)
    return _huge(chance, content)


def _huge(chance: random.Random, content: bytes) -> bytes:
    numbers = list(re.finditer(rb"\d+", content))
    if not numbers:
        return content
    one = chance.choice(numbers)
    return content[: one.start()] + chance.choice(NUMBERS) + content[one.end() :]


def mutations(name: str) -> list[bytes]:
    content = ALL[name]()
    cut = [content[: len(content) * quarter // 4] for quarter in range(4)]
    ways = [*WAYS.values(), huge, huge]
    chances = [random.Random(f"{name} {seed}") for seed in range(MUTATIONS)]
    return cut + [chance.choice(ways)(chance, content) for chance in chances]


@pytest.mark.parametrize("name", [name for name in ALL if not name.endswith(".xls")])
def test_nothing_but_a_refusal_comes_of_it(name: str, tmp_path: Path) -> None:
    loader = DocumentLoader()
    path = tmp_path / name
    outcomes = set()
    for content in mutations(name):
        path.write_bytes(content)
        try:
            outcomes.add(bool(loader.parts(path)))
        except DocumentError as error:
            assert error.message and error.remedy
            outcomes.add(False)
    assert False in outcomes  # the empty one at least


@pytest.mark.parametrize("name", [name for name in ALL if name.endswith(".xls")])
def test_what_asks_for_all_memory_ends_alone(name: str, tmp_path: Path) -> None:
    """The library that reads XLS may end its process."""
    path = tmp_path / name
    with ReadingProcess(ReadingConfig(max_seconds=20)) as process:
        for content in mutations(name):
            path.write_bytes(content)
            with contextlib.suppress(DocumentError):
                assert process.parts(path)
        path.write_bytes(ALL[name]())
        assert "Gull" in str(process.parts(path)[0].document)


def test_a_chain_of_sectors_without_end_is_refused(tmp_path: Path) -> None:
    content = bytearray(ALL["old.xls"]())
    table = 512 * (1 + int.from_bytes(content[76:80], "little"))  # where the chains of sectors stand
    for at in range(table, table + 512, 4):
        if int.from_bytes(content[at : at + 4], "little") < 0xFFFFFFF0:
            content[at : at + 4] = ((at - table) // 4).to_bytes(4, "little")  # each follows itself
    path = tmp_path / "a.xls"
    path.write_bytes(content)
    with pytest.raises(DocumentError, match="damaged"):
        DocumentLoader().parts(path)


def test_a_part_that_is_named_again_and_again_is_refused(tmp_path: Path) -> None:
    """Slides may draw the same chart any number of times."""
    with zipfile.ZipFile(io.BytesIO(RICH["rich.pptx"]())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    slide, chart = "ppt/slides/slide1.xml", next(name for name in parts if name.startswith("ppt/charts/"))
    frame = re.search(
        rb"<p:graphicFrame>(?:(?!</p:graphicFrame>).)*c:chart.*?</p:graphicFrame>", parts[slide], re.DOTALL
    )
    assert frame is not None
    parts[slide] = parts[slide].replace(frame[0], frame[0] * 500)
    parts[chart] += b" " * 2**20
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    path = tmp_path / "a.pptx"
    path.write_bytes(buffer.getvalue())
    with pytest.raises(DocumentError, match="again and again"):
        DocumentLoader().parts(path)
