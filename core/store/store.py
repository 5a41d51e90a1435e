"""All repositories of one workspace, over one database."""

from __future__ import annotations

from pathlib import Path

from core.store.candidate_facts import CandidateFacts
from core.store.census import Census
from core.store.changes import Changes, DirtyFlags
from core.store.columns import Columns
from core.store.communities import Communities
from core.store.contents import Contents
from core.store.database import Database
from core.store.documents import Documents, Failures
from core.store.embeddings import Embeddings
from core.store.entities import Entities
from core.store.facts import Facts
from core.store.files import DocumentChoices, Files
from core.store.judgements import JudgedAnswers, JudgedExplanations, Pins
from core.store.layout import Layout
from core.store.map_edges import MapEdges
from core.store.name_uses import NameUses
from core.store.names import Resolution, Synonyms
from core.store.noun_phrases import NounPhrases
from core.store.passages import Passages, Scopes
from core.store.private import Private
from core.store.replies import Replies
from core.store.reports import Reports
from core.store.review_log import ReviewLog
from core.store.senses import NameChanges, Senses
from core.store.settings import MINILM, EncoderRecord, Settings
from core.store.statements import Statements
from core.store.text_forms import Lines, ReferenceLists
from core.store.threads import Threads

FILE = "clew.db"


class Store:
    """`model` and `dimension` are those of vectors where the workspace names no encoder.

    See Database for what opening may raise.
    """

    def __init__(
        self, folder: Path, model: str, dimension: int, *, create: bool = False, read_only: bool = False
    ) -> None:
        self.database = Database(folder / FILE, create=create, read_only=read_only)
        self.settings = Settings(self.database)
        self.files = Files(self.database)
        self.documents = Documents(self.database)
        self.choices = DocumentChoices(self.database)
        self.lines = Lines(self.database)
        self.passages = Passages(self.database)
        self.entities = Entities(self.database)
        self.facts = Facts(self.database)
        self.candidates = CandidateFacts(self.database)
        self.review_log = ReviewLog(self.database)
        self.statements = Statements(self.database)
        self.embeddings = Embeddings(
            self.database, self.settings, EncoderRecord(MINILM.choice, model, dimension)
        )
        self.communities = Communities(self.database)
        self.layout = Layout(self.database)
        self.name_uses = NameUses(self.database)
        self.noun_phrases = NounPhrases(self.database)
        self.map_edges = MapEdges(self.database, self.facts)
        self.columns = Columns(self.database)
        self.synonyms = Synonyms(self.database)
        self.resolution = Resolution(self.database)
        self.scopes = Scopes(self.database)
        self.senses = Senses(self.database)
        self.name_changes = NameChanges(self.database)
        self.failures = Failures(self.database)
        self.replies = Replies(self.database)
        self.marks = DirtyFlags(self.database)
        self.changes = Changes(self.database)
        self.census = Census(self.database)
        self.contents = Contents(self.database)
        self.reference_lists = ReferenceLists(self.database)
        self.reports = Reports(self.database)
        self.judged_answers = JudgedAnswers(self.database)
        self.judged_explanations = JudgedExplanations(self.database)
        self.pins = Pins(self.database)
        self.private = Private(self.database)
        self.threads = Threads(self.database)

    def close(self) -> None:
        self.database.close()
