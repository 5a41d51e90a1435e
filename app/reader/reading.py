"""What is read of a document before it is shown, off the window's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.reader.document import SHEETS, OpenDocument, numbers_of
from app.reader.text import Mark
from app.session.selection import Selected
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.workspace import Workspace


def read_document(workspace: Workspace, document_id: str, context: TaskContext) -> OpenDocument:
    """All that is drawn of a document; runs off the GUI thread."""
    document = workspace.documents.get(document_id)
    text = workspace.documents.text(document_id)
    context.check()
    mentions = sorted(workspace.documents.mentions(document_id), key=lambda mention: mention.start)
    context.check()
    stated = dict(workspace.documents.metadata(document_id))
    cells = (
        workspace.documents.regions(document_id, 0, len(text)) if SHEETS.search(document.media_type) else ()
    )
    return OpenDocument(
        document,
        text,
        tuple(workspace.documents.pages(document_id)),
        tuple(mentions),
        tuple(workspace.documents.blocks(document_id, 0, len(text))),
        placed=workspace.documents.placed(document_id),
        tables=tuple(workspace.documents.tables(document_id)),
        regions=tuple(cells),
        recognised=numbers_of(stated.get("ocr", "")),
    )


def marks_of(workspace: Workspace, selected: Selected, sentence: tuple[int, int] | None) -> tuple[Mark, ...]:
    """The place that was asked for comes last; the passage around it before."""
    if selected.kind == "document":
        return ()
    if selected.has_place:
        return (Mark(selected.start, selected.end, "cited"),)
    passage = workspace.passages.get(selected.id)
    marks = [Mark(passage.start, passage.end, "passage")]
    if sentence is not None:
        marks.append(Mark(passage.start + sentence[0], passage.start + sentence[1], "cited"))
    return tuple(marks)
