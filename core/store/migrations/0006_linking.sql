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
    INSERT OR IGNORE INTO touched_entities VALUES (old.entity_key);
    INSERT OR IGNORE INTO names_to_link VALUES (old.entity_key, 0);
END;
-- What an interrupted run left behind.
INSERT INTO names_to_link SELECT entity_key, 1 FROM touched_entities;
