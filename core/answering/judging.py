"""Triple-Check and rewriting by a language model, with the rules as the net below it. A2RAG III-B."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.answering.prompts import SaidJudgement, SaidQuestion, judge_prompt, rewrite_prompt
from core.answering.validators import GROUNDING, RELEVANCE, RESOLUTION, Attempt, HeuristicValidators, Judged
from core.config import ControlConfig
from core.errors import BadReply, PromptTooLong
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.types import Claim, Validation, Verdict

_LONGEST = 300  # characters of a question that is written again


class ModelValidators:
    """One call an attempt: relevance, resolution, and a verdict on each claim.

    The model may doubt what the rules let pass; it cannot vouch for a claim whose names or numbers no passage
    holds. Where its reply is of no use the rules decide, and the words say so.
    """

    def __init__(self, model: LanguageModel, rules: HeuristicValidators, config: ControlConfig) -> None:
        self.name = model.name
        self._model = model
        self._rules = rules
        self._config = config

    def judge(self, attempt: Attempt, context: TaskContext) -> Judged:
        """Raises Cancelled, CapReached, ModelUnavailable, and ModelFault of the server."""
        by_rules = self._rules.judge(attempt, context)
        if attempt.answer.abstained:
            return by_rules
        claims = by_rules.attempt.answer.claims
        prompt = judge_prompt(
            attempt.question.text, attempt.answer.text, [c.text for c in claims], attempt.candidates
        )
        try:
            said = self._model.structured(prompt, SaidJudgement, context)
        except (BadReply, PromptTooLong) as fault:
            noted = tuple(replace(v, words=f"{v.words} (by rule: {fault})") for v in by_rules.validations)
            return Judged(by_rules.attempt, noted)
        judged = self._claims(claims, said.value)
        answer = replace(by_rules.attempt.answer, claims=judged)
        return Judged(replace(attempt, answer=answer), self._validations(by_rules, said.value, judged))

    def _claims(self, claims: Sequence[Claim], said: SaidJudgement) -> tuple[Claim, ...]:
        """The model's doubts about the claims; what it vouches for must hold by the rules, too."""
        verdicts = {item.claim: item for item in said.claims}
        found = []
        for number, claim in enumerate(claims, start=1):
            item = verdicts.get(number)
            if item is None or item.verdict == claim.verdict or claim.verdict is not Verdict.SUPPORTED:
                found.append(claim)
                continue
            words = (
                f"passage {item.passage} says otherwise"
                if item.passage
                else "it finds no passage that says so"
            )
            found.append(replace(claim, verdict=Verdict(item.verdict), words=words, by=self.name))
        return tuple(found)

    def _validations(
        self, by_rules: Judged, said: SaidJudgement, claims: Sequence[Claim]
    ) -> tuple[Validation, ...]:
        carried = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
        share = carried / len(claims) if claims else 0.0
        reason = " ".join(said.reason.split())[:_LONGEST]
        found = []
        for rule in by_rules.validations:
            if rule.name == RELEVANCE:
                found.append(self._by_model(rule, rule.passed and said.relevant, rule.score, reason))
            elif rule.name == GROUNDING:
                words = f"{carried} of {len(claims)} sentences are carried by the passages"
                found.append(self._by_model(rule, share >= self._config.grounding, share, words))
            else:
                assert rule.name == RESOLUTION
                found.append(self._by_model(rule, said.resolved, float(said.resolved), reason))
        return tuple(found)

    def _by_model(self, rule: Validation, passed: bool, score: float, words: str) -> Validation:
        return Validation(rule.name, passed, score, words or rule.words, self.name)


class ModelRewriter:
    """Asks the model for the question in other words, after the type of the failure."""

    def __init__(self, model: LanguageModel) -> None:
        self.name = model.name
        self._model = model

    def rewrite(self, attempt: Attempt, failed: str, context: TaskContext) -> str:
        """One line; "" where the reply is of no use. Raises Cancelled, CapReached, ModelUnavailable."""
        prompt = rewrite_prompt(attempt.question.text, failed, attempt.answer.missing)
        try:
            said = self._model.structured(prompt, SaidQuestion, context)
        except (BadReply, PromptTooLong):
            return ""
        asked = " ".join(said.value.question.split())
        return asked if 0 < len(asked) <= _LONGEST else ""
