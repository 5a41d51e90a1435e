"""The real window in a process of its own: index a folder, ask, open the citation, close. Used by tests/e2e.

    python window_driver.py FOLDER WORKSPACE QUESTION

Prints the answer; exit code 0 when all went well, 3 when something was told as an error.
"""

import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.session import operations
from app.session.indexing import IndexingState
from app.shell import start
from app.shell.main_window import MainWindow
from core.types import Answer

GIVE_UP = 220_000  # milliseconds; a busy machine gives indexing little


class Drive:
    """What a person would do, one step after the other's end."""

    def __init__(self, folder: Path, workspace: Path, question: str) -> None:
        self.folder, self.workspace, self.question = folder, workspace, question
        self.asked = False

    def begin(self) -> None:
        windows = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
        self.window = windows[0]
        self.session = self.window.session
        self.session.message_posted.connect(
            lambda message: message.level != "error" or self.end(message.text, 3)
        )
        self.session.indexing_changed.connect(self.ask)
        self.session.answered.connect(self.cite)
        operations.open_folder(self.session, self.folder, self.workspace)

    def ask(self, state: IndexingState) -> None:
        if state is IndexingState.IDLE and not self.asked:
            self.asked = True
            operations.ask(self.session, self.question)

    def cite(self, answer: Answer) -> None:
        operations.select_citation(self.session, answer.citations[0])
        QTimer.singleShot(500, lambda: self.end(answer.text, 0))

    def end(self, words: str, code: int) -> None:
        print(words, flush=True)
        self.window.close()
        QApplication.exit(code)


if __name__ == "__main__":
    app = QApplication(sys.argv[:1])
    drive = Drive(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    QTimer.singleShot(0, drive.begin)
    QTimer.singleShot(GIVE_UP, lambda: drive.end("Nothing came.", 4))
    sys.exit(start.run())
