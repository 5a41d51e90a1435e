"""Plays a language model that extracts names and triples, for the scripted server."""

from __future__ import annotations

import itertools
import json
import re

from tests.ollama_server import Body


def reading(body: Body) -> str:
    """Plays a model that extracts: runs of capitalised words are names, neighbours in a sentence a triple."""
    if not body.get("format"):
        return "ready"
    prompt = "\n".join(message["content"] for message in body["messages"] if message["role"] == "user")
    found = re.search(r"<passage (\w+)>\n(?:Title: .*\n\n)?(.*?)\n</passage \1>", prompt, re.DOTALL)
    text = found.group(2) if found else ""
    if "triples" not in body["format"]["properties"]:
        names = dict.fromkeys(_NAME.findall(text))
        return json.dumps({"entities": [{"name": name, "kind": "other"} for name in names]})
    triples = []
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        places = list(_NAME.finditer(sentence))
        for one, other in itertools.pairwise(places):
            between = sentence[one.end() : other.start()].strip(" ,.;:")
            if between:
                triples.append({"subject": one.group(), "predicate": between[:60], "object": other.group()})
    return json.dumps({"triples": triples})


_NAME = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*")
