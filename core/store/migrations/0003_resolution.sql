-- Names that are one entity. Every name keeps its own row; `head_key` is the row it is shown and walked as.

ALTER TABLE entities ADD COLUMN head_key INTEGER REFERENCES entities (key) ON DELETE SET NULL;
CREATE INDEX entities_by_head ON entities (head_key);

-- Derived: names that share a block are compared.
CREATE TABLE name_blocks (
    block TEXT NOT NULL,
    entity_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    PRIMARY KEY (block, entity_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX name_blocks_by_entity ON name_blocks (entity_key);

-- Derived: pairs that a rule holds for one entity, the smaller key first.
CREATE TABLE merges (
    one_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    other_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    score REAL NOT NULL,
    PRIMARY KEY (one_key, other_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX merges_by_other ON merges (other_key);
-- Who loses a partner may belong to somebody else, or to nobody.
CREATE TRIGGER merges_removed AFTER DELETE ON merges BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.one_key);
    INSERT OR IGNORE INTO touched_entities VALUES (old.other_key);
END;

-- What people said of two names, by their normal forms, the smaller first: it outlives every indexing.
CREATE TABLE decisions (
    one TEXT NOT NULL,
    other TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('same', 'different')),
    made TEXT NOT NULL, -- ISO 8601
    PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_by_other ON decisions (other);

INSERT OR IGNORE INTO touched_entities SELECT key FROM entities;
INSERT OR REPLACE INTO settings (name, value) VALUES ('unsettled', '1');
