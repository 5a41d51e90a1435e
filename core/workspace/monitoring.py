"""How questions went over time, a sample of links for people to judge, and how far documents moved."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from core.answering.reliability import wilson
from core.config import Config
from core.errors import CoreError
from core.store.monitoring import DrawnMention
from core.store.passages import StoredPassage
from core.store.settings import CHANGED
from core.types import (
    Answer,
    AskedQuestion,
    AskedTogether,
    Drift,
    LinkedMention,
    LinkingSample,
    Monitoring,
    Sentence,
)
from core.types.kinds import NOUN, VALUES
from core.workspace.handle import WorkspaceHandle

SAMPLE = 100  # mentions a week (triple-layer 7.1.3)
_SETTING = "monitoring.keep"


class MonitoringApi:
    """`workspace.monitoring`. Safe from every thread. Of questions it keeps counts, never words.

    Nothing of the documents follows from what is kept, so that it needs trust but no lock. `judge`, `forget` and `put`
    raise Untrusted, and WorkspaceError where nothing can be written.
    """

    def __init__(
        self,
        opened: WorkspaceHandle,
        config: Callable[[], Config],
        keep: Callable[[tuple[str, ...]], list[str]],
    ) -> None:
        """`config` tells the settings that hold now, `keep` has these hold, too."""
        self._opened, self._store, self._rows = opened, opened.store, opened.store.monitoring
        self._config, self._keep = config, keep

    # ------------------------------------------------------------ questions

    @property
    def keeps(self) -> bool:
        """Whether questions leave a row."""
        return self._config().monitoring.keep

    def keep(self, wanted: bool) -> None:
        """Have them leave one from now on, or not. Raises as `Workspace.keep_settings`."""
        if wanted != self.keeps:
            self._keep((f"{_SETTING}={str(wanted).lower()}",))

    def note(self, answer: Answer) -> None:
        """Keep how a person's question went, once its answer is shown.

        Nothing where that is turned off or cannot be kept at once: another one may be writing.
        """
        if answer.unasked or not self.keeps or self._store.database.read_only:
            return
        from core.workspace.answer_statistics import (
            asked_question,  # numpy alone would do, but the estimate of tokens is beside models
        )

        with contextlib.suppress(CoreError):
            self._opened.check_trusted()
            asked = asked_question(answer)
            ids = [each.passage.id for each in answer.evidence] or [c.passage_id for c in answer.citations]
            documents, communities = self._rows.origins(dict.fromkeys(ids))
            self._rows.add(replace(asked, documents=documents, communities=asked.communities or communities))

    def questions(self, by: str = "day") -> Monitoring:
        """The last 10,000 questions together and by "day" or "week"."""
        from core.workspace.answer_statistics import summarised

        return summarised(self._rows.questions(), "week" if by == "week" else "day")

    def sums(self) -> AskedTogether:
        """All of them together, without their days."""
        from core.workspace.answer_statistics import all_together

        return all_together(self._rows.questions())

    def forget(self) -> list[AskedQuestion]:
        """Forget all questions; what was kept of them, for `put`."""
        self._opened.check_trusted()
        before = self._rows.questions()
        self._rows.forget()
        return before

    def put(self, questions: list[AskedQuestion]) -> None:
        """Keep these again."""
        self._opened.check_trusted()
        self._rows.put(questions)

    # ------------------------------------------------------------ links

    def sample(self, seed: int | None = None, count: int = SAMPLE) -> LinkingSample:
        """Names drawn at random from all that are linked, by default those of this week.

        Dates, numbers and mere words are left out: they stand for themselves.
        """
        if seed is None:
            seed = this_week()
        drawn = self._rows.draw(count, seed, VALUES | {NOUN})
        keys = list(dict.fromkeys(each.passage_key for each in drawn))
        passages = {stored.key: stored for stored in self._store.passages.by_keys(keys)}
        mentions = tuple(
            self._linked(each, passages[each.passage_key]) for each in drawn if each.passage_key in passages
        )
        return self.recounted(LinkingSample(seed, mentions))

    def recounted(self, sample: LinkingSample) -> LinkingSample:
        """The same mentions with the share of links found right as it is now."""
        right, wrong = self._rows.verdicts()
        low, high = wilson(right, right + wrong)
        return replace(sample, right=right, wrong=wrong, low=low, high=high)

    def judge(self, mention: LinkedMention, verdict: str) -> None:
        """Keep that a link is "right" or "wrong"; "" takes it back. It holds as long as the link is made.

        Raises BadInput for another verdict.
        """
        self._opened.check_trusted()
        self._rows.judge(mention.passage_id, mention.start, mention.entity_id, verdict)

    def _linked(self, drawn: DrawnMention, stored: StoredPassage) -> LinkedMention:
        passage = stored.passage
        around = [s for s in passage.sentences if s.start <= drawn.start < s.end]
        sentence = around[0] if around else Sentence(0, len(passage.text))
        end = max(sentence.end, min(drawn.end, len(passage.text)))
        return LinkedMention(
            passage.id,
            passage.document_id,
            stored.path,
            drawn.start,
            (passage.start + drawn.start, passage.start + drawn.end),
            passage.text[sentence.start : end],
            (drawn.start - sentence.start, min(drawn.end, end) - sentence.start),
            drawn.entity_id,
            drawn.entity,
            drawn.label,
            drawn.others,
            drawn.verdict,
        )

    # ------------------------------------------------------------ drift

    def drift(self) -> Drift:
        """How far documents and facts moved since communities and places were last made anew."""
        from core.ingest.derive import REDRAW  # igraph and more: for this alone

        store = self._store
        stored_count = store.settings.get(CHANGED, "0")
        facts_changed = int(stored_count) if stored_count.isdecimal() else 0
        status = store.census.status(digest=False)
        known = self._rows.known()
        moved = self._rows.moved() if known else (0, 0, 0)
        updates = tuple(self._rows.updates())
        return Drift(REDRAW, status.documents, *moved, facts_changed, store.facts.count(), known, updates)


def this_week() -> int:
    """The year and week of ISO 8601 as one number: 202636."""
    year, week, _ = date.today().isocalendar()
    return year * 100 + week
