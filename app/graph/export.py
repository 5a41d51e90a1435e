"""Keeping what is seen as a file, or on the clipboard: captured here, drawn off the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog

from app.graph.canvas.canvas import GraphCanvas
from app.graph.picture import image_of, svg_of
from app.look.translation import tr
from app.session.session import Session
from core.errors import BadInput
from core.progress import TaskContext

TASK = "graph picture"  # not shown


class GraphExport(QObject):
    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._session, self._canvas = session, canvas
        self._tasks = session.tasks.owned_by(self)
        self.dialog: QFileDialog | None = None

    def why_not(self) -> str:
        return "" if self._canvas.node_count else tr("There is no graph yet.")

    def choose(self) -> None:
        """Ask for a file; its ending decides what it becomes."""
        kinds = tr("Picture (*.png);;Drawing (*.svg)")
        dialog = QFileDialog(self._canvas, tr("Save the picture of the graph"), str(Path.home()), kinds)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix("png")
        dialog.filterSelected.connect(
            lambda chosen: dialog.setDefaultSuffix("svg" if "svg" in chosen else "png")
        )
        dialog.selectFile(tr("Graph") + ".png")
        dialog.fileSelected.connect(lambda chosen: self.save(Path(chosen)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.destroyed.connect(self._forget)
        self.dialog = dialog
        dialog.open()

    def _forget(self) -> None:
        self.dialog = None

    def save(self, target: Path) -> None:
        """Write the current view as SVG or PNG, by the ending of the file, replacing it."""
        snapshot, legends = self._canvas.snapshot(), self._canvas.legends()

        def work(context: TaskContext) -> Path:
            if target.suffix.lower() == ".svg":
                drawing = svg_of(snapshot, legends, context.check)
                _write(target, lambda place: bool(place.write_bytes(drawing)))
            else:
                image = image_of(snapshot, legends, context.check)
                _write(target, lambda place: QImageWriter(str(place), b"png").write(image))
            return target

        def done(path: Path) -> None:
            self._session.notify(tr("The picture is kept in {path}.", path=path), "success")

        self._tasks.start(TASK, work, done)

    def copy(self) -> None:
        """Put the current view on the clipboard."""
        snapshot, legends = self._canvas.snapshot(), self._canvas.legends()

        def work(context: TaskContext) -> QImage:
            return image_of(snapshot, legends, context.check)

        def done(image: QImage) -> None:
            QGuiApplication.clipboard().setImage(image)
            self._session.notify(tr("The picture is on the clipboard."), "success")

        self._tasks.start(TASK, work, done)


def _write(target: Path, write: Callable[[Path], bool]) -> None:
    """Write a temporary file first, so that none is left half written. Raise BadInput where it fails."""
    part_path = target.with_name(f".{target.name}.part")
    try:
        if not write(part_path):
            raise OSError(tr("the picture could not be written"))
        part_path.replace(target)
    except OSError as error:
        part_path.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        words = tr("{path} cannot be written: {reason}.", path=target, reason=reason)
        raise BadInput(words, tr("Choose another place.")) from error
