-- Names whose nearest must be looked for: with a new vector (moved), or without a neighbour that they had.
-- Who is only mentioned once more or once less keeps its synonyms, and costs nothing.
CREATE TABLE names_to_link (
    entity_key INTEGER PRIMARY KEY,
    moved INTEGER NOT NULL
) STRICT;
CREATE TRIGGER name_vector_made AFTER INSERT ON embeddings WHEN new.kind = 'entity' BEGIN
    INSERT INTO names_to_link VALUES (new.owner_key, 1) ON CONFLICT (entity_key) DO UPDATE SET moved = 1;
END;
CREATE TRIGGER name_vector_gone AFTER DELETE ON embeddings WHEN old.kind = 'entity' BEGIN
    INSERT INTO names_to_link VALUES (old.owner_key, 1) ON CONFLICT (entity_key) DO UPDATE SET moved = 1;
END;
DROP TRIGGER synonyms_removed;
-- Who loses a neighbour may have another one further off.
CREATE TRIGGER synonyms_removed AFTER DELETE ON synonyms BEGIN
    INSERT OR IGNORE INTO names_to_link VALUES (old.entity_key, 0);
END;
-- Some more than are wanted are kept, so that who loses one need not look again. Whether there are still more
-- of them than are kept, `more` says; as long as there are not, one that is lost leaves nothing to look for.
ALTER TABLE synonyms ADD COLUMN spare INTEGER NOT NULL DEFAULT 0;
ALTER TABLE name_cells ADD COLUMN more INTEGER NOT NULL DEFAULT 0;
UPDATE name_cells SET more = 1 WHERE entity_key IN (
    SELECT entity_key FROM synonyms GROUP BY entity_key HAVING count(*) >= 8);
-- What an interrupted run left behind.
INSERT INTO names_to_link SELECT entity_key, 1 FROM touched_entities;
