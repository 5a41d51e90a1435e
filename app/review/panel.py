"""The reviewer's desk: which facts count, those that wait for a decision, and the log of decisions."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QTabBar, QWidget

from app.look import theme
from app.look.plain_text import button_words
from app.look.translation import tr
from app.review.commands import turning_commands
from app.review.log import LogView
from app.review.queue import QueueView
from app.session.decisions import policy_words
from app.session.panels import Area, PanelSpec
from app.session.session import Session
from app.widgets.buttons import explain, push_button, tool_button
from app.widgets.fields import progress_bar
from app.widgets.layout import STRETCH, column, row
from core.types import Policy

ROOMY, LEAST = 560, 60  # pixels for all words of the head, and for what is left of the policy's
LOWEST = 120  # pixels of what is below the head
BARS = (0.5, 0.6, 0.7, 0.8, 0.9)  # from which a fact can be taken for sure


class ReviewPanel(QWidget):
    """`stays`: what is selected here opens in the reader beside it, never in front of it."""

    stays = True

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.queue, self.log = QueueView(session), LogView(session)
        session.commands.add(self, *turning_commands(self.queue, session))
        self.tabs, self.stack = QTabBar(), QStackedWidget()
        self.tabs.setAccessibleName(tr("Queue or log"))
        self.tabs.setDrawBase(False)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)  # they may be narrower than their words
        for title, view in ((tr("To decide"), self.queue), (tr("Log"), self.log)):
            self.tabs.addTab(title)
            self.stack.addWidget(view)
        self.policy = push_button("", kind="quiet", icon="sliders")
        self.policy.setMenu(self._policy_menu())
        self.approved = tool_button("shield-check", text=tr("Approved only"), checkable=True)
        self.approved.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        explain(self.approved, session.policy.tip, named=False)
        self.busy = progress_bar(tr("The facts that count are counted again"))
        policy = self.busy.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing jumps
        self.busy.setSizePolicy(policy)
        head = row(self.tabs, STRETCH, self.policy, self.approved, margins=(4, 0, 12, 0), spacing=theme.GRID)
        column(head, self.busy, (self.stack, 1), spacing=0, on=self)
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        self.approved.clicked.connect(session.policy.toggle)
        self.log.turned.connect(self.queue.refresh)
        session.policy.changed.connect(self._show_policy)
        session.blocked_changed.connect(self._show_policy)
        session.workspace_opened.connect(self._show_policy)
        theme.follow(self, self._fit_text)

    def _fit_text(self) -> None:
        self.stack.setMinimumHeight(theme.px(LOWEST))  # else the graph above would have to give way
        self._show_policy()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where there is little room, the icon says it, and the policy is cut."""
        style, roomy = Qt.ToolButtonStyle, self.width() >= theme.px(ROOMY)
        self.approved.setToolButtonStyle(
            style.ToolButtonTextBesideIcon if roomy else style.ToolButtonIconOnly
        )
        taken = self.tabs.sizeHint().width() + self.approved.sizeHint().width() + theme.px(80)
        room = max(self.width() - taken, theme.px(LEAST))
        words = policy_words(self._session.policy.wanted or self._session.policy.now)
        cut = self.policy.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room)
        self.policy.setText(button_words(cut))
        self.policy.setMinimumWidth(theme.px(LEAST))

    @property
    def entrance(self) -> QWidget:
        return self.log.table if self.tabs.currentIndex() else self.queue.entrance

    def show_proposed(self, proposer: str) -> None:
        """Show what waits and was proposed by this one."""
        self.tabs.setCurrentIndex(0)
        self.queue.filters.clear()
        self.queue.filters.choose_proposer(proposer)

    def state(self, document_id: str, quote: str, start: int) -> None:
        """Ask for a new fact that a document states in this quote, which begins at this character."""
        self.tabs.setCurrentIndex(0)
        self.queue.state(document_id, quote, start)

    def _policy_menu(self) -> QMenu:
        menu = QMenu(self)
        group, self._choices = QActionGroup(menu), {}
        policies = (Policy("all"), *(Policy("sure", bar) for bar in BARS), Policy("approved"))
        for policy in policies:
            action = group.addAction(policy_words(policy))
            action.setCheckable(True)
            action.triggered.connect(partial(self._set, policy))
            menu.addAction(action)
            self._choices[policy] = action
        return menu

    def _set(self, policy: Policy, _: bool = False) -> None:
        self._session.policy.set(policy)
        self._show_policy()

    def _show_policy(self) -> None:
        fact_policy = self._session.policy
        now = fact_policy.wanted or fact_policy.now
        words = policy_words(now)
        self._fit()
        explain(self.policy, tr("{policy}. Press to change it", policy=words))
        for policy, action in self._choices.items():
            action.setChecked(policy.counts == now.counts and (now.counts != "sure" or policy.bar == now.bar))
        for part in (self.policy, self.approved):
            part.setEnabled(not fact_policy.why_not())
        self.approved.setChecked(fact_policy.approved_only)
        self.busy.setVisible(fact_policy.wanted is not None)


PANEL = PanelSpec("review", tr("Review"), Area.BOTTOM, ReviewPanel)
