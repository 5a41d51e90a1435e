"""One function per verb of the person. Panels and menus call these and nothing deeper.

Each takes the session first, starts what has to be started and returns at once; results come back
as the session's signals, failures as a line in the message bar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.look.translation import tr, trn
from app.session.language_server import QUOTES, model_of
from app.session.preferences import DATABASE, default_workspace, sample_folder
from app.session.selection import Selected
from app.session.session import Level as Level
from app.session.session import Message, Session
from app.session.tasks import ASKING, KEEPING, Lane, Tasks
from app.session.threads import Follow, turns_before
from app.session.warming import prepare_meaning, warm
from core.errors import (
    BadInput,
    CoreError,
    ModelFault,
    ModelUnavailable,
    NothingIndexed,
    Untrusted,
    WorkspaceError,
)
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.types import Answer, Citation, Document, Exported, GraphView, PathStep, Removal, Scope
    from core.types.threads import ThreadAnswer
    from core.workspace import Workspace


# ---------------------------------------------------------------- workspaces


EXPORTS = {  # endings of `clew export`, in words
    ".graphml": tr("GraphML, for Gephi, Cytoscape, yEd"),
    ".gexf": tr("GEXF, for Gephi"),
    ".json": tr("Node-link JSON, for networkx, D3"),
    ".db": tr("SQLite tables"),
    ".csv": tr("Table of names, for spreadsheets"),
}


def open_workspace(session: Session, path: Path, then: Callable[[], None] | None = None) -> None:
    """Open a workspace that exists; `then` runs once it is open."""
    if not (path / DATABASE).is_file():
        session.notify_error(
            WorkspaceError(
                tr("{path} is not a workspace.", path=path),
                tr("Choose a folder that holds a clew.db, or open a folder."),
            )
        )
        return
    open_at(session, path, create=False, then=then)


def open_folder(session: Session, folder: Path, workspace: Path | None = None) -> None:
    """Index a folder in its workspace (by default the one in the user's data folder) and show it."""
    if not folder.is_dir():
        words = tr("{folder} is not a folder.", folder=folder)
        session.notify_error(BadInput(words, tr("Choose a folder with documents.")))
        return
    if (folder / DATABASE).is_file():
        open_workspace(session, folder)
        return
    place = workspace or default_workspace(folder)
    open_at(session, place, create=True, then=lambda: _index(session, folder))


def open_sample(session: Session) -> None:
    """Index and show the sample that comes with Clew."""
    folder = sample_folder()
    if not folder.is_dir():
        session.notify_error(
            WorkspaceError(
                tr("The sample is not installed with this copy of Clew."), tr("Open a folder of your own.")
            )
        )
        return
    open_folder(session, folder)


def open_again(session: Session) -> None:
    """Open the same workspace again: it may be free by now."""
    if session.workspace is not None:
        open_workspace(session, session.workspace.path)


def close_workspace(session: Session) -> None:
    """Go back to the start page; a run of indexing is stopped and resumes next time."""
    session.close_workspace()


def open_at(session: Session, path: Path, create: bool, then: Callable[[], None] | None) -> None:
    if session.workspace is not None and session.workspace.path == path:
        session.close_workspace()  # only one window may write, and this one would be in its own way

    def work(context: TaskContext) -> Workspace:
        from core.workspace import Workspace  # heavy (numpy, igraph): never on the way to the first window

        session.wait_until_closed(path, context)
        return Workspace.open(path, create=create, exclusive=True)

    def done(workspace: Workspace) -> None:
        session.set_workspace(workspace)
        if then is not None:
            then()

    def failed(error: CoreError) -> None:
        if isinstance(error, Untrusted):  # of an older Clew: it must be changed to be read
            offer(session, error, tr("Trust it"), partial(trust, session, path))
        else:
            session.notify_error(error)

    session.tasks.start("open", work, done, failed=failed)


def trust(session: Session, path: Path) -> None:
    """Mark a workspace that came from elsewhere as the person's own, and open it again."""

    def work(_: TaskContext) -> None:
        from core.workspace import Workspace

        Workspace.trust(path)

    session.tasks.start("trust", work, lambda _: open_workspace(session, path))


# ---------------------------------------------------------------- indexing


def index_again(session: Session, how: Sequence[str] = ()) -> None:
    """Read the workspace's folder again; only what changed is indexed. `how`: see `Indexing.start`."""
    workspace = session.workspace
    folder = session.folder
    if workspace is None or session.indexing.running:
        return
    if session.shut:
        session.notify_error(WorkspaceError(session.shut, session.shut_remedy))
        return
    if folder is None or not folder.is_dir():
        where = (
            tr("The folder {folder} is not there.", folder=folder)
            if folder
            else tr("This workspace knows no folder.")
        )
        session.notify_error(BadInput(where, tr("Open the folder that you want to read.")))
        return
    _index(session, folder, how)


def _index(session: Session, folder: Path, how: Sequence[str] = ()) -> None:
    """Start indexing, unless the open workspace is read-only, which its banner says already."""
    workspace = session.workspace
    if workspace is not None and not session.shut:
        session.indexing.start(folder, workspace.path, how=how)


def pause_indexing(session: Session) -> None:
    session.indexing.pause()


def resume_indexing(session: Session) -> None:
    session.indexing.resume()


def cancel_indexing(session: Session) -> None:
    """Stop after the current batch; what was read stays, and indexing can resume later."""
    session.indexing.cancel()


# ---------------------------------------------------------------- keeping


def retry(session: Session, document_ids: Sequence[str] | None = None) -> None:
    """Read again the documents that failed, these or all."""
    workspace = session.workspace
    if workspace is None or _refused(session):
        return

    def done(count: int) -> None:
        if count:
            index_again(session)
        else:
            session.notify(tr("Nothing had failed."))

    session.tasks.start(KEEPING, lambda _: workspace.documents.retry(document_ids), done)


def choose(
    session: Session, documents: Sequence[Document], name: str, value: str, ended: Callable[[], None]
) -> None:
    """Set the encoding or date of documents ("": that of their files), and read them again where needed."""
    workspace = session.workspace
    if workspace is None or _refused(session):
        return

    def done(changed: int) -> None:
        ended()
        if changed and (name == "encoding" or not value):  # not shown
            index_again(session)

    ids = [document.id for document in documents]
    session.tasks.start(KEEPING, lambda _: workspace.documents.choose(ids, name, value), done)


def preview_removal(
    session: Session,
    tasks: Tasks,
    document_ids: Sequence[str],
    done: Callable[[Removal], None],
    failed: Callable[[CoreError], None],
) -> None:
    """Compute what removing these documents would remove; changes nothing."""
    workspace = session.workspace

    def report(error: CoreError) -> None:
        session.notify_error(error)
        failed(error)

    if workspace is not None:
        tasks.start(
            "removal", lambda _: workspace.documents.preview_removal(document_ids), done, failed=report
        )


def remove_documents(
    session: Session, documents: Sequence[Document], ended: Callable[[CoreError | None], None]
) -> None:
    """Remove documents from the workspace; the files stay. Offers an undo."""
    workspace = session.workspace
    if workspace is None or _refused(session):
        ended(WorkspaceError(session.blocked))
        return

    def work(context: TaskContext) -> Removal:
        return workspace.documents.remove([document.id for document in documents], context)

    def done(removal: Removal) -> None:
        count = removal.documents
        if count == 1:
            name = documents[0].title or documents[0].path
            words = tr("{document} is removed from the workspace.", document=name)
        else:
            words = trn(
                "{count} document is removed from the workspace.",
                "{count} documents are removed from the workspace.",
                count,
            )
        stays = trn("The file stays where it is.", "The files stay where they are.", count)
        undo = partial(restore, session, [document.path for document in documents])
        session.message_posted.emit(Message(words, "info", stays, tr("Undo"), undo))
        ended(None)

    def failed(error: CoreError) -> None:
        session.notify_error(error)
        ended(error)

    # It may have to encode names again: that is for the thread of the models.
    session.tasks.start(KEEPING, work, done, failed=failed, lane=Lane.MODEL)


def restore(session: Session, paths: Sequence[str]) -> None:
    """Admit removed documents again, and read them."""
    workspace = session.workspace
    if workspace is None or _refused(session):
        return
    session.tasks.start(KEEPING, lambda _: workspace.documents.restore(paths), lambda _: index_again(session))


def export(session: Session, target: Path) -> None:
    """Write the graph with its sources to the chosen file, replacing it."""
    workspace = session.workspace
    if workspace is None:
        return

    def done(found: Exported) -> None:
        entities = trn("{count} entity", "{count} entities", found.entities)
        facts = trn("{count} fact", "{count} facts", found.facts)
        words = tr(
            "Exported to {path}: {entities} and {facts}.", path=found.path, entities=entities, facts=facts
        )
        if target.suffix.casefold() == ".csv":
            words = tr("Exported to {path}: {entities}.", path=found.path, entities=entities)
        session.notify(words, "success")

    session.notify(tr("Exporting..."))
    session.tasks.start("export", lambda context: workspace.export(target, context, replace=True), done)


def keep_settings(session: Session, settings: Sequence[str], then: Callable[[], None]) -> None:
    """Save these settings for questions in this workspace, and offer an undo; `then` follows both."""
    workspace = session.workspace
    if workspace is None or _refused(session):
        return

    def back(before: Sequence[str]) -> None:
        session.tasks.start(
            KEEPING, lambda _: workspace.keep_settings(before, instead=True), lambda _: then()
        )

    def done(before: list[str]) -> None:
        words = tr("This workspace ranks by these settings from now on.")
        session.message_posted.emit(Message(words, "success", "", tr("Undo"), partial(back, before)))
        then()

    session.tasks.start(KEEPING, lambda _: workspace.keep_settings(settings), done)


def _refused(session: Session) -> bool:
    """Return whether nothing can be changed now, and say why."""
    if session.blocked:
        session.notify_error(WorkspaceError(session.blocked))
    return bool(session.blocked)


# ---------------------------------------------------------------- questions


def ask(
    session: Session,
    question: str,
    route: str = "auto",
    k: int = 5,
    writer: str = "",
    scope: Scope | None = None,
    follow: Follow = Follow.NOT,
) -> None:
    """Ask; a question that is still being answered is dropped. Ends in answered or not_answered.

    `follow` says whether it goes on with the open thread. `writer` "" is the one that the person chose, `scope` None
    what the session keeps to. What a model writes is told by `session.streaming`.
    """
    workspace, writer = session.workspace, writer or session.writer
    ask_scope = session.scope.current if scope is None else scope
    if workspace is None:
        session.notify_error(
            BadInput(tr("There is nothing to ask yet."), tr("Open a folder or a workspace first."))
        )
        return

    before, thread = turns_before(session.thread_answer, follow)

    def done(found: ThreadAnswer) -> None:
        session.streaming.end()
        answer = found.answer
        session.thread_answer, session.answer = found, answer
        session.answered.emit(answer)
        session.tasks.start("use", lambda _: workspace.review.note_use(answer))
        prepare_meaning(session)

    def failed(error: CoreError) -> None:
        session.streaming.end()
        session.not_answered.emit(error)
        if model and isinstance(error, ModelFault | ModelUnavailable):
            quotes = partial(ask, session, question, route, k, QUOTES, ask_scope, follow)
            offer(session, error, tr("Answer with quotes"), quotes)
        elif isinstance(error, NothingIndexed):
            offer(session, error, tr("Open a folder..."), session.folder_wanted.emit)
        else:
            session.notify_error(error)

    model = model_of(writer)
    session.streaming.end()
    on_text = session.streaming.begin(session.language.name_with_host(model)) if model else None

    def work(context: TaskContext) -> ThreadAnswer:
        warm(workspace, context)

        def on_ranked(answer: Answer) -> None:
            context.check()  # nobody waits for the passages of a question that was dropped
            session.ranked.emit(answer)

        how = {"scope": ask_scope, "generator": writer, "on_text": on_text, "on_ranked": on_ranked}
        as_typed = follow is Follow.TYPED
        return workspace.threads.ask(question, context, before, thread, as_typed, route=route, k=k, **how)

    session.asking.emit(question)
    session.tasks.start(ASKING, work, done, failed=failed, lane=Lane.MODEL)


def stop_asking(session: Session) -> None:
    """Cancel the question. It ends at once on screen; the thread follows at its next report."""
    if session.tasks.busy(ASKING):
        session.tasks.drop(ASKING)
        session.streaming.end()
        session.not_answered.emit(None)


# ---------------------------------------------------------------- selection


def select_entity(session: Session, entity_id: str) -> None:
    session.selection.select(Selected("entity", entity_id))


def select_passage(session: Session, passage_id: str, document_id: str = "") -> None:
    session.selection.select(Selected("passage", passage_id, document_id=document_id))


def select_document(session: Session, document_id: str) -> None:
    session.selection.select(Selected("document", document_id, document_id=document_id))


def select_community(session: Session, community_id: int) -> None:
    session.selection.select(Selected("community", str(community_id)))


def select_fact(session: Session, fact_id: str) -> None:
    """Open the reader at the words from which the fact was read with most confidence."""
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> Selected:
        triple = workspace.graph.fact(fact_id).triples[0]  # no fact is kept that none supports
        return _in_passage(workspace, triple.passage_id, triple.start, triple.end)

    session.tasks.start("place", work, session.selection.select)


def select_found(session: Session, kind: str, id: str) -> None:
    """Show what the search box found."""
    if kind == "community":
        select_community(session, int(id))
        return
    verbs: dict[str, Callable[[Session, str], None]] = {
        "entity": select_entity,
        "document": select_document,
        "fact": select_fact,
        "passage": select_passage,
    }
    verbs[kind](session, id)


def select_citation(session: Session, citation: Citation) -> None:
    """Open the reader at the cited sentence."""
    session.selection.select(
        Selected("citation", citation.passage_id, citation.start, citation.end, citation.document_id)
    )


def select_place(session: Session, passage_id: str, start: int, end: int) -> None:
    """Open the reader at characters start to end of a PASSAGE's text (the evidence of a triple)."""
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> Selected:
        return _in_passage(workspace, passage_id, start, end)

    session.tasks.start("place", work, session.selection.select)


def select_step(session: Session, passage_id: str, step: PathStep) -> None:
    """Open the reader at the sentence of a fact in the chain to a passage; the chain stays on the graph."""
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> Selected:
        return replace(_in_passage(workspace, step.passage_id, step.start, step.end), chain=passage_id)

    session.tasks.start("place", work, session.selection.select)


def _in_passage(workspace: Workspace, passage_id: str, start: int, end: int) -> Selected:
    """Return characters of a passage's text as a place in its document."""
    passage = workspace.passages.get(passage_id)
    return Selected("citation", passage_id, passage.start + start, passage.start + end, passage.document_id)


def expand(
    session: Session,
    tasks: Tasks,
    entity_id: str,
    done: Callable[[str, GraphView], None],
    limit: int = 40,
    failed: Callable[[CoreError], None] | None = None,
) -> None:
    """Fetch an entity, by the id of any of its names, and its strongest neighbours: `done` gets both."""
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> tuple[str, GraphView]:
        return workspace.graph.entity(entity_id).id, workspace.graph.neighbourhood(entity_id, limit)

    tasks.start("neighbourhood", work, lambda found: done(*found), failed=failed)


def expand_along(
    session: Session, tasks: Tasks, entity_ids: Sequence[str], done: Callable[[GraphView], None]
) -> None:
    """Fetch these entities with the facts among them."""
    workspace = session.workspace
    if workspace is not None:
        tasks.start("neighbourhood", lambda _: workspace.graph.part(entity_ids), done)


def offer(
    session: Session, error: CoreError, action: str, act: Callable[[], None], level: Level = "error"
) -> None:
    """Show a failure, or a plain message, with a button that runs its remedy."""
    session.message_posted.emit(Message(error.message, level, error.remedy, action, act))
