-- One row an answered question, the last 10,000: how it went, and no word of it.
CREATE TABLE asked_questions (
    key INTEGER PRIMARY KEY,
    made TEXT NOT NULL, -- ISO 8601, UTC
    route TEXT NOT NULL, -- that was taken
    forced INTEGER NOT NULL, -- by the person
    own INTEGER NOT NULL, -- by the composition that the workspace adopted
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'guess', 'refusal')),
    score REAL NOT NULL, -- share of the graph, 0 to 1
    seconds REAL NOT NULL,
    tokens INTEGER NOT NULL, -- of the passages shown, and read by a language model
    documents INTEGER NOT NULL, -- that the evidence is from
    communities INTEGER NOT NULL -- likewise
) STRICT;

-- What a person said of mentions in the sample: ids are hashes, so that no name outlives its document.
CREATE TABLE judged_links (
    passage_id TEXT NOT NULL,
    start INTEGER NOT NULL,
    entity_id TEXT NOT NULL, -- it was linked to
    verdict TEXT NOT NULL CHECK (verdict IN ('right', 'wrong')),
    made TEXT NOT NULL, -- ISO 8601, UTC
    PRIMARY KEY (passage_id, start, entity_id)
) STRICT, WITHOUT ROWID;

-- The documents of which the communities were last made anew, and what each update since changed.
CREATE TABLE grouped_documents (
    id TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE graph_updates (
    key INTEGER PRIMARY KEY,
    made TEXT NOT NULL, -- ISO 8601, UTC
    changed INTEGER NOT NULL, -- facts, since the communities were last made anew
    facts INTEGER NOT NULL, -- in all
    anew INTEGER NOT NULL -- whether communities and places were made anew
) STRICT;
