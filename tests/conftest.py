"""What every test has: no screen, no network, settings and data of its own, the real models loaded once."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

# Before anything imports Qt or a model: libraries read these once.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
# What is compiled is kept: otherwise every worker rewrites every test, and every process compiles all of Clew, again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Beside other workers, one core each: libraries that start a thread for every core would only wait for each other.
if "PYTEST_XDIST_WORKER" in os.environ and hasattr(os, "sched_setaffinity"):
    _cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {_cores[int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")) % len(_cores)]})
# The person's own recent workspaces and caches are none of the tests' business; children inherit this.
_HOME = Path(tempfile.mkdtemp(prefix="clew-tests-"))
for _name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = str(_HOME / _name.lower())

import pytest

from core.answering.models import Models
from core.config import ReadingConfig
from core.files.personal import personal_folder
from core.ingest.reading import reader_version
from core.ingest.reading_process import ReadingProcess
from core.models import reader
from core.models.hosts import set_own_host
from core.models.reader import Reader, ReaderPassage
from core.progress import TaskContext
from core.store import schema
from core.store.database import Database
from core.workspace import Workspace
from tests.data_makers.hostile_names import hostile_folder
from tests.ollama_server import ScriptedServer
from tests.real_peer import Peer, missing, running

SAMPLE = Path(__file__).resolve().parent.parent / "resources" / "sample"
# Eight formats; together they answer the questions that `bootstrap.py demo` asks.
SMALL_SAMPLE = (
    "press/A short history of Brandvold Lines.epub",
    "press/2021-10-05 The ship that lost nothing.html",
    "press/2021-11-09 Arrest at the airport.html",
    "finance/Sahel Fuel invoice 0388.pdf",
    "ships/port-calls.csv",
    "correspondence/Letter from Kabwana Copper.docx",
    "correspondence/01 Dinner in Luxembourg.eml",
    "investigation/Visit to Setúbal.md",
    "registers/Certidão Mariscal Metals.txt",
)
# Two entities that have two names each.
NAMES = {
    "a.txt": "Tobias Renwick founded Calder Reach Trading in Limassol. Tobias J. Renwick lives in Bergen.",
    "b.txt": "Calder Reach Trading Ltd owns the Northern Gannet. Ines Holm commands the Northern Gannet.",
    "c.txt": "Tobias Renwick hired Ines Holm.",
}


RESEARCH = Path(__file__).resolve().parent / "research"
COSTLY = frozenset(
    ("models", "lent_models", "workspace", "qtbot", "ollama", "real_ollama", "store")
)  # fixtures
SECONDS = 3.0  # of CPU time; who takes more is long


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the tests of research out, unless they are named or `-m research` asks for them."""
    if collection_path != RESEARCH or "research" in config.option.markexpr:
        return None
    named = [Path(config.invocation_params.dir, word.partition("::")[0]) for word in config.args]
    return None if any(RESEARCH in (place, *place.parents) for place in named) else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Beside other workers, files with many long tests come first: one that begins last would be waited for alone.

    For the fast loop, whatever opens a workspace, a window or a server is long, too.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        counts = Counter(item.path for item in items if item.get_closest_marker("long"))
        items.sort(key=lambda item: -counts[item.path])
    if "long" in config.option.markexpr:
        for item in items:
            if COSTLY.intersection(getattr(item, "fixturenames", ())):
                item.add_marker(pytest.mark.long)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Notes tests that are not marked long and compute for long; the clock on the wall has no say."""
    begin = sum(os.times()[:4])
    try:
        yield
    finally:
        spent = sum(os.times()[:4]) - begin
        if spent > SECONDS and item.get_closest_marker("long") is None:
            item.user_properties.append(("to be marked long", f"{spent:.1f} s of CPU time"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tells of those, so that the fast loop stays fast."""
    told = "to be marked long"
    reports = [report for report in terminalreporter.getreports("passed") if report.when == "call"]
    if found := [(r.nodeid, value) for r in reports for key, value in r.user_properties if key == told]:
        terminalreporter.section(told)
        for test, value in found:
            terminalreporter.line(f"{test}: {value}")


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    """A new folder that holds these texts by file name."""
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def copied(source: Path, target: Path) -> Path:
    """A copy of a workspace that is trusted at its place, as one made there is."""
    shutil.copytree(source, target)
    Workspace.trust(target)
    return target


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Path]) -> Path:
    """What `make` makes in a folder of its own, in the first worker that asks for it. For reading only."""
    base = factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"
    with open(place.with_suffix(".lock"), "a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        if not (told := lock.read()):
            place.mkdir()
            told = str(make(place))
            lock.write(told)
    return Path(told)


def workspace_made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Path]) -> Path:
    """The worker's own copy of a closed workspace that is made once."""
    made = made_once(factory, name, make)
    return copied(made, factory.mktemp(name) / made.name)


