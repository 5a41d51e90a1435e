-- The truth of a workspace. Everything derived (vector files, graph, communities) can be rebuilt from it.

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE documents (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL UNIQUE,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    date TEXT,
    author TEXT,
    pages INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    remedy TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE document_texts (
    document_key INTEGER PRIMARY KEY REFERENCES documents (key) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE pages (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (document_key, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE passages (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    page INTEGER,
    UNIQUE (document_key, ordinal)
) STRICT;

CREATE TABLE sentences (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (passage_key, ordinal)
) STRICT, WITHOUT ROWID;

-- One row a passage and stage ('embed', 'extract').
CREATE TABLE stages (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    stage TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    raw TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (passage_key, stage)
) STRICT, WITHOUT ROWID;
CREATE INDEX stages_by_state ON stages (stage, state);

CREATE TABLE entities (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    normal TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    label TEXT NOT NULL
) STRICT;

CREATE TABLE mentions (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    entity_key INTEGER NOT NULL REFERENCES entities (key),
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    label TEXT NOT NULL,
    surface TEXT NOT NULL,
    PRIMARY KEY (passage_key, entity_key, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_entity ON mentions (entity_key);

CREATE TABLE facts (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    subject_key INTEGER NOT NULL REFERENCES entities (key),
    predicate TEXT NOT NULL,
    object_key INTEGER NOT NULL REFERENCES entities (key)
) STRICT;
CREATE INDEX facts_by_subject ON facts (subject_key);
CREATE INDEX facts_by_object ON facts (object_key);

CREATE TABLE triples (
    key INTEGER PRIMARY KEY,
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    fact_key INTEGER NOT NULL REFERENCES facts (key),
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    confidence REAL NOT NULL
) STRICT;
CREATE INDEX triples_by_passage ON triples (passage_key);
CREATE INDEX triples_by_fact ON triples (fact_key);

-- kind: 'passage' (one vector), 'sentence' (one a sentence, rows in order), 'entity' (one vector).
CREATE TABLE embeddings (
    kind TEXT NOT NULL,
    owner_key INTEGER NOT NULL,
    model TEXT NOT NULL,
    vectors BLOB NOT NULL,
    PRIMARY KEY (kind, owner_key, model)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE passages_text USING fts5 (
    title, text, content = 'passages', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO passages_text (rowid, title, text) VALUES (new.key, new.title, new.text);
END;
CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passages_text (passages_text, rowid, title, text) VALUES ('delete', old.key, old.title, old.text);
    DELETE FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key = old.key;
END;
CREATE TRIGGER entities_removed AFTER DELETE ON entities BEGIN
    DELETE FROM embeddings WHERE kind = 'entity' AND owner_key = old.key;
END;

-- Derived, kept for the screen: one row an entity, rewritten after indexing.
CREATE TABLE layout (
    entity_key INTEGER PRIMARY KEY REFERENCES entities (key) ON DELETE CASCADE,
    community INTEGER NOT NULL,
    x REAL NOT NULL,
    y REAL NOT NULL
) STRICT;
