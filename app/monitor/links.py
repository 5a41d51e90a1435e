"""Names drawn at random, each in its sentence, with the entity it is linked to: a person says right or wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.painting import paint_text
from app.look.translation import tr
from app.monitor.words import VERDICTS, accuracy_words, link_words, mention_words
from app.session import operations
from app.session.commands import Command
from app.session.selection import Selected
from app.session.session import Session
from app.session.tasks import Lane
from app.widgets.buttons import push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from app.widgets.notices import EmptyState
from app.widgets.row_list import RowDelegate, RowList, paint_marked
from app.widgets.table import RECORD_ROLE, AnyIndex, Column
from core.errors import CoreError
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import LinkedMention, LinkingSample

_SIGNS = {
    "right": ("check-circle", "ok"),
    "wrong": ("x-circle", "error"),
    "": ("circle-dashed", "muted"),
}
_NOTHING = LinkingSample(0)


class _LinkRow(RowDelegate):
    HEIGHT = 46

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        mention: LinkedMention = index.data(RECORD_ROLE)
        icon, role = _SIGNS[mention.verdict]
        side = theme.px(16)
        spot = QRect(box.left() + theme.WITHIN, box.center().y() - side // 2, side, side)
        theme.icon(icon, role).paint(painter, spot)
        inside = box.adjusted(side + 2 * theme.WITHIN, theme.px(3), -theme.WITHIN, -theme.px(3))
        upper, lower = QRect(inside), QRect(inside)
        upper.setHeight(int(inside.height() * 0.5))
        lower.setTop(upper.bottom())
        verdict = QRect(lower)
        if mention.verdict:
            verdict.setLeft(lower.right() - theme.px(70))
            lower.setRight(verdict.left() - theme.WITHIN)
            end = Qt.AlignmentFlag.AlignRight
            paint_text(painter, verdict, VERDICTS[mention.verdict], "muted", theme.SMALL, place=end)
        paint_marked(painter, upper, mention.sentence, [mention.mark])
        words = tr("\u2192 {link}", link=escape_controls(link_words(mention)))
        paint_text(painter, lower, words, "muted", theme.SMALL)


class LinksView(QWidget):
    """The list has the keys: Y and N judge and go on to the next one, U takes the last verdict back. Choosing one shows
    its sentence in the reader, Enter its entity."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.sample = _NOTHING
        self._seed: int | None = None
        self._done: list[LinkedMention] = []  # as they were before the last verdicts
        self.sums = PlainLabel(wrap=True, selectable=True, name="linkSums")
        columns = (
            Column(tr("Name"), mention_words),
            Column(tr("Entity"), link_words),
            Column(tr("Sentence"), lambda mention: mention.sentence),
            Column(tr("Verdict"), lambda mention: VERDICTS[mention.verdict]),
        )
        self.list = RowList("linksList", tr("Names and their entities"), columns, _LinkRow, _describe_mention)
        self.list.setSelectionMode(RowList.SelectionMode.SingleSelection)
        self.right, self.wrong = push_button(icon="check"), push_button(icon="x")
        self.undo, self.others = push_button(kind="quiet"), push_button(kind="quiet")
        self.empty = EmptyState(
            "check-square",
            tr("No names are linked yet"),
            tr("Open a folder: names are linked as it is read."),
        )
        buttons = row(self.right, self.wrong, self.undo, STRETCH, self.others)
        self._below = QWidget()
        margins = (theme.GROUPS, theme.WITHIN, theme.GROUPS, 0)
        column(self.sums, buttons, margins=margins, on=self._below)
        self._area = PanelScroll(self.list, (self.empty, 1), STRETCH)
        column(self._below, (self._area, 1), spacing=0, on=self)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.list.activated.connect(self._show_entity)
        session.commands.add(self.list, *self._commands(), scoped=True)
        for button, id in (
            (self.right, "monitor.right"),
            (self.wrong, "monitor.wrong"),
            (self.undo, "monitor.undo"),
            (self.others, "monitor.others"),
        ):
            button.setText(session.commands[id].name)
            session.commands.press(button, id)
        session.blocked_changed.connect(self._show_buttons)
        self.show_sample(_NOTHING)

    def _commands(self) -> tuple[Command, ...]:
        def unchosen() -> str:
            return self._session.shut or ("" if self.current else tr("Choose a name first."))

        def undone() -> str:
            return self._session.shut or ("" if self._done else tr("Nothing was judged here yet."))

        def closed() -> str:
            return "" if self._session.workspace else tr("No workspace is open.")

        return (
            Command("monitor.right", tr("Right"), partial(self.judge, "right"), "Y", "check", unchosen,
                    tip=tr("The marked name is that entity")),
            Command("monitor.wrong", tr("Wrong"), partial(self.judge, "wrong"), "N", "x", unchosen,
                    tip=tr("The marked name is another one, or none")),
            Command("monitor.undo", tr("Undo"), self.take_back, "U", "arrow-counter-clockwise", undone),
            Command("monitor.others", tr("Draw others"), self.draw_others, why_not=closed,
                    tip=tr("A new sample; what was judged stays. Each week begins with one of its own.")),
        )  # fmt: skip

    # ------------------------------------------------------------ content

    @property
    def current(self) -> LinkedMention | None:
        index = self.list.currentIndex()
        return index.data(RECORD_ROLE) if index.isValid() else None

    def read(self) -> None:
        """Draw the sample again: it stays as long as the names do."""
        workspace, seed = self._session.workspace, self._seed
        if workspace is not None:
            self._tasks.start(
                "sample", lambda _: workspace.monitoring.sample(seed), self.show_sample, lane=Lane.WHOLE
            )

    def clear(self) -> None:
        self._tasks.drop("sample")
        self._seed = None
        self._done.clear()
        self.show_sample(_NOTHING)

    def show_sample(self, sample: LinkingSample) -> None:
        at = self.list.currentIndex().row()
        same = [_place(m) for m in sample.mentions] == [_place(m) for m in self.sample.mentions]
        self.sample = sample
        if same and sample.mentions:
            self.list.records.renew(sample.mentions)
        else:
            self.list.set_records(sample.mentions)
            at = -1
        self._below.setVisible(bool(sample.mentions))
        self.list.setVisible(bool(sample.mentions))
        self.empty.setVisible(not sample.mentions)
        self.sums.setText(accuracy_words(sample))
        if at < 0 and sample.mentions:
            with_none = (n for n, m in enumerate(sample.mentions) if not m.verdict)
            self._go_to(next(with_none, 0), silent=True)
        self._show_buttons()

    def _show_buttons(self) -> None:
        for button, id in (
            (self.right, "monitor.right"),
            (self.wrong, "monitor.wrong"),
            (self.undo, "monitor.undo"),
        ):
            reason = self._session.commands[id].why_not()
            button.setEnabled(not reason)
            self._session.commands.describe(button, id, reason)

    def _go_to(self, at: int, silent: bool = False) -> None:
        model = self.list.selectionModel()
        blocked = model.blockSignals(silent)
        self.list.setCurrentIndex(self.list.model().index(at, 0))
        model.blockSignals(blocked)

    def scroll_to_current(self) -> None:
        """The list is as tall as its rows: what is around it scrolls."""
        spot = self.list.visualRect(self.list.currentIndex()).center()
        at = self.list.viewport().mapTo(self._area.content, spot)
        self._area.ensureVisible(0, at.y(), 0, theme.px(2 * _LinkRow.HEIGHT))

    # ------------------------------------------------------------ the person

    def judge(self, verdict: str) -> None:
        """Say right or wrong of the chosen one, and choose the next."""
        mention, at = self.current, self.list.currentIndex().row()
        if mention is None:
            return
        self._done.append(mention)
        self._keep(mention, verdict)
        if at + 1 < len(self.sample.mentions):
            self._go_to(at + 1)

    def take_back(self) -> None:
        """Bring the last verdict back to what it was, and choose that name."""
        if not self._done:
            return
        before = self._done.pop()
        self._keep(before, before.verdict)
        places = [_place(mention) for mention in self.sample.mentions]
        if _place(before) in places:
            self._go_to(places.index(_place(before)))

    def draw_others(self) -> None:
        self._seed = (self.sample.seed if self._seed is None else self._seed) + 1_000_000
        self.list.setCurrentIndex(self.list.model().index(-1, 0))
        self.read()

    def _keep(self, mention: LinkedMention, verdict: str) -> None:
        workspace, place = self._session.workspace, _place(mention)
        if workspace is None:
            return
        # Shown at once: who judges at speed does not wait for the disk.
        links = tuple(replace(m, verdict=verdict) if _place(m) == place else m for m in self.sample.mentions)
        self.sample = replace(self.sample, mentions=links)
        self.list.records.renew(links)
        monitoring, sample = workspace.monitoring, self.sample

        def work(_: TaskContext) -> LinkingSample:
            monitoring.judge(mention, verdict)
            return monitoring.recounted(sample)

        # One thread: what is said last of a name is kept last.
        self._tasks.start(f"judge {place}", work, self._show_sums, failed=self._on_failed, lane=Lane.WHOLE)
        self._show_buttons()

    def _show_sums(self, counted: LinkingSample) -> None:
        numbers = {name: getattr(counted, name) for name in ("right", "wrong", "low", "high")}
        self.sample = replace(self.sample, **numbers)
        self.sums.setText(accuracy_words(counted))

    def _on_failed(self, error: CoreError) -> None:
        self._session.tell_error(error)
        self.read()

    def _on_current(self, *_: object) -> None:
        mention = self.current
        self._show_buttons()
        if mention is not None:
            self.scroll_to_current()
            place = Selected("citation", mention.passage_id, *mention.place, mention.document_id)
            self._session.selection.select(place)

    def _show_entity(self, *_: object) -> None:
        if (mention := self.current) is not None:
            operations.select_entity(self._session, mention.entity_id)


def _place(mention: LinkedMention) -> tuple[str, int, str]:
    return mention.passage_id, mention.start, mention.entity_id


def _describe_mention(mention: LinkedMention) -> str:
    return tr("{sentence}\n\u2192 {link}\n{document}", sentence=mention.sentence, link=link_words(mention),
              document=mention.document)  # fmt: skip
