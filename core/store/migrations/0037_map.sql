-- What the map draws: of the names those that an analyst would call a thing, tied by facts or by standing together.
ALTER TABLE entities ADD COLUMN node INTEGER NOT NULL DEFAULT 1 CHECK (node IN (0, 1));
UPDATE entities SET node = 0
WHERE label IN ('NOUN', 'DATE', 'TIME', 'ORDINAL', 'CARDINAL', 'QUANTITY', 'PERCENT', 'MONEY');
-- Entities that stand together more often than chance puts them together, the smaller key first.
CREATE TABLE ties (
    one_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    other_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    passages INTEGER NOT NULL, -- that name both
    strength REAL NOT NULL, -- 0 to 1
    PRIMARY KEY (one_key, other_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX ties_by_other ON ties (other_key);
-- All of it follows from the documents, and is made anew when the folder is indexed next.
INSERT OR IGNORE INTO touched_entities SELECT key FROM entities;
UPDATE settings SET value = '1000000000' WHERE name = 'facts_changed';
