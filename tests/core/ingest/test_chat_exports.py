"""Exports of chat programs are turns with speaker and time, in every locale and form that is documented."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import DocumentError
from core.ingest.conversation import turns
from core.ingest.loaders import DocumentLoader
from core.ingest.moments import month_comes_first
from core.types import BlockKind, LoadedDocument

Load = Callable[[str, object], LoadedDocument]
Turn = tuple[str, str, str]  # speaker, addressee, time

# What stands before two messages, of one evening and of the next morning.
WHATSAPP = {
    "es": ("27/5/2019 9:07 p.\u00a0m. - ", "28/5/2019 8:05 a.\u00a0m. - "),
    "en-us ios": ("\u200e[5/27/2019, 9:07:00\u202fPM] ", "\u200e[5/28/2019, 8:05:00\u202fAM] "),
    "en-gb": ("27/05/2019, 21:07 - ", "28/05/2019, 08:05 - "),
    "de": ("27.05.19, 21:07 - ", "28.05.19, 08:05 - "),
    "da": ("27/05/2019 21.07 - ", "28/05/2019 08.05 - "),
    "hu": ("2019. 05. 27. 21:07 - ", "2019. 05. 28. 8:05 - "),
    "bg": ("27.05.2019 г., 21:07 ч. - ", "28.05.2019 г., 8:05 ч. - "),
    "ja": ("2019/05/27 21:07 - ", "2019/05/28 8:05 - "),
    "zh": ("2019/5/27 下午9:07 - ", "2019/5/28 上午8:05 - "),
    "ko": ("2019. 5. 27. 오후 9:07 - ", "2019. 5. 28. 오전 8:05 - "),
    "ar": ("\u200f٢٧\u200f/٥\u200f/٢٠١٩، ٩:٠٧ م - ", "\u200f٢٨\u200f/٥\u200f/٢٠١٩، ٨:٠٥ ص - "),
    "vi": ("21:07, 27/05/2019 - ", "08:05, 28/05/2019 - "),
}


@pytest.mark.parametrize("locale", WHATSAPP)
def test_whatsapp(locale: str) -> None:
    one, other = WHATSAPP[locale]
    text = (
        f"{one}Messages are encrypted.\n{one}Ragna Dyb: ¿is the tide in?\n"
        f"{one}\u202a+47\u00a0912\u00a034\u00a0567\u202c: I think so,\nyou may look\n"
        f"{other}Ragna Dyb: \u200e<Media omitted>\n{other}Ragna Dyb changed the subject to: Tide\n"
        f"{other}\u202a+47\u00a0912\u00a034\u00a0567\u202c: oh, my"
    )
    found = [(block.kind, block.speaker.replace("\u00a0", " "), block.time[:16]) for block in turns(text)]
    evening, morning = "2019-05-27T21:07", "2019-05-28T08:05"
    assert found == [
        (BlockKind.EVENT, "", evening),
        (BlockKind.TURN, "Ragna Dyb", evening),
        (BlockKind.TURN, "+47 912 34 567", evening),
        (BlockKind.TURN, "Ragna Dyb", morning),
        (BlockKind.EVENT, "", morning),
        (BlockKind.TURN, "+47 912 34 567", morning),
    ]
    second = [text[b.start : b.end] for b in turns(text) if b.kind is BlockKind.TURN][1]
    assert second.endswith("I think so,\nyou may look\n")


@pytest.mark.parametrize(("text", "speakers"), [
    ("27/05/2019, 21:07 - Ragna Dyb: Is the gate shut?\n27/05/2019, 21:09 - Eskil: Not yet\n", "Ragna Dyb, Eskil"),
    ("Ragna Dyb 21:07\nWho has the rope?\nYou 21:08\nI do\nRagna Dyb 21:09\nThanks\nYou 21:10\nBye\n",
     "Ragna Dyb, You, Ragna Dyb, You"),
    ("[27.05.19, 21:07:00] Ragna: Wo bist du?\n[27.05.19, 21:08:30] Ragna: Hallo\n", "Ragna, Ragna"),
    ("2019/05/27 21:07 - 高橋: 門を閉めましたか\n2019/05/27 21:09 - 渡辺: まだです\n", "高橋, 渡辺"),
    ("Ragna Dyb, [27.05.2019 21:07]\nIs the gate shut?\n\nBo, [27.05.2019 21:09]\nYes.\n", "Ragna Dyb, Bo"),
    ("27/05/2019, 21:07 - Bergen: departure\n27/05/2019, 22:10 - Stord: arrival\n", ""),
    ("[2019-05-27 21:07:00] ERROR: can you read it?\n[2019-05-27 21:07:01] INFO: no\n", ""),
])  # fmt: skip
def test_two_turns_are_a_chat_where_a_program_exported_them(text: str, speakers: str) -> None:
    found = [block.speaker for block in turns(text) if block.kind is BlockKind.TURN]
    assert ", ".join(found) == speakers


@pytest.mark.parametrize(("stamps", "first"), [
    (["9/11/17", "8/12/17"], False),
    (["11/9/17", "12/8/17"], True),
    (["9/11/17", "9/12/17"], None),
])  # fmt: skip
def test_day_and_month_by_the_order_of_an_export(stamps: list[str], first: bool | None) -> None:
    assert month_comes_first(stamps) is first


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def put(name: str, content: object) -> LoadedDocument:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return DocumentLoader().load(path)

    return put


def turns_of(document: LoadedDocument) -> list[Turn]:
    return [(b.speaker, b.addressee, b.time) for b in document.blocks if b.kind is BlockKind.TURN]


USERS = [
    {"id": "U7", "name": "ragna", "profile": {"real_name": "Ragna Dyb"}},
    {"id": "U8", "name": "eskil", "real_name": "Eskil Vang"},
]
CHANNELS = [{"id": "C1", "name": "tides"}]
DAY = [
    {"type": "message", "user": "U7", "text": "<@U8> is the tide in? &amp; who looks?", "ts": "1558990020.0001"},
    {"type": "message", "user": "U8", "text": "See <#C1> and <https://quay.example/t|the table>, <!here>\nnow",
     "ts": "1558990080.0", "thread_ts": "1558990020.0001", "parent_user_id": "U7", "files": [{"name": "t.pdf"}]},
    {"type": "message", "subtype": "channel_join", "user": "U8", "text": "<@U8> has joined", "ts": "1558990090.0"},
    {"type": "message", "subtype": "bot_message", "username": "Gauge", "bot_id": "B1", "text": "2.1 m",
     "ts": "1558990100.0"},
]  # fmt: skip
SLACK = {"users.json": USERS, "channels.json": CHANNELS, "tides/2019-05-27.json": DAY}


def check_slack(document: LoadedDocument) -> None:
    assert turns_of(document) == [
        ("Ragna Dyb", "Eskil Vang", "2019-05-27T20:47:00"),
        ("Eskil Vang", "Ragna Dyb", "2019-05-27T20:48:00"),
        ("Gauge", "", "2019-05-27T20:48:20"),
    ]
    assert "Ragna Dyb: @Eskil Vang is the tide in? & who looks?" in document.text
    assert "See #tides and the table (https://quay.example/t), @here\nnow\n[t.pdf]" in document.text
    (event,) = [b for b in document.blocks if b.kind is BlockKind.EVENT]
    assert document.text[event.start : event.end].endswith("@Eskil Vang has joined")


def test_slack_with_its_file_of_people(tmp_path: Path) -> None:
    (tmp_path / "tides").mkdir()
    for name, content in SLACK.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    day = tmp_path / "tides" / "2019-05-27.json"
    (part,) = DocumentLoader().parts(day, tmp_path)
    assert part.document is not None
    check_slack(part.document)
    # Nothing is read outside of the folder that is indexed.
    (alone,) = DocumentLoader().parts(day, tmp_path / "tides")
    assert alone.document is not None and turns_of(alone.document)[0][0] == "U7"


def test_slack_in_an_archive(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in reversed(SLACK):
            archive.writestr(f"export/{name}", json.dumps(SLACK[name]))
    (tmp_path / "a.zip").write_bytes(packed.getvalue())
    found = {part.name: part.document for part in DocumentLoader().parts(tmp_path / "a.zip")}
    document = found["export/tides/2019-05-27.json"]
    assert document is not None
    check_slack(document)


AT = "2019-05-27T21:07:05"
JSON: dict[str, tuple[object, list[Turn], str]] = {
    "telegram": ({"name": "Tides", "type": "private_group", "id": 1, "messages": [{"id": 1, "type": "service",
     "date": AT, "actor": "Ragna Dyb", "action": "invite_members", "members": ["Eskil Vang"], "text": ""}, {"id": 2,
     "type": "message", "date": AT, "from": "Ragna Dyb", "text": ["See ", {"type": "bold", "text": "this"}]},
     {"id": 3, "type": "message", "date": AT, "from": "Eskil Vang", "text": "Yes", "reply_to_message_id": 2,
     "photo": "p.jpg"}]}, [("Ragna Dyb", "", AT), ("Eskil Vang", "Ragna Dyb", AT)], "Ragna Dyb: See this\n\n"),
    "teams": ({"value": [{"id": "2", "messageType": "message", "createdDateTime": "2019-05-27T21:09:05.1Z",
     "replyToId": "1", "from": {"user": {"displayName": "Eskil Vang"}}, "body": {"contentType": "html",
     "content": "<p>Yes &amp; no</p>"}}, {"id": "1", "messageType": "message", "createdDateTime": f"{AT}Z",
     "from": {"user": {"displayName": "Ragna Dyb"}}, "body": {"contentType": "text", "content": "Is it in?"}}]},
     [("Ragna Dyb", "", AT), ("Eskil Vang", "Ragna Dyb", "2019-05-27T21:09:05")], "Eskil Vang: Yes & no"),
    "skype": ({"userId": "8:x", "conversations": [{"id": "8:ragna", "displayName": "Ragna Dyb",
     "MessageList": [{"id": "1", "originalarrivaltime": f"{AT}.2Z", "messagetype": "RichText",
     "content": "<b>In</b>", "from": "8:ragna", "displayName": None}]}]}, [("Ragna Dyb", "", AT)], "Ragna Dyb: In"),
    "discord": ({"guild": {"name": "G"}, "channel": {"name": "tides"}, "messages": [{"id": "1", "type": "Default",
     "timestamp": f"{AT}.123+02:00", "content": "In?", "author": {"name": "r", "nickname": "Ragna Dyb"}}, {"id": "2",
     "type": "Reply", "timestamp": f"{AT}+02:00", "content": "", "author": {"name": "Eskil"},
     "attachments": [{"fileName": "t.png"}], "reference": {"messageId": "1"}}]}, [("Ragna Dyb", "", AT), ("Eskil",
     "Ragna Dyb", AT)], "Eskil: [t.png]"),
    "signal-cli": ("\n".join(json.dumps({"envelope": each}) for each in ({"source": "+471",
     "sourceName": "Ragna Dyb", "timestamp": 1558991225000, "dataMessage": {"message": "Hi \ufffc",
     "mentions": [{"name": "Eskil"}]}}, {"source": "+472", "typingMessage": {"action": "STARTED"}},
     {"source": "+472", "syncMessage": {"sentMessage": {"message": "Yes", "timestamp": 1558991226000}}})),
     [("Ragna Dyb", "", AT), ("Me", "", "2019-05-27T21:07:06")], "Ragna Dyb: Hi @Eskil"),
    "signal": ({"conversations": [{"id": "c1", "serviceId": "s1", "profileFullName": "Ragna Dyb"}],
     "messages": [{"type": "incoming", "conversationId": "c1", "sourceServiceId": "s1", "sent_at": 1558991225000,
     "body": "In?"}, {"type": "outgoing", "conversationId": "c1", "sent_at": 1558991225000, "body": "Yes"},
     {"type": "call-history", "conversationId": "c1", "sent_at": 1558991225000, "body": None}]}, [("Ragna Dyb", "",
     AT), ("Me", "", AT)], "Me: Yes"),
}  # fmt: skip


@pytest.mark.parametrize("program", JSON)
def test_exports_in_json(load: Load, program: str) -> None:
    content, expected, words = JSON[program]
    document = load("chat.json", content)
    assert turns_of(document) == expected and words in f"{document.text}\n\n"
    assert all(f"{b.speaker}: " in document.text[b.start : b.end] for b in document.blocks if b.speaker)


@pytest.mark.parametrize(("messages", "words"), [
    ([{"type": "message", "user": "U7", "ts": "1558991220.1", "text": "", "blocks": [{"type": "rich_text",
     "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "The rope is with "},
     {"type": "user", "user_id": "U8"}]}]}]}, {"type": "message", "user": "U8", "ts": "1558991221.1",
     "text": "See <https://x.example/rope|the rope>", "attachments": [{"title": "Rope 9", "text": "spliced",
     "fallback": "?"}]}], ["The rope is with @U8", "the rope (https://x.example/rope)", "Rope 9: spliced"]),
    ({"messages": [{"id": 1, "type": "message", "date": "2019-05-27T21:07:00", "from": "Ragna", "text": "",
     "poll": {"question": "Which day?", "answers": [{"text": "Friday", "voters": 2}]}}]}, ["Which day?", "- Friday"]),
    ({"messages": [{"sender_name": "Zo\u00c3\u00ab", "timestamp_ms": 1558991220000,
     "content": "Gr\u00c3\u00bc\u00c3\u009fe, wer bist du?"}, {"sender_name": "Bo", "timestamp_ms": 1558991221000,
     "content": "Ich bin Bo"}]}, ["Zoë: Grüße, wer bist du?"]),
])  # fmt: skip
def test_what_messages_hold_besides_their_text(load: Load, messages: object, words: list[str]) -> None:
    text = load("chat.json", messages).text
    assert [each for each in words if each not in text] == []


def test_several_chats_stand_under_their_names(load: Load) -> None:
    message = {"id": 1, "type": "message", "date": AT, "from": "Ragna Dyb", "text": "In"}
    chats = [{"name": name, "messages": [message]} for name in ("Tides", "Ropes", "Nets", "Oars", "Sails")]
    document = load("result.json", {"chats": {"list": chats}})
    headings = [document.text[b.start : b.end] for b in document.blocks if b.kind is BlockKind.HEADING]
    assert headings == ["Tides", "Ropes", "Nets", "Oars", "Sails"] and len(turns_of(document)) == 5


@pytest.mark.parametrize("content", [
    [{"type": "message", "user": 5, "text": None, "ts": [1]}] * 3,
    {"messages": [{"id": None, "type": "message", "date": 1e300, "from": [], "text": [None, {}, "words"]}]},
    [{"sent_at": "soon", "conversationId": 1, "body": "\ud800 words"}],
    "[" * 100_000,
])  # fmt: skip
def test_odd_records_are_read_as_text_or_refused(load: Load, content: object) -> None:
    try:
        document = load("odd.json", content)
    except DocumentError:
        return
    assert all(0 <= b.start < b.end <= len(document.text) for b in document.blocks)


TELEGRAM = """<div class="page_wrap"><div class="page_header">
<div class="text bold">Tides</div></div><div class="history">
<div class="message service"><div class="body details">27 May 2019</div></div>
<div class="message default clearfix"><div class="pull_left userpic_wrap"><div class="initials">R</div></div>
<div class="body"><div class="pull_right date details" title="27.05.2019 21:07:05 UTC+02:00">21:07</div>
<div class="from_name">Ragna Dyb</div><div class="text">Is it<br>in?</div></div></div>
<div class="message default clearfix joined"><div class="body">
<div class="pull_right date details" title="27.05.2019 21:08:05">21:08</div>
<div class="text">Well?</div></div></div>
<div class="message default clearfix"><div class="body">
<div class="pull_right date details" title="27.05.2019 21:09:05">21:09</div>
<div class="from_name">Eskil Vang</div>
<div class="reply_to details">In reply to <a>this message</a></div><div class="text">Yes</div></div></div>
</div></div>"""
DISCORD = """<div class="preamble"><div class="preamble__entries-container"><div>tides</div></div></div>
<div class="chatlog__message-group"><div class="chatlog__message-container"><div class="chatlog__message">
<div class="chatlog__header"><span class="chatlog__author">Ragna Dyb</span>
<span class="chatlog__timestamp" title="2019-05-27 21:07">x</span></div>
<div class="chatlog__content"><span>Is it in?</span></div></div></div>
<div class="chatlog__message-container"><div class="chatlog__message">
<div class="chatlog__content">Well?</div></div></div></div>"""


@pytest.mark.parametrize(("page", "expected", "words"), [
    (TELEGRAM, [("Ragna Dyb", "", AT), ("Ragna Dyb", "", "2019-05-27T21:08:05"), ("Eskil Vang", "",
     "2019-05-27T21:09:05")], ["Ragna Dyb: Is it\nin?", "Eskil Vang: Yes"]),
    (DISCORD, [("Ragna Dyb", "", "2019-05-27 21:07"), ("Ragna Dyb", "", "")], ["Ragna Dyb: Is it in?",
     "Ragna Dyb: Well?"]),
])  # fmt: skip
def test_exports_as_pages(load: Load, page: str, expected: list[Turn], words: list[str]) -> None:
    document = load("messages.html", f"<html><body>{page}</body></html>")
    assert turns_of(document) == expected and document.title == ("Tides" if page is TELEGRAM else "tides")
    assert [each for each in words if each not in document.text] == []
    assert "In reply" not in document.text
