"""Peers on the questions of a lab run: their rows are scored like those of the compositions."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.answering.models import is_minilm
from core.errors import CoreError
from core.ingest.executors import passage_spans
from core.lab.metrics import DEPTH
from core.lab.rows import LabRow, as_line, begun
from core.progress import Cancelled, TaskContext
from core.protocols import Encoder
from core.research.datasets import EvalQuestion
from core.research.external_triples import ExternalTriples
from core.research.lab_run import Judge, hops, stamp
from core.research.peers.environment import DRIVERS, Peer, interpreter
from core.research.peers.exchange import DriverSession, PeerPassage, PeerQuestion, Ranking, run, write
from core.types.kinds import stable_id
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.answering.ask import Asker

_AT_ONCE = 500  # facts read at a time
_FAILED = ""  # digest of a failed row: it is run again the next time


class PeerRun:
    """The common input of all peers: passages, triples, vectors and questions of one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        questions: Sequence[EvalQuestion],
        triples: ExternalTriples | None,
        out: Path,
        context: TaskContext,
    ) -> None:
        """`triples` are those that the workspace was built from, None for its own. Raises BadInput, Cancelled."""
        self._questions, self._out, self._context = questions, out, context
        workspace.load_models(context)
        self._asker = workspace.retrieval.asker()
        self._judge = Judge(workspace, self._asker)
        self._passages = (
            own_passages(workspace, context) if triples is None else passages_with_triples(workspace, triples)
        )
        parse = self._asker.vectors.models.parse
        self._asked = [
            PeerQuestion(each.id, each.question, tuple(name.text for name in parse(each.question).names))
            for each in questions
        ]
        vectors = workspace.passages.vectors()
        self._vectors = {each.content: vectors[each.id] for each in self._passages if each.id in vectors}
        for question in questions:
            self._vectors[question.question] = self._asker.vectors.embed_question(question.question)
        self._saved = begun(out, stamp(workspace, questions))

    def rows(self, peer: Peer, fault: str, seconds: float) -> list[LabRow]:
        """Return its row for each question, from the file if nothing changed; `fault` says why it cannot run.

        A peer that fails has rows without figures that say so. Raises Cancelled.
        """
        digest = stable_id(peer.digest, *(f"{each.id}\x1f{each.triples}" for each in self._passages))
        cached = {
            row.question: row for key, row in self._saved if key == digest and row.composition == peer.name
        }
        if all(question.id in cached for question in self._questions):
            return [cached[question.id] for question in self._questions]
        rankings: dict[str, Ranking] = {}
        note = f"{peer.source}; {peer.version}: {peer.differs}"
        try:
            if not fault:
                rankings, indexed = self.ranked(peer, str(interpreter(peer)), seconds)
                note += f"; indexing took {indexed:,.0f} s"
        except Cancelled:
            raise
        except CoreError as error:
            fault = str(error)
        if fault:
            note, digest = f"not run. {fault}", _FAILED
        rows = [
            self._row(peer.name, question, rankings.get(question.id), note) for question in self._questions
        ]
        with self._out.open("a", encoding="utf-8") as file:
            file.writelines(as_line(digest, row) for row in rows)
        return rows

    def ranked(self, peer: Peer, python: str, seconds: float) -> tuple[dict[str, Ranking], float]:
        """Return the rankings by question, and the seconds of its indexing. Raises PeerFault, Cancelled."""
        with tempfile.TemporaryDirectory(prefix="clew-peer-") as scratch:
            folder = Path(scratch)
            write(folder, self._passages, self._asked, self._vectors)
            encode = partial(_encoder_of_many(self._asker).embed, context=self._context)

            def on_progress(done: int) -> None:
                self._context.report("peers", done, len(self._asked), peer.name)

            session = DriverSession(folder, self._passages, self._asked, encode, on_progress)
            on_progress(0)
            command = (python, str(peer.driver), str(folder), *peer.arguments)
            run(command, folder, session.receive, seconds, self._context, _alone(folder))
        return session.all_ranked(), session.index_seconds

    def _row(self, name: str, question: EvalQuestion, ranking: Ranking | None, note: str) -> LabRow:
        if ranking is None:
            return LabRow(
                name, question.id, question.question, question.kind, {}, 0, 0, 0, 0, (), "", 0.0, 0, {}, note=note
            )  # fmt: skip
        passages = ranking.passages[:DEPTH]
        # Scores of peers are not comparable: the reader gets reciprocal ranks.
        scores = [1.0 / rank for rank in range(1, len(passages) + 1)]
        judged = self._judge.judged(question, passages, scores)
        seconds = {"all": ranking.seconds}
        return LabRow(
            name, question.id, question.question, question.kind, seconds, 0, 0, 0, 0, passages, judged.answer,
            judged.probability, judged.tokens, judged.measures, hops=hops(question), note=note,
        )  # fmt: skip


def _encoder_of_many(asker: Asker) -> Encoder:
    """Return the workspace's encoder in the variant that is fast for many texts."""
    from core.models.minilm_torch import best_precision

    encoder, models = asker.vectors.encoder, asker.vectors.models
    return models.encoder(best_precision()) if is_minilm(encoder) else encoder


def _alone(folder: Path) -> dict[str, str]:
    """Return an environment with search paths for programs only: no keys, no proxies, none of our paths."""
    base_env = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
    return base_env | {
        "HOME": str(folder),
        "PYTHONPATH": str(DRIVERS),
        "PYTHONHASHSEED": "0",  # repeatable order of sets
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "TOKENIZERS_PARALLELISM": "false",
    }


def passages_with_triples(workspace: Workspace, triples: ExternalTriples) -> list[PeerPassage]:
    """Return the passages with the names and triples of the external extraction."""
    found = []
    for id, extraction in triples.passages.items():
        content = passage_spans(workspace.passages.get(id)).text
        found.append(PeerPassage(id, content, extraction.entities, extraction.triples))
    return found


def own_passages(workspace: Workspace, context: TaskContext) -> list[PeerPassage]:
    """Return the passages with their names and triples, whose ends are named as in the index."""
    view = workspace.retrieval.asker().view
    corpus, keys = view.corpus, np.unique(view.facts.keys).tolist()
    triples: dict[str, dict[tuple[str, str, str], None]] = {}
    for first in range(0, len(keys), _AT_ONCE):
        context.report("facts", first, len(keys))
        for fact in view.fact_texts(keys[first : first + _AT_ONCE]).values():
            for passage, _ in fact.clauses:
                triples.setdefault(passage, {})[fact.subject, fact.predicate, fact.object] = None
    found = []
    for row, id in enumerate(corpus.passage_ids):
        sentences = np.arange(corpus.sentence_starts[row], corpus.sentence_starts[row + 1])
        named = [
            corpus.entity_names[entity]
            for sentence in sentences
            for entity in corpus.named_entities[
                corpus.named_starts[sentence] : corpus.named_starts[sentence + 1]
            ]
        ]
        content = passage_spans(workspace.passages.get(id)).text
        found.append(PeerPassage(id, content, tuple(dict.fromkeys(named)), tuple(triples.get(id, ()))))
    return found