def indexed_once(
    factory: pytest.TempPathFactory, name: str, models: Models, folder: Callable[[Path], Path]
) -> Path:
    """The worker's own copy of a closed workspace of `folder(place)`, which is indexed once."""

    def make(place: Path) -> Path:
        with Workspace.open(place / "workspace", create=True, models=models) as opened:
            opened.index(folder(place), TaskContext(), digest=False)
        return place / "workspace"

    return workspace_made_once(factory, name, make)


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder of the texts that the test's module calls TEXTS."""
    return written(tmp_path / "papers", request.module.TEXTS)


@pytest.fixture(scope="module")
def indexed_path(
    request: pytest.FixtureRequest, models: Models, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A closed workspace of the texts that the test's module calls TEXTS, indexed once. For reading only."""
    module = request.module
    return indexed_once(
        tmp_path_factory,
        module.__name__.replace(".", "-"),
        models,
        lambda place: written(place / "papers", module.TEXTS),
    )


@pytest.fixture
def workspace(indexed_path: Path, folder: Path, tmp_path: Path, models: Models) -> Iterator[Workspace]:
    """A test's own workspace of TEXTS, open; indexing `folder` changes nothing in it."""
    with Workspace.open(copied(indexed_path, tmp_path / "workspace"), models=models) as opened:
        yield opened


@pytest.fixture(scope="session", autouse=True)
def own_home() -> Iterator[Path]:
    """The folder that stands for the person's home folders; gone after the run."""
    yield _HOME
    shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """`qtbot` waits several times as long as it is told to: a busy machine is no reason to fail."""
    from pytestqt.qtbot import QtBot

    def patient(wait: Callable[..., Any]) -> Callable[..., Any]:
        def longer(self: QtBot, *given: Any, timeout: int = 5_000, **named: Any) -> Any:
            return wait(self, *given, timeout=4 * timeout, **named)

        return longer

    with pytest.MonkeyPatch.context() as patch:
        for name in ("waitUntil", "waitSignal", "waitSignals", "waitExposed"):
            patch.setattr(QtBot, name, patient(getattr(QtBot, name)))
        yield


@pytest.fixture(scope="session")
def models() -> Models:
    """The real encoder and language pipeline, loaded by the first test that uses them."""
    return Models()


@pytest.fixture
def lent_models(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workspaces that a window opens use the models of all tests: loading them takes longer than most that it does."""
    open_workspace = Workspace.open

    def lend(path: Path, **options: Any) -> Workspace:
        return open_workspace(path, **{"models": models, **options})

    monkeypatch.setattr(Workspace, "open", lend)


@pytest.fixture(autouse=True)
def models_end_with_a_command(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a command loads in this process goes with its test: else 150 MB each time, until Python finds the cycle."""
    made: WeakSet[Models] = WeakSet()
    begin = Models.__init__

    def noted(self: Models) -> None:
        begin(self)
        made.add(self)

    monkeypatch.setattr(Models, "__init__", noted)
    yield
    for each in made:
        each.release()


@pytest.fixture(scope="session", autouse=True)
def lent_readers() -> Iterator[None]:
    """Runs of this process read with the same reading process; starting it takes longer than three texts do.

    How it starts and ends is for tests of its own and for those that run `clew index`.
    """
    held: dict[ReadingConfig, ReadingProcess] = {}

    @contextmanager
    def lend(config: ReadingConfig, check: Callable[[], None]) -> Iterator[ReadingProcess]:
        process = held.setdefault(config, ReadingProcess(config))
        process._check = check
        process.version = reader_version(config)
        yield process

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.workspace.indexing.ReadingProcess", lend)
        yield
    for process in held.values():
        process.close()


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a workspace that was just made."""
    path = tmp_path_factory.mktemp("new") / "clew.db"
    Database(path, create=True).close()
    return path.read_bytes()


@pytest.fixture(autouse=True)
def schema_made_once(monkeypatch: pytest.MonkeyPatch, new_database: bytes) -> None:
    """A new workspace begins as a copy of one: its tables are not made again. Tests of the store do without this."""
    migrate = Database._migrate

    def make(self: Database) -> None:
        if self.read_only or self.path.exists():
            migrate(self)
        else:
            self.path.write_bytes(new_database)

    monkeypatch.setattr(Database, "_migrate", make)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Clew of some day, whose schema has a table more: what is written by this one is older."""
    scripts = (
        *schema.migrations(),
        "CREATE TABLE added (word TEXT) STRICT;\nINSERT INTO added VALUES ('new');",
    )
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", lambda: scripts)
        schema._expected.cache_clear()
        yield
    schema._expected.cache_clear()


_READ: dict[tuple[str, str, ReaderPassage], object] = {}


@pytest.fixture(autouse=True)
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader that ships reads a passage for a question, or a claim, once a run: it takes longer than all else.

    What it reads, and that it reads the same again, is for tests of its own: they do without this. All that it reads
    is read on torch, whichever test comes first.
    """
    monkeypatch.setattr(reader, "_FEW", 0)
    for name in ("read", "support"):
        monkeypatch.setattr(Reader, name, _remembering(name, getattr(Reader, name)))


def _remembering(
    name: str, act: Callable[[Reader, str, Sequence[ReaderPassage]], list[Any]]
) -> Callable[[Reader, str, Sequence[ReaderPassage]], list[Any]]:
    def remember(self: Reader, asked: str, passages: Sequence[ReaderPassage]) -> list[Any]:
        if self._path is not None:
            return act(self, asked, passages)
        new = list(dict.fromkeys(told for told in passages if (name, asked, told) not in _READ))
        for told, found in zip(new, act(self, asked, new) if new else (), strict=True):
            _READ[name, asked, told] = found
        return [_READ[name, asked, told] for told in passages]

    return remember


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a part of the sample: nine documents in eight formats."""

    def make(place: Path) -> Path:
        for name in SMALL_SAMPLE:
            target = place / "papers" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(SAMPLE / name, target)
        return place / "papers"

    return made_once(tmp_path_factory, "sample-folder", make)


@pytest.fixture(scope="session")
def sample_path(sample_folder: Path, models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that holds `sample_folder`, closed. For reading only: copy it to change it."""

    def make(place: Path) -> Path:
        opened = Workspace.open(place / "sample", create=True, models=models)
        try:
            status = opened.index(sample_folder, TaskContext())
        finally:
            opened.close()
        assert (status.documents, status.failed, status.pending) == (len(SMALL_SAMPLE), 0, 0)
        return place / "sample"

    return workspace_made_once(tmp_path_factory, "sample", make)


@pytest.fixture(scope="session")
def sample_workspace(sample_path: Path, models: Models) -> Iterator[Workspace]:
    """The indexed part of the sample, open. For reading and asking only."""
    opened = Workspace.open(sample_path, models=models)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def names_path(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of NAMES, closed. For reading only: copy it to change it."""
    return indexed_once(tmp_path_factory, "names", models, lambda place: written(place / "papers", NAMES))


@pytest.fixture(scope="session")
def hostile_path(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of hostile names and texts, closed; see `tests/data_makers/hostile_names.py`. For reading only."""

    def make(place: Path) -> Path:
        folder = hostile_folder(place)
        path = place / f"<u>{folder.name}"
        opened = Workspace.open(path, create=True, models=models)
        opened.index(folder, TaskContext(), digest=False)
        opened.close()
        return path

    return workspace_made_once(tmp_path_factory, "hostile", make)


@pytest.fixture
def sample_copy(sample_path: Path, tmp_path: Path) -> Path:
    """A copy of the indexed workspace that a test may damage."""
    return copied(sample_path, tmp_path / "workspace")


@pytest.fixture
def ollama(socket_enabled: None) -> Iterator[ScriptedServer]:
    """A scripted server of Ollama's protocol on this machine; see `tests/ollama_server.py`."""
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def own_host(ollama: ScriptedServer) -> str:
    """The person's setting: models answer at `ollama`."""
    return set_own_host(ollama.url).address


@pytest.fixture(autouse=True)
def no_host_chosen() -> None:
    """Where models answer, and what a test before allowed, is none of the next one's business."""
    (personal_folder() / "models.json").unlink(missing_ok=True)


@pytest.fixture(scope="session")
def real_ollama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """A real model behind Ollama's protocol; see `tests/real_peer.py`. Its tests need `socket_enabled`, too."""
    if gone := missing():
        pytest.skip(f"not installed: {', '.join(gone)}")
    with running(tmp_path_factory.mktemp("peer")) as peer:
        yield peer
