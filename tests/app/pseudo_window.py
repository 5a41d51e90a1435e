"""The real window in a pseudo-language, in a process of its own: prints every text on screen that was not translated.

    python pseudo_window.py WORKSPACE

Each translated text stands between marks; what is left outside of them, letters that no document holds, was missed.
"""

from __future__ import annotations

import gettext
import html
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.text import translation


class Pseudo(gettext.NullTranslations):
    """A language whose words are the English ones between marks."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


translation.catalogue = Pseudo()  # before anything else of the window is imported: some texts are made then

from PySide6.QtCore import QEventLoop, Qt, QTimer  # noqa: E402
from PySide6.QtGui import QAction  # noqa: E402
from PySide6.QtWidgets import (  # noqa: E402
    QAbstractButton,
    QApplication,
    QDockWidget,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QTabBar,
    QTableView,
    QTreeView,
    QWidget,
)

from app.look import theme  # noqa: E402
from app.session import operations  # noqa: E402
from app.session.preferences import Preferences  # noqa: E402
from app.session.session import Session  # noqa: E402
from app.shell.main_window import MainWindow  # noqa: E402

MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
CUT = re.compile(r"⟦[^⟦⟧]*(…|\Z)|[^\W\d_]+…")  # an elided text has lost its end, an elided name its last word
# Names of keys, of programs, and what Qt itself says (its own catalogues have it).
OTHERS = set(
    "clew alt ctrl shift left right backspace pgdown pgup space del esc enter ollama serve pull llama minilm".split()
)
OTHERS |= set("return close closes float undocks attaches scroll the dock widget http all re and".split())
OTHERS |= {"wrote", "known"}  # predicates that the rules give facts: content, as the documents' own words are
WORD = re.compile(r"[^\W\d_]{2,}")
QUESTIONS = (
    "Where was Tobias Renwick arrested?",
    "How many containers did the Ardent Kestrel lose in the Bay of Biscay?",
)


def texts(widget: QWidget) -> Iterator[tuple[str, str]]:
    """(where, text) of what a widget shows or says to a screen reader."""
    yield "title", widget.windowTitle()
    yield "tooltip", _plain(widget.toolTip())
    yield "name", widget.accessibleName()
    yield "description", _plain(widget.accessibleDescription())
    if isinstance(widget, QLabel | QAbstractButton):
        yield "text", widget.text()
    if isinstance(widget, QLineEdit):
        yield "placeholder", widget.placeholderText()
    if isinstance(widget, QDockWidget | QMenu):
        yield "title", widget.windowTitle() if isinstance(widget, QDockWidget) else widget.title()
    if isinstance(widget, QTabBar):
        yield from (("tab", widget.tabText(at)) for at in range(widget.count()))
    if isinstance(widget, QTableView | QTreeView | QListView) and (model := widget.model()) is not None:
        for column in range(1 if isinstance(widget, QListView) else model.columnCount()):
            yield "header", str(model.headerData(column, Qt.Orientation.Horizontal) or "")
            for line in range(min(model.rowCount(), 40)):
                cell = model.index(line, column)
                yield "cell", str(cell.data() or "")
                yield "cell tip", _plain(str(cell.data(Qt.ItemDataRole.ToolTipRole) or ""))
                yield "cell said", str(cell.data(Qt.ItemDataRole.AccessibleTextRole) or "")


def _plain(tip: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", tip))


def missed(known: set[str]) -> Iterator[str]:
    for widget in QApplication.allWidgets():
        for where, text in texts(widget):
            yield from _left(f"{type(widget).__name__} {widget.objectName()} {where}", text, known)
        for action in widget.findChildren(QAction):
            yield from _left("action", f"{action.text()} {_plain(action.toolTip())}", known)


def _left(where: str, text: str, known: set[str]) -> Iterator[str]:
    before = None
    while before != text:  # marks within marks: a translated value in a translated text
        before, text = text, MARKED.sub(" ", text)
    text = CUT.sub(" ", text)
    words = [word for word in WORD.findall(text) if word.casefold() not in known]
    if words:
        yield f"{where}: {' '.join(words)} | {before[:100]}"


def wait(signal: object, milliseconds: int = 100_000) -> None:
    loop = QEventLoop()
    signal.connect(lambda *_: loop.quit())  # type: ignore[attr-defined]
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def main() -> None:
    app = QApplication(sys.argv[:1])
    theme.apply(app, "light")
    session = Session()
    window = MainWindow(session, Preferences(Path(tempfile.mkdtemp()) / "settings.ini"))
    window.resize(1440, 900)
    window.show()
    found = set(missed(OTHERS))
    operations.open_workspace(session, Path(sys.argv[1]))
    wait(session.workspace_opened)
    workspace = session.workspace
    assert workspace is not None
    known = {*OTHERS, Path(sys.argv[1]).name, *WORD.findall(str(workspace.folder).casefold())}
    known |= {word.casefold() for word in WORD.findall(workspace.encoder_words)}
    for document in workspace.documents.all():
        text = f"{workspace.documents.text(document.id)} {document.path} {document.title}"
        known |= {word.casefold() for word in WORD.findall(text)}
    for question in QUESTIONS:
        operations.ask(session, question)
        wait(session.answered)
        known |= {word.casefold() for word in WORD.findall(question)}
        found |= set(missed(known))
    for command in session.commands:
        found |= set(
            _left(f"command {command.id}", f"{command.name} {command.why_not()} {command.tip}", known)
        )
    for spec in window.workbench.specs:
        session.commands.run(f"panel.{spec.id}")
        app.processEvents()
        found |= set(missed(known))
    forgotten = QLabel("Forgotten words", window)
    found |= set(missed(known))
    forgotten.deleteLater()
    print("\n".join(sorted(found)))
    window.close()
    session.close()


if __name__ == "__main__":
    main()
