-- Files and their parts, and marks that keep every derived layer in step with what changed.

CREATE TABLE files (
    key INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    sha256 TEXT NOT NULL,               -- '': it could not be opened
    signature TEXT NOT NULL DEFAULT '', -- of the file's status when it was hashed; '': hash it again
    reader TEXT NOT NULL DEFAULT ''     -- how it was read; '': read it again
) STRICT;
INSERT INTO files (path, sha256) SELECT path, sha256 FROM documents;
ALTER TABLE documents ADD COLUMN file_key INTEGER REFERENCES files (key) ON DELETE CASCADE;
UPDATE documents SET file_key = (SELECT key FROM files WHERE files.path = documents.path);
CREATE INDEX documents_by_file ON documents (file_key);

-- Files that the person took out of the workspace; they stay on the disk.
CREATE TABLE excluded (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE regions (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (document_key, start, "end", name)
) STRICT, WITHOUT ROWID;

-- Little-endian arrays: spans int32 (n, 3), corners float32 (n, 4).
CREATE TABLE boxes (
    document_key INTEGER PRIMARY KEY REFERENCES documents (key) ON DELETE CASCADE,
    spans BLOB NOT NULL,
    corners BLOB NOT NULL
) STRICT;

CREATE TABLE metadata (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (document_key, name, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX metadata_by_value ON metadata (name, value);

-- Entities and facts whose support changed since the derived layers were last brought in step.
CREATE TABLE touched_entities (entity_key INTEGER PRIMARY KEY) STRICT;
CREATE TABLE touched_facts (fact_key INTEGER PRIMARY KEY) STRICT;
INSERT INTO touched_entities SELECT key FROM entities;
INSERT INTO touched_facts SELECT key FROM facts;

CREATE TRIGGER mentions_added AFTER INSERT ON mentions BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (new.entity_key);
END;
CREATE TRIGGER mentions_removed AFTER DELETE ON mentions BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.entity_key);
END;
CREATE TRIGGER triples_added AFTER INSERT ON triples BEGIN
    INSERT OR IGNORE INTO touched_facts VALUES (new.fact_key);
END;
CREATE TRIGGER triples_removed AFTER DELETE ON triples BEGIN
    INSERT OR IGNORE INTO touched_facts VALUES (old.fact_key);
END;
CREATE TRIGGER facts_added AFTER INSERT ON facts BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (new.subject_key);
    INSERT OR IGNORE INTO touched_entities VALUES (new.object_key);
END;
CREATE TRIGGER facts_removed AFTER DELETE ON facts BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.subject_key);
    INSERT OR IGNORE INTO touched_entities VALUES (old.object_key);
END;
-- With row ids: without them a vector lies on overflow pages and takes three times its room.
CREATE TABLE embeddings_before AS SELECT * FROM embeddings;
DROP TABLE embeddings;
CREATE TABLE embeddings (
    kind TEXT NOT NULL,
    owner_key INTEGER NOT NULL,
    model TEXT NOT NULL,
    vectors BLOB NOT NULL,
    UNIQUE (kind, owner_key, model)
) STRICT;
-- Names that have no synonyms need no vectors.
INSERT INTO embeddings SELECT * FROM embeddings_before WHERE kind <> 'entity' OR owner_key IN (
    SELECT key FROM entities WHERE label NOT IN
    ('DATE', 'TIME', 'CARDINAL', 'ORDINAL', 'QUANTITY', 'MONEY', 'PERCENT', 'NOUN'));
DROP TABLE embeddings_before;
-- The vector is of the name.
CREATE TRIGGER entities_renamed AFTER UPDATE OF name ON entities WHEN old.name <> new.name BEGIN
    DELETE FROM embeddings WHERE kind = 'entity' AND owner_key = old.key;
END;

-- Derived: the nearest names of each entity, and the coarse grid over the names' vectors that finds them.
CREATE TABLE synonyms (
    entity_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    other_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    cosine REAL NOT NULL,
    PRIMARY KEY (entity_key, other_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX synonyms_by_other ON synonyms (other_key);
CREATE TABLE name_cells (
    entity_key INTEGER PRIMARY KEY REFERENCES entities (key) ON DELETE CASCADE,
    cell INTEGER NOT NULL
) STRICT;
CREATE INDEX name_cells_by_cell ON name_cells (cell);
CREATE TABLE name_grid (cell INTEGER PRIMARY KEY, centre BLOB NOT NULL) STRICT;
-- Who loses a neighbour may have another one further off.
CREATE TRIGGER synonyms_removed AFTER DELETE ON synonyms BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.entity_key);
END;

-- 'unsettled' is there while the derived layers are behind. No OR IGNORE: an upsert's own policy would overrule it.
CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
    INSERT INTO settings SELECT 'unsettled', '1'
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled');
END;
CREATE TRIGGER documents_changed AFTER UPDATE OF path, title, sha256 ON documents BEGIN
    INSERT INTO settings SELECT 'unsettled', '1'
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled');
END;
CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
    INSERT INTO settings SELECT 'unsettled', '1'
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled');
END;
INSERT OR REPLACE INTO settings (name, value) VALUES ('unsettled', '1');
