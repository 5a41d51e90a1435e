"""What people do with an indexed folder besides indexing: take documents out, say which names are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.catching_up import catch_up
from core.config import Config
from core.errors import BadInput
from core.extraction.names import normalise
from core.identity import stable_id
from core.models import Models
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.store.store import Store
from core.types import Document, Removal

RULES = "extractive"  # who writes without a language model, as `clew ask` calls it


def named(store: Store, names: Sequence[str]) -> list[Document]:
    """Documents by id, by path, or by the only path that ends so. Raises BadInput for any other name."""
    documents = {document.path: document for document in store.documents.all()}
    ids = {path: document.id for path, document in documents.items()}
    found = []
    for name in names:
        near = _matches(name, ids)
        if len(near) == 1:
            found.append(documents[near[0]])
        else:
            what = "more than one document" if near else "no document"
            raise BadInput(
                f"There is {what} {name} in the workspace.",
                "Give its path as clew documents WORKSPACE lists it.",
            )
    return found


def taken_out(store: Store, names: Sequence[str]) -> list[str]:
    """Those of these names whose documents were taken out before, perhaps by a run that could not finish."""
    present = {document.path: document.id for document in store.documents.all()}
    gone = {path: stable_id("document", path) for path in store.files.excluded()}
    return [name for name in names if not _matches(name, present) and _matches(name, gone)]


def _matches(name: str, ids: Mapping[str, str]) -> list[str]:
    """Of documents, ids by path, the path of that which is called so; else all paths that end so."""
    exact = [path for path, id in ids.items() if name in (id, path)]
    return exact or [path for path in ids if path.endswith(f"/{name}")]


def remove(
    store: Store, models: Models, config: Config, document_ids: Sequence[str], context: TaskContext
) -> Removal:
    """Take documents out with all that only they support; later runs pass them by. Tells what went.

    They are gone at once; interrupted, it leaves what follows from that to the next run, whichever it is.
    """
    went = store.troubles.removal(document_ids)
    store.files.exclude(document_ids)
    catch_up(store, models, config, context)
    return went


def reporter(
    generator: str, store: Store, models: Models, config: Config, level: int | None
) -> LanguageModel | None:
    """The model that writes reports of a level (None: of all); None for the rules.

    Raises BadInput for a writer or a level that there is none of.
    """
    levels = store.communities.levels()
    if level is not None and not 1 <= level <= levels:
        there = f"There are levels 1 to {levels}" if levels else "There are no communities yet"
        raise BadInput(f"This workspace has no communities of level {level}.", f"{there}.")
    if generator == RULES:
        return None
    from core.catalog.asking import check_generator  # slow to import

    check_generator(generator, config.models)
    return models.language_model(generator, config.models)


def name_id(store: Store, name: str) -> str:
    """Id of a name, however it is written; of several bearers the most mentioned.

    Raises BadInput when no document holds it.
    """
    rows = store.senses.ids_of(normalise(name))
    if not rows:
        raise BadInput(f"No document holds the name {name}.", "Check how it is spelled.")
    return rows[0]


def decide_names(
    store: Store, models: Models, config: Config, ids: tuple[str, str], verdict: str, context: TaskContext
) -> None:
    """Record what a person says of two names: "same", "different", or "" to leave it to the rules again.

    It is keyed by the names themselves, so it outlives indexing. Raises BadInput for names that are
    gone, or when both are one name.
    """
    normals = [store.entities.normal(id) for id in ids]
    if normals[0] == normals[1]:
        raise BadInput("This is one name, not two.", "Choose another one.")
    store.resolution.decide(normals[0], normals[1], verdict)
    catch_up(store, models, config, context)
