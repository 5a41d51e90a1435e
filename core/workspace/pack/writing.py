"""Writes an evidence pack: gathers, draws, seals, and puts the file in its place whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.errors import BadInput
from core.files.safe_files import new_file
from core.progress import TaskContext
from core.store.store import Store
from core.text.translation import tr
from core.types import Answer
from core.workspace.pack.annotations import as_annotations
from core.workspace.pack.archive import LARGEST, zipped
from core.workspace.pack.contents import Contents, gather
from core.workspace.pack.graph_picture import graph_picture
from core.workspace.pack.page import as_page
from core.workspace.pack.page_images import page_images
from core.workspace.pack.record import as_record
from core.workspace.pack.seal import PAGE, RECORD, sealed

ANNOTATIONS, PICTURE = "annotations.jsonld", "graph.svg"


def write_pack(
    store: Store,
    folder: Path | None,
    answer: Answer,
    target: Path,
    context: TaskContext,
    moment: str = "",
    replace: bool = False,
    model_digest: Callable[[str], str] = lambda _: "",
) -> None:
    """The same answer gives the same bytes at one machine. `folder` holds the documents; `moment`: moment, ISO 8601.

    Raises BadInput for a file that is there and not to be replaced, and where a passage of the answer is gone since;
    WorkspaceError where the file cannot be written; Cancelled.
    """
    context.report("pack", 0, 0)
    with new_file(target, replace) as temp_path:
        data = _packed(store, folder, gather(store, answer, moment, model_digest), context)
        context.check()
        temp_path.write_bytes(data)


def _packed(store: Store, folder: Path | None, contents: Contents, context: TaskContext) -> bytes:
    images = page_images(store, folder, contents, context)
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
    return data
