"""The real extractor, loaded once."""

from collections.abc import Callable

import pytest

from core.extraction.rules import RulesExtractor
from core.models.spacy_model import import_spacy
from core.progress import TaskContext
from core.types import Extraction, Passage

Read = Callable[..., Extraction]


@pytest.fixture(scope="session")
def extractor() -> RulesExtractor:
    import_spacy()  # as the catalogue does: no socket on the way
    return RulesExtractor()


@pytest.fixture
def read(extractor: RulesExtractor) -> Read:
    """Extraction of one text, the first passage of a document."""

    def run(text: str, title: str = "", ordinal: int = 0) -> Extraction:
        passage = Passage("p", "d", ordinal, title, text, 0, len(text))
        return next(iter(extractor.extract([passage], TaskContext())))

    return run
