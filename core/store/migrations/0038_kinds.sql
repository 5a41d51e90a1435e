-- An entity is a node where the judge takes one of its names for a thing, or a person says of what kind it is; none
-- where that is a value.
DROP VIEW IF EXISTS nodes;
CREATE VIEW nodes AS SELECT h.key, h.id FROM entities h WHERE h.head_key IS NULL
AND h.label NOT IN ('DATE', 'TIME', 'ORDINAL', 'CARDINAL', 'QUANTITY', 'PERCENT', 'MONEY')
AND (h.node OR EXISTS (SELECT 1 FROM entity_overrides o WHERE o.normal = h.normal AND o.field = 'label')
OR EXISTS (SELECT 1 FROM entities n WHERE n.head_key = h.key AND n.node));
-- The label that the judge of names gives a node, for names that the recogniser gives no kind; '' where it gives none.
ALTER TABLE entities ADD COLUMN judged TEXT NOT NULL DEFAULT '';
-- All of it follows from the documents: the next run on the folder derives it.
INSERT OR IGNORE INTO touched_entities SELECT key FROM entities;
UPDATE settings SET value = '1000000000' WHERE name = 'facts_changed';
INSERT OR REPLACE INTO settings (name, value) VALUES ('ties.stale', '1');
