"""The Ollama provider against a scripted server: what goes on the wire, and every fault in one clear line."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from ollama import ResponseError

from core.config import CapConfig, ModelConfig
from core.errors import BadReply, CapReached, CoreError, ModelFault, ModelUnavailable, PromptTooLong
from core.models.capped import Budget, CappedModel
from core.models.ollama import stream
from core.models.ollama.faults import WindowExceeded, explained
from core.models.ollama.model import OllamaModel
from core.models.ollama.stream import models
from core.progress import Cancelled, TaskContext
from core.types import Finish, Message, Role
from tests.ollama_server import Fault, Reply, ScriptedServer
from tests.waiting import wait_until

QUESTION = [Message(Role.SYSTEM, "You answer."), Message(Role.USER, "Who commands the Northern Star?")]
PASSING = (
    Fault.RESET,
    Fault.STALL,
    Fault.DROP,
    Fault.CUT,
    Fault.ERROR,
    Fault.BUSY,
    Fault.ERROR_LINE,
    Fault.HANG,
)


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    ships: tuple[str, ...] = ()


def config(peer: ScriptedServer, **settings: Any) -> ModelConfig:
    # Patient where it answers: a busy machine takes its time.
    seconds = 0.2 if peer.silent else 20.0
    quick = {"first_token_seconds": seconds, "token_seconds": seconds, "retry_wait": 0.01, "retries": 1}
    return ModelConfig(host=peer.url, model=peer.model, **{**quick, **settings})


def model(peer: ScriptedServer, **settings: Any) -> OllamaModel:
    return OllamaModel(config(peer, **settings))


def test_settings_go_over_the_wire(ollama: ScriptedServer) -> None:
    chosen = model(ollama, window=2048, temperature=0.25, max_output=200)
    found = chosen.generate(QUESTION, TaskContext())
    assert (found.text, found.finish, found.calls) == ("It is so.", Finish.STOP, 1)
    assert found.tokens_in == 10 and found.tokens_out == 2
    (body,) = ollama.chats
    assert body["options"] == {"num_ctx": 2048, "num_predict": 200, "temperature": 0.25, "seed": 7}
    assert (body["keep_alive"], body["think"], body["stream"]) == (600.0, False, True)
    assert body["messages"] == [
        {"role": "system", "content": "You answer."},
        {"role": "user", "content": "Who commands the Northern Star?"},
    ]


def test_the_window_is_never_larger_than_the_models_own(ollama: ScriptedServer) -> None:
    ollama.context = 1024
    model(ollama, window=4096).generate(QUESTION, TaskContext())
    assert ollama.chats[0]["options"]["num_ctx"] == 1024


def test_what_does_not_fit_is_left_out_by_priority_and_listed(ollama: ScriptedServer) -> None:
    passages = [Message(Role.USER, f"passage {n} " * 100, f"passage {n}", priority=n) for n in range(1, 6)]
    found = model(ollama, window=1280, max_output=256).generate([*QUESTION, *passages], TaskContext())
    assert [part.name for part in found.left_out] == ["passage 5", "passage 4", "passage 3"]
    sent = ollama.chats[0]["messages"][-1]["content"]
    assert "passage 2" in sent and "passage 3" not in sent


def test_a_prompt_that_cannot_fit_is_never_sent(ollama: ScriptedServer) -> None:
    with pytest.raises(PromptTooLong, match="the context window has room for"):
        model(ollama, window=512).generate([Message(Role.USER, "word " * 3000)], TaskContext())
    assert ollama.chats == []


def test_a_server_that_cuts_the_prompt_is_noticed_and_packed_for(ollama: ScriptedServer) -> None:
    passages = [Message(Role.USER, "the ship sank " * 40, f"passage {n}", priority=n) for n in range(1, 9)]
    ollama.say(Fault.TRUNCATED)
    found = model(ollama).generate([*QUESTION, *passages], TaskContext())
    assert len(ollama.chats) == 2 and found.left_out
    assert {chat["options"]["num_ctx"] for chat in ollama.chats} == {4096}
    ollama.say(Fault.TRUNCATED, Fault.TRUNCATED)
    one = [Message(Role.USER, "the ship sank " * 300)]
    with pytest.raises(PromptTooLong):
        model(ollama).generate(one, TaskContext())


def test_a_server_that_refuses_a_long_prompt_is_packed_for(ollama: ScriptedServer) -> None:
    ollama.reads = 700
    passages = [Message(Role.USER, "the ship sank " * 40, f"passage {n}", priority=n) for n in range(1, 9)]
    ollama.say(Fault.TOO_LONG, Fault.TOO_LONG)
    chosen = model(ollama)
    found = chosen.generate([*QUESTION, *passages], TaskContext())
    assert found.text == "It is so." and found.left_out and len(ollama.chats) == 2
    # It is remembered: the next prompt is packed to that at once.
    ollama.say(Fault.TOO_LONG)
    assert chosen.generate([*QUESTION, *passages], TaskContext()).left_out and len(ollama.chats) == 3
    ollama.say(Fault.TOO_LONG)
    with pytest.raises(PromptTooLong) as caught:
        model(ollama).generate([Message(Role.USER, "the ship sank " * 300)], TaskContext())
    assert "tokens" in caught.value.message and caught.value.prompt


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("request (2096 tokens) exceeds the available context size (2048 tokens), try it", 2048),
        ("prompt is too long: 9000 tokens, exceeding the maximum context length of 4096", 4096),
        ("the input length exceeds the context length", 0),
    ],
)
def test_the_window_is_read_from_the_refusal_of_any_server(words: str, window: int) -> None:
    fault = explained(ResponseError(words, 400), "http://127.0.0.1:11434", "m")
    assert isinstance(fault, WindowExceeded) and not fault.passing
    assert fault.window == window and words in fault.message


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_can_pass_is_tried_again_and_then_one_clear_line(
    ollama: ScriptedServer, fault: Fault
) -> None:
    ollama.say(fault)
    found = model(ollama).generate(QUESTION, TaskContext())
    assert (found.text, found.calls) == ("It is so.", 2)
    ollama.say(fault, fault)
    with pytest.raises(ModelFault) as caught:
        model(ollama).generate(QUESTION, TaskContext())
    assert caught.value.passing and len(ollama.chats) == 4
    assert caught.value.remedy and "\n" not in str(caught.value)
    assert "Northern Star" in caught.value.prompt


@pytest.mark.parametrize(
    ("fault", "words", "calls"),
    [
        (Fault.NO_MODEL, "has no model called", 1),
        (Fault.MEMORY, "does not fit into memory", 1),
        (Fault.REDIRECT, "does not follow", 1),
        (Fault.NO_OLLAMA, "not as Ollama does", 2),
    ],
)
def test_a_fault_that_cannot_pass_is_named_at_once(
    ollama: ScriptedServer, fault: Fault, words: str, calls: int
) -> None:
    ollama.say(*[fault] * calls)
    with pytest.raises(ModelFault, match=words):
        model(ollama).generate(QUESTION, TaskContext())
    assert len(ollama.chats) == calls


def test_a_server_or_a_model_that_is_not_there_is_unavailable(ollama: ScriptedServer) -> None:
    missing = OllamaModel(ModelConfig(host=ollama.url, model="nobody:7b"))
    with pytest.raises(ModelUnavailable, match="no model called nobody:7b"):
        missing.generate(QUESTION, TaskContext())
    ollama.refuse()
    with pytest.raises(ModelUnavailable, match="does not answer"):
        model(ollama).generate(QUESTION, TaskContext())
    for host in ("http://[::1", "ftp://127.0.0.1"):
        with pytest.raises(CoreError, match="is no address"):
            OllamaModel(ModelConfig(host=host, model="m", retries=0)).generate(QUESTION, TaskContext())


def test_a_reply_without_end_is_ended(ollama: ScriptedServer) -> None:
    ollama.say(Fault.ENDLESS)
    found = model(ollama, max_output=50).generate(QUESTION, TaskContext())
    assert found.finish is Finish.LENGTH and found.text.startswith("and so on")
    assert len(found.text) < 5_000


@pytest.mark.parametrize("fault", [Fault.THINKING, Fault.THINKING_FIELD])
def test_thinking_stays_out_of_the_answer(ollama: ScriptedServer, fault: Fault) -> None:
    ollama.say(fault, fault)
    pieces: list[str] = []
    found = model(ollama).generate(QUESTION, TaskContext(), on_text=pieces.append)
    assert (found.text, "".join(pieces).strip()) == ("It is so.", "It is so.")
    assert "I think so" in found.thinking
    read = model(ollama).structured(QUESTION, Person, TaskContext())
    assert read.value == Person("word")


def test_a_model_that_only_thinks_is_named(ollama: ScriptedServer) -> None:
    ollama.say(Fault.ONLY_THINKING, Fault.EMPTY)
    with pytest.raises(BadReply, match="thought until its tokens ran out"):
        model(ollama).generate(QUESTION, TaskContext())
    with pytest.raises(BadReply, match="empty answer"):
        model(ollama).generate(QUESTION, TaskContext())


def test_a_server_that_says_nothing_at_all_is_unavailable(
    ollama: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "QUICK", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        host = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        silent = OllamaModel(replace(config(ollama, retries=3, first_token_seconds=0.4), host=host))
        with pytest.raises(ModelUnavailable, match="did not begin to answer"):
            silent.generate(QUESTION, TaskContext())


def test_a_streamed_reply_begins_again_after_a_fault(ollama: ScriptedServer) -> None:
    ollama.say(Fault.DROP, "Otto Kask commands her.")
    pieces: list[str] = []
    model(ollama).generate(QUESTION, TaskContext(), on_text=pieces.append)
    assert pieces.count("") == 1
    assert "".join(pieces[pieces.index("") :]) == "Otto Kask commands her."


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.STALL])
def test_a_stop_is_obeyed_while_the_server_says_nothing(ollama: ScriptedServer, fault: Fault) -> None:
    ollama.say(fault)
    patience = 600.0  # beyond it, the model itself would have given up
    with pytest.raises(Cancelled):
        model(ollama, first_token_seconds=patience, token_seconds=patience).generate(
            QUESTION, TaskContext(cancelled=lambda: bool(ollama.chats))
        )
    wait_until(lambda: ollama.gone == 1)  # the server learns that nobody listens


@pytest.mark.parametrize(
    ("reply", "repairs"),
    [
        ('{"name": "Otto", "ships": ["Star"]}', ()),
        ('Here it is: {"name": "Otto", "ships": ["Star"]} Is there more?', ("words around the JSON",)),
        ('{"name": "Otto", "ships": ["Star",],}', ("trailing comma",)),
        ('{"name": "Otto", "ships": ["Star"', ("missing end",)),
    ],
)
def test_json_is_mended_where_that_is_certain(
    ollama: ScriptedServer, reply: str, repairs: tuple[str, ...]
) -> None:
    ollama.say(reply)
    found = model(ollama).structured(QUESTION, Person, TaskContext())
    assert (found.value, found.repairs, found.asked_again) == (Person("Otto", ("Star",)), repairs, False)
    assert ollama.chats[0]["format"]["properties"]["ships"]["items"] == {"type": "string"}


@pytest.mark.parametrize(
    "reply",
    [
        "{'name': 'Otto'}",
        '{"name": 3}',
        "[" * 100_000,
        Reply('{"name": "Otto", "ships": ["Star"]', done_reason="length"),
        '{"name": "Otto"} {"name": "Ada"}',
    ],
)
def test_what_is_uncertain_is_asked_again_once(ollama: ScriptedServer, reply: str | Reply) -> None:
    ollama.say(reply, '{"name": "Otto"}')
    found = model(ollama, max_output=2000, window=32_000).structured(QUESTION, Person, TaskContext())
    assert (found.value, found.asked_again, found.generation.calls) == (Person("Otto"), True, 2)
    assert "That reply cannot be used" in ollama.chats[1]["messages"][-1]["content"]
    assert ollama.chats[1]["messages"][-2]["role"] == "assistant"


@pytest.mark.parametrize("fault", [Fault.BROKEN_JSON, Fault.WRONG_SCHEMA, Fault.EMPTY, Fault.ENDLESS])
def test_what_stays_unreadable_goes_with_prompt_and_raw_output(ollama: ScriptedServer, fault: Fault) -> None:
    ollama.say(fault, fault)
    with pytest.raises(BadReply) as caught:
        model(ollama, max_output=50).structured(QUESTION, Person, TaskContext())
    assert "Northern Star" in caught.value.prompt
    assert bool(caught.value.raw) == (fault is not Fault.EMPTY)


def test_caps_hold(ollama: ScriptedServer) -> None:
    budget = Budget(CapConfig(calls=2))
    capped = CappedModel(model(ollama), budget)
    for _ in range(2):
        capped.generate(QUESTION, TaskContext())
    with pytest.raises(CapReached, match="cap of 2 calls"):
        capped.structured(QUESTION, Person, TaskContext())
    assert (budget.usage.calls, budget.usage.tokens_in) == (2, 20)
    slow = CappedModel(model(ollama, first_token_seconds=30.0), Budget(CapConfig(seconds=0.3)))
    ollama.say(Fault.HANG)
    with pytest.raises(CapReached, match="stopped after"):
        slow.generate(QUESTION, TaskContext())


class Watch:
    """Every address that this process connects to, told by the interpreter itself."""

    def __init__(self) -> None:
        self.on = False
        self.addresses: set[str] = set()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.on and event == "socket.connect":
            self.addresses.add(str(arguments[1][0]) + ":" + str(arguments[1][1]))
        elif self.on and event == "socket.getaddrinfo" and arguments[0] not in ("127.0.0.1", b"127.0.0.1"):
            self.addresses.add(str(arguments[0]))


@pytest.fixture(scope="module")
def hook() -> Watch:
    return Watch()  # an audit hook cannot be taken out again, so there is one


@pytest.fixture
def watch(hook: Watch) -> Iterator[Watch]:
    hook.addresses.clear()
    hook.on = True
    yield hook
    hook.on = False


def test_nobody_but_the_host_is_contacted(
    ollama: ScriptedServer, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://192.0.2.7:3128")
    monkeypatch.setenv("OLLAMA_HOST", "http://192.0.2.8:11434")
    chosen = model(ollama)
    chosen.generate(QUESTION, TaskContext())
    models(config(ollama), TaskContext())
    ollama.say(Fault.REDIRECT)
    with pytest.raises(ModelFault):
        chosen.generate(QUESTION, TaskContext())
    assert watch.addresses == {ollama.url.removeprefix("http://")}


@dataclass(frozen=True)
class Crew:
    ship: str
    people: tuple[Person, ...] = ()


@pytest.mark.parametrize(
    ("cut", "people"),
    [
        (
            '{"ship": "Star", "people": [{"name": "Otto"}, {"name": "Ada", "ships": ["S"]}, {"na',
            ("Otto", "Ada"),
        ),
        ('{"ship": "Star", "people": [{"name": "Otto"}, {"name": "A } ] \\" d', ("Otto",)),
        ('Sure! {"ship": "Star", "people": [{"name": "Otto"},', ("Otto",)),
    ],
)
def test_of_a_list_that_was_cut_off_the_finished_items_stay(
    ollama: ScriptedServer, cut: str, people: tuple[str, ...]
) -> None:
    ollama.say(Reply(cut, done_reason="length"))
    found = model(ollama).structured(QUESTION, Crew, TaskContext())
    assert tuple(person.name for person in found.value.people) == people
    assert found.value.ship == "Star"
    assert found.repairs[-1] == "cut off, its whole items kept" and not found.asked_again


def test_a_reply_cut_off_before_anything_is_finished_is_asked_again(ollama: ScriptedServer) -> None:
    for cut in (
        '{"people": [{"name": "Otto"}], "sh',
        '{"ship": "Star", "people": [{"ships": ["Star"]}, {"na',
    ):
        ollama.say(Reply(cut, done_reason="length"), '{"ship": "Star"}')
        assert model(ollama).structured(QUESTION, Crew, TaskContext()).asked_again
