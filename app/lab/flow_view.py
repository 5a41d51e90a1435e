"""One question flowing through one composition: its blocks, what each made of it, drawn on the graph and in words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.answers.wording import duration
from app.lab.blocks import Block, BlockStrip, blocks_of
from app.lab.state import LabState
from app.lab.tables import FoundTable, chain_of, passages_table, path_words, paths_table
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.overlay import heat_title
from app.session.session import Session
from app.session.tasks import Lane
from app.session.warming import warm
from app.widgets.accessible import announce
from app.widgets.buttons import push_button
from app.widgets.fields import line_edit, progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from core.errors import CoreError
from core.progress import TaskContext
from core.types import LabFlow, LabPassage, LabPath

_BREAKPOINT = 760  # pixels at 100 % from which on paths and passages stand beside each other
_LONGEST = 4_000  # letters of a question
_NO_PATH = {"path": (), "facts": (), "reaches": ""}
_TITLES = {
    "seeds": tr("Seeds (their weight, heaviest = 1)"),
    "subgraph": tr("Subgraph (what an entity counts, best = 1)"),
    "pruning": tr("What pruning left (best = 1)"),
    "paths": tr("On paths (of the best = 1)"),
    "passages": tr("On the paths to the passages (best = 1)"),
}


class FlowView(QWidget):
    """Esc gives the graph back to the last answer."""

    def __init__(self, session: Session, state: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._state, self._tasks = session, state, session.tasks.owned_by(self)
        self.flow: LabFlow | None = None
        self._drawn = False
        self.question = line_edit(tr("Question to follow through the composition"), clear=True)
        self.question.setMaxLength(_LONGEST)
        self.run_button = push_button(kind="primary")
        self.progress = progress_bar(tr("Following the question"))
        self.blocks = BlockStrip()
        self.summary = PlainLabel(wrap=True, selectable=True)
        self.differs = PlainLabel(kind="small", wrap=True, selectable=True)
        self.fault = PlainLabel(kind="error", wrap=True, selectable=True)
        self.paths_sum, self.passages_sum = PlainLabel(kind="caps"), PlainLabel(tr("Passages"), "caps")
        self.paths = FoundTable(paths_table(self), "labPaths")
        self.passages = FoundTable(passages_table(self), "labPassages")
        self.paths.setAccessibleName(tr("Paths that were found"))
        self.passages.setAccessibleName(tr("Passages that were found"))
        self.hint = PlainLabel(
            tr(
                "Ask a question, or type one: each module shows what it made of it, and choosing a module draws that "
                "on the graph."
            ),
            kind="muted", wrap=True,
        )  # fmt: skip
        self._lay_out()
        self._connect()
        self._show_composition()

    def _lay_out(self) -> None:
        self._found = QWidget()
        self._paths_side, self._passages_side = QWidget(), QWidget()
        column(self.paths_sum, (self.paths, 1), spacing=theme.GRID, on=self._paths_side)
        column(self.passages_sum, (self.passages, 1), spacing=theme.GRID, on=self._passages_side)
        self._lists = row(
            (self._paths_side, 1), (self._passages_side, 1), spacing=theme.GROUPS, on=self._found
        )
        asking = row((self.question, 1), self.run_button)
        parts = (asking, self.progress, self.fault, self.blocks, self.summary, self.differs, self.hint)
        self.area = PanelScroll(*parts, (self._found, 100), STRETCH)
        column((self.area, 1), spacing=0, on=self)

    def _connect(self) -> None:
        session, state = self._session, self._state
        self.question.returnPressed.connect(lambda: session.commands.run("lab.follow"))
        self.blocks.chosen.connect(self._on_block)
        self.blocks.drawn.connect(self.draw)
        self.paths.lit.connect(self._light_path)
        self.paths.chosen.connect(self._choose_path)
        self.passages.chosen.connect(self._choose_passage)
        state.setup_changed.connect(self._show_composition)
        state.chosen_changed.connect(self._on_chosen)
        session.answered.connect(self._on_answered)
        session.workspace_closed.connect(self.clear)

    # ------------------------------------------------------------ the question

    def why_not(self) -> str:
        """Return why no question can be followed now; "" where one can."""
        if self._session.workspace is None:
            return tr("No workspace is open.")
        if not self._state.chosen:
            return tr("Choose a composition first.")
        return "" if self.question.text().strip() else tr("Type a question first.")

    def follow(self) -> None:
        """Send the question through the chosen composition."""
        workspace, name, question = self._session.workspace, self._state.chosen, self.question.text().strip()
        if workspace is None or not name or not question:
            return

        def work(context: TaskContext) -> LabFlow:
            warm(workspace, context)
            return workspace.lab.flow(name, question, context)

        self.fault.hide()
        self._tasks.start(
            "flow", work, self._on_flow, failed=self._on_failed, ended=self._show_running, lane=Lane.MODEL
        )
        self._show_running()

    def _on_flow(self, flow: LabFlow) -> None:
        self.flow = flow
        self._show_composition()
        self.blocks.choose_module("paths" if flow.paths else "passages")
        if self.blocks.current is not None:
            self.draw(self.blocks.current)
        count = trn("{count} path", "{count} paths", flow.found)
        passages = trn("{count} passage", "{count} passages", len(flow.passages))
        announce(self, tr("{paths}, {passages} found.", paths=count, passages=passages))

    def _on_failed(self, error: CoreError) -> None:
        self.flow = None
        self._show_composition()
        self.fault.setText(f"{error.message} {error.remedy}".strip())
        self.fault.show()

    def _on_answered(self, _: object) -> None:
        answer = self._session.answer
        self._drawn = False  # the graph shows the answer's own heat now
        if answer is None or self._tasks.busy("flow"):
            return
        self.question.setText(answer.trace.question[:_LONGEST])
        if self.flow is not None and self.flow.question != answer.trace.question:
            self.flow = None  # it is of another question
            self._show_composition()

    def _on_chosen(self) -> None:
        """Another composition: the question goes through it, too."""
        self.fault.hide()
        followed = self.flow is not None
        if followed and self.flow is not None and self.flow.composition != self._state.chosen:
            self.flow = None
        self._show_composition()
        if followed and self.flow is None and not self.why_not():
            self.follow()

    def clear(self) -> None:
        """Nothing was asked."""
        self._tasks.drop("flow")
        self.flow, self._drawn = None, False
        self.question.clear()
        self.fault.hide()
        self._show_composition()

    # ------------------------------------------------------------ what is seen

    def _show_running(self) -> None:
        busy = self._tasks.busy("flow")
        self.progress.setVisible(busy)
        self.run_button.setEnabled(not busy)

    def _show_composition(self) -> None:
        composition, flow = self._state.by_name.get(self._state.chosen), self.flow
        self.blocks.setVisible(composition is not None)
        self.blocks.show_blocks(blocks_of(composition, flow) if composition is not None else ())
        differs = composition.differs if composition is not None else ""
        self.differs.setText(tr("Differs from its source: {words}", words=differs))
        self.differs.setVisible(bool(differs))
        self._found.setVisible(flow is not None)
        self.hint.setVisible(flow is None)
        if composition is None:
            self.summary.setText("")
        self.summary.setVisible(composition is not None)
        if flow is not None:
            self._show_found(flow)
        self._show_running()

    def _show_found(self, flow: LabFlow) -> None:
        self._paths_side.setVisible(bool(flow.paths))
        self.paths.set_records(flow.paths)
        self.passages.set_records(flow.passages)
        count, all_ = len(flow.paths), flow.found
        words = trn("{count} path", "{count} paths", all_)
        if count < all_:
            words = tr("The best {shown} of {paths}", shown=count, paths=words)
        self.paths_sum.setText(words)
        took = duration(flow.seconds)
        self.passages_sum.setText(tr("Passages, after {time} in all", time=took))

    def _on_block(self, block: Block) -> None:
        summary = tr("{module}: {words}", module=block.name, words=block.words.replace("\n", tr("; ")))
        self.summary.setText(summary)

    def draw(self, block: Block) -> None:
        """What the module of a block left, upon the graph."""
        if block.step is None:
            if self.flow is None and not self.why_not():
                self.follow()
            return
        if not block.step.heat:
            note = tr("{words}. It leaves nothing to be drawn on the graph.", words=self.summary.text())
            self.summary.setText(note)
        title = _TITLES.get(block.step.module, tr("Relevance (share of PageRank)"))
        paths = self.flow.paths if self.flow is not None and block.part.module == "paths" else ()
        parts = self._path_parts(paths[0]) if paths else _NO_PATH
        self._drawn = True
        self._session.overlay.change(heat=block.step.heat, title=title, marks=(), communities=(), **parts)

    @staticmethod
    def _path_parts(found: LabPath) -> dict[str, object]:
        return {"path": found.path.entity_ids, "facts": chain_of(found), "reaches": ""}

    def _light_path(self, found: LabPath) -> None:
        self._session.overlay.change(**self._path_parts(found))

    def _choose_path(self, found: LabPath) -> None:
        """Its first fact is read where it is told, a path of one entity on the graph."""
        if found.path.steps:
            step = found.path.steps[0]
            operations.select_place(self._session, step.passage_id, step.start, step.end)
        else:
            operations.select_entity(self._session, found.path.entity_ids[0])
        announce(self, path_words(found))

    def _choose_passage(self, passage: LabPassage) -> None:
        operations.select_passage(self._session, passage.passage_id, passage.document_id)

    def give_back(self) -> None:
        """Draw the last answer upon the graph again."""
        answer, self._drawn = self._session.answer, False
        heat = answer.trace.heat if answer is not None else {}
        title = heat_title(answer) if answer is not None else tr("Relevance")
        self._session.overlay.change(heat=heat, title=title, **_NO_PATH)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._drawn:
            self.give_back()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < theme.px(_BREAKPOINT)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._lists.setDirection(way)
