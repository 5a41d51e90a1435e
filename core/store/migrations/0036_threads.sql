-- Questions that follow each other. Nothing here points at a document, so that it outlives every indexing.
CREATE TABLE threads (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    created TEXT NOT NULL -- ISO 8601, UTC
) STRICT;
CREATE TABLE turns (
    thread_key INTEGER NOT NULL REFERENCES threads (key) ON DELETE CASCADE,
    number INTEGER NOT NULL, -- from 1
    original TEXT NOT NULL, -- as typed
    question TEXT NOT NULL, -- as completed
    answer TEXT NOT NULL, -- in short; empty: there was none
    words TEXT NOT NULL, -- JSON: pairs, what was replaced and by what
    passages TEXT NOT NULL, -- JSON: ids of those that the answer rests on, the best first
    created TEXT NOT NULL, -- ISO 8601, UTC
    record BLOB NOT NULL, -- the answer with its trace as JSON, packed by zlib; empty once a document was taken out
    PRIMARY KEY (thread_key, number)
) STRICT;
-- What the short answer of a turn is from.
CREATE TABLE turn_documents (
    thread_key INTEGER NOT NULL,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (thread_key, number, path),
    FOREIGN KEY (thread_key, number) REFERENCES turns (thread_key, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
