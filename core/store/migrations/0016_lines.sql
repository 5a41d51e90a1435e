-- Lines of saved pages and mails by their hash, which of them repeat across documents, and where that is to be looked
-- at again.
CREATE TABLE lines (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    hash INTEGER NOT NULL,
    PRIMARY KEY (document_key, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX lines_by_hash ON lines (hash);
CREATE TABLE repeated_lines (hash INTEGER PRIMARY KEY) STRICT;
CREATE TABLE touched_lines (
    document_key INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    PRIMARY KEY (document_key, hash)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER lines_added AFTER INSERT ON lines BEGIN
    INSERT OR IGNORE INTO touched_lines VALUES (new.document_key, new.hash);
END;
CREATE TRIGGER lines_removed AFTER DELETE ON lines BEGIN
    INSERT OR IGNORE INTO touched_lines VALUES (old.document_key, old.hash);
END;
