"""All repositories of one workspace, over one database."""

from __future__ import annotations

from pathlib import Path

from core.store.candidate_facts import CandidateFacts
from core.store.census import Census
from core.store.changes import Changes
from core.store.communities import Communities
from core.store.contents import Contents
from core.store.database import Database
from core.store.dates import DatedRows
from core.store.dirty_flags import DirtyFlags
from core.store.document_choices import DocumentChoices
from core.store.documents import Documents
from core.store.drawn_facts import DrawnFacts
from core.store.edge_rows import EdgeRows
from core.store.embeddings import Embeddings
from core.store.encoder import MINILM, KeptEncoder
from core.store.entities import Entities
from core.store.facts import Facts
from core.store.failures import Failures
from core.store.files import Files
from core.store.judged_answers import JudgedAnswers
from core.store.judged_explanations import JudgedExplanations
from core.store.layout import Layout
from core.store.lines import Lines
from core.store.name_changes import NameChanges
from core.store.passages import Passages
from core.store.pins import Pins
from core.store.private import Private
from core.store.reference_lists import ReferenceLists
from core.store.replies import Replies
from core.store.report_words import ReportWords
from core.store.reports import Reports
from core.store.resolution import Resolution
from core.store.review_log import ReviewLog
from core.store.scopes import Scopes
from core.store.senses import Senses
from core.store.settings import Settings
from core.store.statements import Statements
from core.store.synonyms import Synonyms

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
            self.database, self.settings, KeptEncoder(MINILM.choice, model, dimension)
        )
        self.communities = Communities(self.database)
        self.layout = Layout(self.database)
        self.drawn = DrawnFacts(self.database)
        self.edge_rows = EdgeRows(self.database)
        self.synonyms = Synonyms(self.database)
        self.resolution = Resolution(self.database)
        self.scopes = Scopes(self.database)
        self.senses = Senses(self.database)
        self.name_changes = NameChanges(self.database)
        self.troubles = Failures(self.database)
        self.replies = Replies(self.database)
        self.marks = DirtyFlags(self.database)
        self.changes = Changes(self.database)
        self.census = Census(self.database)
        self.contents = Contents(self.database)
        self.dates = DatedRows(self.database)
        self.reference_lists = ReferenceLists(self.database)
        self.reports = Reports(self.database)
        self.report_words = ReportWords(self.database)
        self.judged_answers = JudgedAnswers(self.database)
        self.judged_explanations = JudgedExplanations(self.database)
        self.pins = Pins(self.database)
        self.private = Private(self.database)

    def close(self) -> None:
        self.database.close()
