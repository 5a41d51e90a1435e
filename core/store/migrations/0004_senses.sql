-- Homonyms: what each document says about which bearer of a name it means.

-- Derived: one sign a document and name, by the name's key without sense.
CREATE TABLE signs (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    normal TEXT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    sense TEXT NOT NULL DEFAULT '', -- what all signs of the name make of it here
    PRIMARY KEY (document_key, normal)
) STRICT, WITHOUT ROWID;
CREATE INDEX signs_by_name ON signs (normal);

-- Documents whose names or facts changed since signs were last read off them; names that lost a sign.
CREATE TABLE touched_documents (document_key INTEGER PRIMARY KEY) STRICT;
CREATE TABLE touched_names (normal TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO touched_documents SELECT key FROM documents;

CREATE TRIGGER signs_removed AFTER DELETE ON signs BEGIN
    INSERT INTO touched_names SELECT old.normal
    WHERE NOT EXISTS (SELECT 1 FROM touched_names WHERE normal = old.normal);
END;
CREATE TRIGGER passages_gone AFTER DELETE ON passages BEGIN
    INSERT INTO touched_documents SELECT old.document_key
    WHERE NOT EXISTS (SELECT 1 FROM touched_documents WHERE document_key = old.document_key);
END;
CREATE TRIGGER passages_moved AFTER UPDATE OF document_key ON passages WHEN old.document_key <> new.document_key BEGIN
    INSERT OR IGNORE INTO touched_documents VALUES (old.document_key);
    INSERT OR IGNORE INTO touched_documents VALUES (new.document_key);
END;
CREATE TRIGGER extraction_done AFTER UPDATE OF state ON stages WHEN new.stage = 'extract' BEGIN
    INSERT INTO touched_documents SELECT document_key FROM passages WHERE key = new.passage_key
    AND NOT EXISTS (SELECT 1 FROM touched_documents t WHERE t.document_key = passages.document_key);
END;
CREATE TRIGGER extraction_added AFTER INSERT ON stages WHEN new.stage = 'extract' BEGIN
    INSERT INTO touched_documents SELECT document_key FROM passages WHERE key = new.passage_key
    AND NOT EXISTS (SELECT 1 FROM touched_documents t WHERE t.document_key = passages.document_key);
END;

-- A mention, or a triple, that is told to mean another: both ends of the change are looked at again.
CREATE TRIGGER mentions_moved AFTER UPDATE OF entity_key ON mentions BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.entity_key);
    INSERT OR IGNORE INTO touched_entities VALUES (new.entity_key);
END;
CREATE TRIGGER triples_moved AFTER UPDATE OF fact_key ON triples BEGIN
    INSERT OR IGNORE INTO touched_facts VALUES (old.fact_key);
    INSERT OR IGNORE INTO touched_facts VALUES (new.fact_key);
END;


-- Names are found by more blocks now.
INSERT OR IGNORE INTO touched_entities SELECT key FROM entities;
INSERT OR REPLACE INTO settings (name, value) VALUES ('unsettled', '1');
