"""One click selects once, and whoever listens reads once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.session.selection import Selected
from app.shell.workbench import Workbench
from tests.app.ask.test_global_answer import told
from tests.app.panel_case import Case
from tests.waiting import process_events

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bench(qtbot: QtBot, case: Case) -> Iterator[Workbench]:
    made = Workbench(case.session)
    qtbot.addWidget(made)
    made.resize(1440, 900)
    made.show()
    made.arrange()
    case.session.answered.emit(told(case))
    process_events()
    yield made


def clicked(qtbot: QtBot, case: Case, button: QAbstractButton) -> list[Selected]:
    """What a click selects."""
    found: list[Selected] = []
    case.session.selection.changed.connect(found.append)
    qtbot.mouseClick(button, LEFT)
    case.session.selection.changed.disconnect(found.append)
    return [selected for selected in found if selected is not None]


def test_a_community_of_the_answer(qtbot: QtBot, bench: Workbench, case: Case) -> None:
    bench.docks["communities"].hide()
    chip = bench.ask.answer.communities.chips[1]
    assert clicked(qtbot, case, chip) == [Selected("community", str(chip.community.id))]
    assert bench.docks["communities"].isVisible()


def test_a_source_of_the_answer_and_a_card_of_the_evidence(
    qtbot: QtBot, bench: Workbench, case: Case
) -> None:
    source = bench.ask.answer.sources[1]
    assert [selected.kind for selected in clicked(qtbot, case, source)] == ["citation"]
    found: list[Selected] = []
    case.session.selection.changed.connect(found.append)
    qtbot.mouseClick(bench.evidence.cards[0], LEFT)
    assert [selected.kind for selected in found] == ["passage"]
