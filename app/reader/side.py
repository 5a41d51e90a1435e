"""What stands beside or in place of the text: the pages as they look, or the cells of sheets."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from app.look import theme
from app.look.translation import tr
from app.reader.document import OpenDocument
from app.reader.page_view import STEP, PageView
from app.reader.sheet_view import SheetView
from app.reader.text import Mark
from app.session.session import Session
from app.widgets.buttons import tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import CENTRE, row

EDGE = 12  # pixels to the corner of the view


class PageBar(QFrame):
    """Lies in the lower right corner of a PageView and follows it."""

    def __init__(self, view: PageView) -> None:
        super().__init__(view)
        self.setProperty("kind", "card")
        self._view = view
        self.zoom = PlainLabel(kind="small", centred=True)
        theme.follow(self.zoom, lambda: self.zoom.setMinimumWidth(theme.px(44)))
        self.smaller = tool_button(
            "magnifying-glass-minus", tr("Smaller (Ctrl+-)"), lambda: view.zoom_by(1 / STEP)
        )
        self.larger = tool_button("magnifying-glass-plus", tr("Larger (Ctrl++)"), lambda: view.zoom_by(STEP))
        self.width_ = tool_button(
            "arrows-out-line-horizontal", tr("Fit the width (Ctrl+0)"), lambda: view.set_fit("width")
        )
        self.page = tool_button("frame-corners", tr("Fit the whole page"), lambda: view.set_fit("page"))
        for button in (self.width_, self.page):
            button.setCheckable(True)
        tip = tr("This page is a picture. Its words were recognised in it, and some may be misread.")
        self.scan = PlainLabel(tr("recognised words"), kind="chip", tip=tip)
        row(
            self.scan,
            self.smaller,
            (self.zoom, CENTRE),
            self.larger,
            self.width_,
            self.page,
            spacing=2,
            margins=3,
            on=self,
        )
        view.zoomed.connect(self._follow)
        view.page_changed.connect(self._follow)
        view.viewport().installEventFilter(self)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self, *_: object) -> None:
        view = self._view
        self.setVisible(view.ready)
        self.scan.setVisible(view.recognised)
        # At 100 % a page is as large as paper, on a screen of 96 dots to the inch.
        percent = round(view.layout_.zoom * 72 / 96 * 100)
        self.zoom.setText(tr("{percent} %", percent=percent))
        self.width_.setChecked(view.fit == "width")
        self.page.setChecked(view.fit == "page")
        self.adjustSize()
        inner = view.viewport().geometry()
        self.move(inner.right() - self.width() - EDGE, inner.bottom() - self.height() - EDGE)


class LookSide(QStackedWidget):
    """Its signals are those of the views in it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pages, self.sheet = PageView(session), SheetView()
        self.bar = PageBar(self.pages)
        self.addWidget(self.pages)
        self.addWidget(self.sheet)
        self._opened: OpenDocument | None = None

    @property
    def view(self) -> PageView | SheetView:
        """Return what is seen of the document."""
        return self.pages if self.currentWidget() is self.pages else self.sheet

    def show_document(self, opened: OpenDocument) -> None:
        """Show it as it looks; one that is shown already stays where it is."""
        before, self._opened = self._opened, opened
        if before is opened:
            return
        if before is not None and before.document == opened.document and opened.look == "page":
            self.pages.renew(opened)
        else:
            self.setCurrentWidget(self.pages if opened.look == "page" else self.sheet)
            self.view.show_document(opened)

    def clear(self) -> None:
        """No document any more."""
        self._opened = None
        self.pages.clear()

    def end(self) -> None:
        """As `clear`, and the process that draws pages ends."""
        self.clear()
        self.pages.shelf.end()

    def set_marks(self, marks: tuple[Mark, ...], entity_id: str) -> None:
        """Set places that stand out, and an entity that does wherever it is named."""
        self.view.set_marks(marks, entity_id)
