"""What people said of answers, and how well stated probabilities hold."""

from __future__ import annotations

from core.opening import Opened
from core.reliability import reliability
from core.types import Answer, JudgedAnswer, Reliability


class AnswersApi:
    """`workspace.answers`. Safe from every thread."""

    def __init__(self, opened: Opened) -> None:
        self._judged = opened.store.judged_answers
        self._check_trusted = opened.check_trusted

    def judge(self, answer: Answer, verdict: str, right_answer: str = "") -> None:
        """Keep that an answer is "right" or "wrong", with the right one if it is known; "" takes it back.

        Raises BadInput for another verdict, WorkspaceError where nothing can be written, Untrusted.
        """
        self._check_trusted()  # no lock: nothing follows from it, so it can be said while another indexes
        self._judged.judge(answer, verdict, right_answer)

    def judged(self, question: str = "") -> list[JudgedAnswer]:
        """What people said of answers to a question, or to all; the oldest first."""
        return self._judged.of(question) if question else self._judged.all()

    def reliability(self) -> Reliability:
        """How stated probabilities hold, by the report of the model that ships and by the answers judged here."""
        return reliability(self._judged.all())
