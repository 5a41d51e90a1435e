"""Writes an evidence pack: gathers, draws, seals, and puts the file in its place whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import BadInput, WorkspaceError
from core.pack.annotations import as_annotations
from core.pack.archive import LARGEST, zipped
from core.pack.contents import gather
from core.pack.graph_picture import graph_picture
from core.pack.page import as_page
from core.pack.page_images import page_images
from core.pack.record import as_record
from core.pack.seal import PAGE, RECORD, sealed
from core.progress import TaskContext
from core.store.store import Store
from core.translation import tr
from core.types import Answer

ANNOTATIONS, PICTURE = "annotations.jsonld", "graph.svg"


def write_pack(
    store: Store,
    folder: Path | None,
    answer: Answer,
    target: Path,
    context: TaskContext,
    made: str = "",
    replace: bool = False,
) -> None:
    """The same answer gives the same bytes at one machine. `folder` holds the documents; `made`: moment, ISO 8601.

    Raises BadInput for a file that is there and not to be replaced, and where a passage of the answer is gone since;
    WorkspaceError where the file cannot be written; Cancelled.
    """
    if target.exists() and not (replace and target.is_file()):
        raise BadInput(tr("{path} exists already.", path=target), tr("Choose another name."))
    contents = gather(store, answer, made)
    context.check()
    images = page_images(store, folder, contents, context.check)
    picture = graph_picture(contents)
    files = {each.file: each.passage.text.encode("utf-8", "surrogatepass") for each in contents.passages}
    files |= {image.file: image.png for image in images}
    files |= {PICTURE: picture.encode()} if picture else {}
    files[ANNOTATIONS] = as_annotations(contents)
    files[RECORD] = as_record(contents, images)
    files[PAGE] = as_page(contents, images, picture)
    data = zipped(sealed(files))
    if len(data) > LARGEST:
        raise BadInput(
            tr("The pack would have more than {size} MB.", size=LARGEST // 1_000_000),
            tr("Ask for fewer passages."),
        )
    context.check()
    beside = target.with_name(f".{target.name}.new")
    try:
        beside.write_bytes(data)
        os.replace(beside, target)
    except OSError as fault:
        raise WorkspaceError(
            tr("{path} cannot be written: {why}.", path=target, why=fault.strerror),
            tr("Choose a place of your own with room in it."),
        ) from fault
    finally:
        beside.unlink(missing_ok=True)
