"""The buttons upon the pages: smaller and larger, and how they fit."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QFrame

from app.look import theme
from app.look.translation import tr
from app.reader.page_view import STEP, PageView
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
        view.page_shown.connect(self._follow)
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
