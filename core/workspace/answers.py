"""What people said of answers and of their explanations, and how well stated probabilities hold."""

from __future__ import annotations

from core.answering.reliability import reliability, wilson
from core.types import Answer, Evidence, ExplanationSums, JudgedAnswer, JudgedExplanation, Reliability
from core.workspace.handle import WorkspaceHandle


class AnswersApi:
    """`workspace.answers`. Safe from every thread."""

    def __init__(self, opened: WorkspaceHandle) -> None:
        self._judged, self._explanations = opened.store.judged_answers, opened.store.judged_explanations
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

    def judge_explanation(self, answer: Answer, evidence: Evidence, verdict: str, why: str = "") -> None:
        """Keep whether the chain or sentence of a passage supports the answer, "yes" or "no"; "" takes it back.

        `why` is a word of the person. Raises as `judge`.
        """
        self._check_trusted()
        self._explanations.judge(answer, evidence, verdict, why)

    def explanations(self, question: str = "") -> list[JudgedExplanation]:
        """What people said of explanations of answers to a question, or to all; the oldest first."""
        return self._explanations.of(question) if question else self._explanations.all()

    def explanation_sums(self) -> ExplanationSums:
        """How many of them support their answers."""
        found = self._explanations.all()
        chains = [one.supports for one in found if one.facts]
        count, supporting = len(found), sum(one.supports for one in found)
        return ExplanationSums(count, supporting, len(chains), sum(chains), *wilson(supporting, count))

    def reliability(self) -> Reliability:
        """How stated probabilities hold, by the report of the model that ships and by the answers judged here."""
        return reliability(self._judged.all())
