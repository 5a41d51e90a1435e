"""The passages of a workspace as peers are given them: what is encoded, names, triples."""

from __future__ import annotations

import numpy as np

from core.ingest.encoding import passage_spans
from core.progress import TaskContext
from core.research.external_triples import ExternalTriples
from core.research.peers.exchange import GivenPassage
from core.workspace import Workspace

_AT_ONCE = 500  # facts read


def given_passages(workspace: Workspace, triples: ExternalTriples) -> list[GivenPassage]:
    """With the names and triples that were given for each."""
    found = []
    for id, extraction in triples.passages.items():
        content = passage_spans(workspace.passages.get(id)).text
        found.append(GivenPassage(id, content, extraction.entities, extraction.triples))
    return found


def own_passages(workspace: Workspace, context: TaskContext) -> list[GivenPassage]:
    """With the names that each mentions and the triples that it states, ends as the index names them."""
    parts = workspace.retrieval.asker().parts
    corpus, keys = parts.corpus, np.unique(parts.facts.keys).tolist()
    triples: dict[str, dict[tuple[str, str, str], None]] = {}
    for first in range(0, len(keys), _AT_ONCE):
        context.report("facts", first, len(keys))
        for fact in parts.tell(keys[first : first + _AT_ONCE]).values():
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
        found.append(GivenPassage(id, content, tuple(dict.fromkeys(named)), tuple(triples.get(id, ()))))
    return found
