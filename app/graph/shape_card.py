"""The card "View" upon the graph: filters, what is hidden and pinned, colours and sizes, views that were kept."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QScrollArea, QSizePolicy, QWidget

from app.graph.canvas.canvas import GraphCanvas
from app.graph.filter_form import FilterForm
from app.graph.kept_views import KeptViews
from app.graph.live_scene import LiveScene
from app.graph.shaping import GraphShaping
from app.graph.tints import attribute_words
from app.look import theme
from app.look.translation import tr, trn
from app.session.session import Session
from app.widgets.buttons import push_button, tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, TOP, column, grid, line, row
from app.widgets.segments import Segments
from core.types.graph_shape import NAMED, NUMBERED

_EDGE, _TOP, _WIDTH = 12, 48, 320  # pixels
FILTER, LOOKS, KEPT = "filter", "looks", "kept"  # not shown


class ShapeCard(QFrame):
    """Shown by its command; Esc closes it. Signal: shown(bool)."""

    shown = Signal(bool)

    def __init__(self, session: Session, shaping: GraphShaping, live: LiveScene, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._session, self._shaping, self._live, self._canvas = session, shaping, live, canvas
        self.setProperty("kind", "card")
        self.setAccessibleName(tr("View of the graph"))
        self.undo = tool_button("arrow-counter-clockwise", tr("Undo the last change of the view"))
        self.redo = tool_button("arrow-clockwise", tr("Do the undone change of the view again"))
        self.close_button = tool_button("x", tr("Close this card"), self.close_card)
        self.form = FilterForm(shaping)
        self.colour_by, self.size_by = (
            _choice(tr("Colour by"), NAMED + NUMBERED),
            _choice(tr("Size by"), NUMBERED),
        )
        self.colour_by.activated.connect(lambda at: shaping.change(colour=self.colour_by.itemData(at)))
        self.size_by.activated.connect(lambda at: shaping.change(size=self.size_by.itemData(at)))
        self.hidden, self.pinned = PlainLabel(), PlainLabel()
        self.show_hidden = push_button(tr("Show again"), shaping.show_hidden, kind="quiet")
        self.unpin = push_button(tr("Let go"), self._unpin, kind="quiet")
        self.views = KeptViews(session, shaping)
        self._lay_out()
        self.hide()
        shaping.changed.connect(self.refresh)
        canvas.installEventFilter(self)
        theme.follow(self, self.place)

    def _lay_out(self) -> None:
        buttons = (self.undo, self.redo, self.close_button)
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._put_away = QWidget()
        lines = ((self.hidden, self.show_hidden), (self.pinned, self.unpin))
        grid(lines, across=8, down=0, on=self._put_away).setColumnStretch(0, 1)
        looks = grid(
            ((PlainLabel(tr("Colour by")), self.colour_by), (PlainLabel(tr("Size by")), self.size_by)),
            across=8, down=6, wide=1,
        )  # fmt: skip
        self._looks = QWidget()
        column(looks, line(), self._put_away, STRETCH, spacing=12, on=self._looks)
        self.pages = {FILTER: self.form, LOOKS: self._looks, KEPT: self.views}
        words = {FILTER: tr("Filter"), LOOKS: tr("Look"), KEPT: tr("Kept")}
        segments = Segments(words, self.turn_to)
        self.tabs = segments.buttons
        head = QWidget()
        row(segments, STRETCH, *buttons, spacing=2, on=head)
        self._head = head
        self._inside = QWidget()
        # As tall as its width makes it: the least height is that of a width at which each toggle has a line of its own.
        self._inside.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self._column = column(
            *((page, TOP) for page in self.pages.values()), STRETCH, margins=(0, 0, 8, 0), on=self._inside
        )
        self.area = QScrollArea(widgetResizable=True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self._inside)
        self.area.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)
        column(head, (self.area, 1), spacing=8, margins=(12, 8, 4, 8), on=self)
        self.turn_to(FILTER)

    # ------------------------------------------------------------ open and close

    def turn(self) -> None:
        """Open it, or close it."""
        if self.isVisible():
            self.close_card()
        else:
            self.open_card()
            self.tabs[self.page].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_card(self) -> None:
        self.show()
        self.raise_()
        self.refresh()
        self.place()
        self._shaping.look_at_columns(True)
        self.views.read()
        self.shown.emit(True)

    def close_card(self) -> None:
        had_focus = self.isAncestorOf(self.window().focusWidget() or self._canvas)
        self.hide()
        self._shaping.look_at_columns(False)
        self.shown.emit(False)
        if had_focus:
            self._canvas.setFocus()

    def turn_to(self, page: str, _: bool = False) -> None:
        """Show one of the pages."""
        self.page = page
        self.tabs[page].setChecked(True)
        for each, widget in self.pages.items():
            widget.setVisible(each == page)
        self.area.verticalScrollBar().setValue(0)
        self.refresh()

    def name_view(self) -> None:
        """To the field with the name of a view that is to be kept."""
        if not self.isVisible():
            self.open_card()
        self.turn_to(KEPT)
        self.views.name.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def place(self) -> None:
        """Along the left edge of the canvas, under its counts, as high as it needs or there is room."""
        room = self._canvas.size()
        width = min(theme.px(_WIDTH), room.width() - 2 * _EDGE)
        self.form.setMaximumWidth(width - 32)
        box = self._column
        inside = box.totalHeightForWidth(width - 24) if box.hasHeightForWidth() else box.sizeHint().height()
        wanted = inside + self._head.sizeHint().height() + 32
        top = min(theme.px(_TOP), max(room.height() - theme.px(320), _EDGE))
        self.setGeometry(_EDGE, top, width, max(min(wanted, room.height() - top - _EDGE), theme.px(120)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
        event.accept()  # keys that nobody wants here are not for the graph below

    # ------------------------------------------------------------ content

    def refresh(self) -> None:
        """Show what holds now."""
        if not self.isVisible():
            return
        shape = self._shaping.shape
        self.form.refresh()
        for box, value in ((self.colour_by, shape.colour), (self.size_by, shape.size)):
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(value))
        hidden, pinned = len(shape.hidden), len(shape.pinned)
        self.hidden.setText(trn("{count} entity hidden", "{count} entities hidden", hidden))
        self.pinned.setText(trn("{count} entity pinned", "{count} entities pinned", pinned))
        for count, *parts in ((hidden, self.hidden, self.show_hidden), (pinned, self.pinned, self.unpin)):
            for part in parts:
                part.setVisible(bool(count))
        self._put_away.setVisible(bool(hidden or pinned))
        self.undo.setEnabled(self._shaping.can_undo)
        self.redo.setEnabled(self._shaping.can_redo)
        self.place()

    def _unpin(self) -> None:
        self._shaping.unpin([id for id, *_ in self._shaping.shape.pinned])


def _choice(name: str, attributes: tuple[str, ...]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for attribute in attributes:
        box.addItem(attribute_words(attribute), attribute)
    return box
