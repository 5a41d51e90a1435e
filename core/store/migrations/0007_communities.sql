-- Communities at up to three levels that nest: 1 is the finest. Deep GraphRAG 2.1; triple-layer GraphRAG 4.4.
CREATE TABLE communities (
    key INTEGER PRIMARY KEY,
    level INTEGER NOT NULL,
    parent_key INTEGER REFERENCES communities (key) DEFERRABLE INITIALLY DEFERRED,
    number INTEGER NOT NULL -- of its level; it keeps its number, and so its colour, as long as it lives
) STRICT;
CREATE INDEX communities_by_parent ON communities (parent_key);
-- Every entity in one community of the finest level, and through it in one of each level above.
CREATE TABLE community_members (
    entity_key INTEGER PRIMARY KEY REFERENCES entities (key) ON DELETE CASCADE,
    community_key INTEGER NOT NULL REFERENCES communities (key) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX members_by_community ON community_members (community_key);
-- What is told of a community, and a hash of what it was told from: another hash, and the report is stale.
CREATE TABLE community_reports (
    community_key INTEGER PRIMARY KEY REFERENCES communities (key) ON DELETE CASCADE,
    source TEXT NOT NULL,
    written_by TEXT NOT NULL,
    report TEXT NOT NULL
) STRICT;
-- Communities whose content changed since their report was written, how many of their entities did, and whether
-- it is known since that the report holds no word of what is gone.
CREATE TABLE communities_to_tell (
    community_key INTEGER PRIMARY KEY REFERENCES communities (key) ON DELETE CASCADE,
    changed INTEGER NOT NULL,
    checked INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Communities that an entity left since they were last brought in step.
CREATE TABLE touched_communities (community_key INTEGER PRIMARY KEY) STRICT;
CREATE TRIGGER members_left AFTER DELETE ON community_members BEGIN
    INSERT OR IGNORE INTO touched_communities VALUES (old.community_key);
END;
-- The next run groups what is there.
INSERT INTO settings SELECT 'unsettled', '1' WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled')
    AND EXISTS (SELECT 1 FROM entities);
