-- What changed of that which questions are asked over, so that who has a snapshot of an earlier revision reads only
-- that again. Nothing is noted where nobody has one.
CREATE TABLE snapshot_log ( -- one row while changes are noted
    only INTEGER PRIMARY KEY CHECK (only = 1),
    room INTEGER NOT NULL -- how many rows more may be: when there is none left, nothing is known and nothing noted
) STRICT;
-- Revisions since which all is noted, each by a number of its own: a copy of the workspace that went another way has
-- other revisions of the same count.
CREATE TABLE snapshot_points (
    revision INTEGER PRIMARY KEY,
    id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER snapshot_point_first AFTER INSERT ON settings
WHEN new.name = 'revision' AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    DELETE FROM snapshot_points WHERE revision = CAST(new.value AS INTEGER);
    INSERT INTO snapshot_points VALUES (CAST(new.value AS INTEGER), random());
END;
CREATE TRIGGER snapshot_point_next AFTER UPDATE ON settings
WHEN new.name = 'revision' AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    DELETE FROM snapshot_points WHERE revision = CAST(new.value AS INTEGER);
    INSERT INTO snapshot_points VALUES (CAST(new.value AS INTEGER), random());
END;
-- Keys are given again after the last row went: one that stands here is to be read again, whatever it is now.
-- 'passages': rows of passages, 'vectors': passages by their sentences and vectors, 'mentions': passages by whom they
-- mention, 'entities': rows of names, 'names': entities that a name came to or left, 'heads': names that belong to
-- another entity, 'synonyms': names by their nearest, 'facts'.
CREATE TABLE snapshot_changes (
    kind TEXT NOT NULL,
    key INTEGER NOT NULL,
    revision INTEGER NOT NULL, -- of the workspace when it changed last
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER snapshot_changes_grow AFTER INSERT ON snapshot_changes BEGIN
    UPDATE snapshot_log SET room = room - 1;
END;
CREATE TRIGGER snapshot_log_full AFTER UPDATE OF room ON snapshot_log WHEN new.room < 0 BEGIN
    DELETE FROM snapshot_log;
    DELETE FROM snapshot_points;
    DELETE FROM snapshot_changes;
END;

-- Where the triggers note. No OR IGNORE: the policy of the statement that fires a trigger would overrule it.
CREATE VIEW snapshot_notes (kind, key) AS SELECT kind, key FROM snapshot_changes;
CREATE TRIGGER snapshot_noted INSTEAD OF INSERT ON snapshot_notes BEGIN
    UPDATE snapshot_changes SET revision = (SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'revision')
    WHERE kind = new.kind AND key = new.key
    AND revision < (SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'revision');
    INSERT INTO snapshot_changes
    SELECT new.kind, new.key, coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'revision'), 0)
    WHERE new.key IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM snapshot_changes WHERE kind = new.kind AND key = new.key);
END;

CREATE TRIGGER snapshot_passage_added AFTER INSERT ON passages WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('passages', new.key);
END;
CREATE TRIGGER snapshot_passage_changed AFTER UPDATE OF id, document_key ON passages
WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('passages', new.key);
END;
CREATE TRIGGER snapshot_passage_removed AFTER DELETE ON passages WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('passages', old.key);
END;

CREATE TRIGGER snapshot_sentence_added AFTER INSERT ON sentences WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('vectors', new.passage_key);
END;
CREATE TRIGGER snapshot_sentence_changed AFTER UPDATE OF passage_key, ordinal, start ON sentences
WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('vectors', old.passage_key);
    INSERT INTO snapshot_notes VALUES ('vectors', new.passage_key);
END;
CREATE TRIGGER snapshot_sentence_removed AFTER DELETE ON sentences WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('vectors', old.passage_key);
END;

-- One that replaces another has its owner, too.
CREATE TRIGGER snapshot_vector_added AFTER INSERT ON embeddings
WHEN new.kind <> 'entity' AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('vectors', new.owner_key);
END;
CREATE TRIGGER snapshot_vector_changed AFTER UPDATE ON embeddings
WHEN (old.kind <> 'entity' OR new.kind <> 'entity') AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('vectors', old.owner_key);
    INSERT INTO snapshot_notes VALUES ('vectors', new.owner_key);
END;
CREATE TRIGGER snapshot_vector_removed AFTER DELETE ON embeddings
WHEN old.kind <> 'entity' AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('vectors', old.owner_key);
END;

CREATE TRIGGER snapshot_mention_added AFTER INSERT ON mentions WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('mentions', new.passage_key);
END;
CREATE TRIGGER snapshot_mention_changed AFTER UPDATE OF passage_key, entity_key, start ON mentions
WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('mentions', old.passage_key);
    INSERT INTO snapshot_notes VALUES ('mentions', new.passage_key);
END;
CREATE TRIGGER snapshot_mention_removed AFTER DELETE ON mentions WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('mentions', old.passage_key);
END;

-- A name that comes or goes is written or unwritten from then on: those it is said to be the same as go by it or not.
CREATE TRIGGER snapshot_entity_added AFTER INSERT ON entities WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('entities', new.key);
    INSERT INTO snapshot_notes VALUES ('names', new.head_key);
    INSERT INTO snapshot_notes SELECT 'names', coalesce(e.head_key, e.key)
    FROM decisions d CROSS JOIN entities e ON e.normal = d.other WHERE d.one = new.normal;
    INSERT INTO snapshot_notes SELECT 'names', coalesce(e.head_key, e.key)
    FROM decisions d CROSS JOIN entities e ON e.normal = d.one WHERE d.other = new.normal;
END;
CREATE TRIGGER snapshot_entity_removed AFTER DELETE ON entities WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('entities', old.key);
    INSERT INTO snapshot_notes VALUES ('names', old.head_key);
    INSERT INTO snapshot_notes SELECT 'names', coalesce(e.head_key, e.key)
    FROM decisions d CROSS JOIN entities e ON e.normal = d.other WHERE d.one = old.normal;
    INSERT INTO snapshot_notes SELECT 'names', coalesce(e.head_key, e.key)
    FROM decisions d CROSS JOIN entities e ON e.normal = d.one WHERE d.other = old.normal;
END;
CREATE TRIGGER snapshot_entity_changed AFTER UPDATE OF id, name, label ON entities
WHEN (old.id <> new.id OR old.name <> new.name OR old.label <> new.label) AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('entities', new.key);
END;
CREATE TRIGGER snapshot_normal_changed AFTER UPDATE OF normal ON entities
WHEN old.normal <> new.normal AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('entities', new.key);
    INSERT INTO snapshot_notes VALUES ('names', new.head_key);
    INSERT INTO snapshot_notes SELECT 'names', coalesce(e.head_key, e.key)
    FROM decisions d CROSS JOIN entities e ON e.normal = d.other WHERE d.one IN (old.normal, new.normal);
    INSERT INTO snapshot_notes SELECT 'names', coalesce(e.head_key, e.key)
    FROM decisions d CROSS JOIN entities e ON e.normal = d.one WHERE d.other IN (old.normal, new.normal);
END;
CREATE TRIGGER snapshot_head_changed AFTER UPDATE OF head_key ON entities
WHEN old.head_key IS NOT new.head_key AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('entities', new.key);
    INSERT INTO snapshot_notes VALUES ('heads', new.key);
    INSERT INTO snapshot_notes VALUES ('names', old.head_key);
    INSERT INTO snapshot_notes VALUES ('names', new.head_key);
END;

CREATE TRIGGER snapshot_decision_added AFTER INSERT ON decisions WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes SELECT 'names', coalesce(head_key, key) FROM entities
    WHERE normal IN (new.one, new.other);
END;
CREATE TRIGGER snapshot_decision_changed AFTER UPDATE ON decisions WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes SELECT 'names', coalesce(head_key, key) FROM entities
    WHERE normal IN (old.one, old.other, new.one, new.other);
END;
CREATE TRIGGER snapshot_decision_removed AFTER DELETE ON decisions WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes SELECT 'names', coalesce(head_key, key) FROM entities
    WHERE normal IN (old.one, old.other);
END;

-- Facts are read with their triples: one without any comes and goes unread.
CREATE TRIGGER snapshot_fact_changed AFTER UPDATE OF subject_key, object_key, counts ON candidate_facts
WHEN (old.counts <> new.counts OR old.subject_key <> new.subject_key OR old.object_key <> new.object_key)
AND EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('facts', new.key);
END;
CREATE TRIGGER snapshot_triple_added AFTER INSERT ON triples WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('facts', new.fact_key);
END;
CREATE TRIGGER snapshot_triple_changed AFTER UPDATE OF fact_key, confidence ON triples
WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('facts', old.fact_key);
    INSERT INTO snapshot_notes VALUES ('facts', new.fact_key);
END;
CREATE TRIGGER snapshot_triple_removed AFTER DELETE ON triples WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('facts', old.fact_key);
END;

CREATE TRIGGER snapshot_synonym_added AFTER INSERT ON synonyms WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('synonyms', new.entity_key);
END;
CREATE TRIGGER snapshot_synonym_changed AFTER UPDATE ON synonyms WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('synonyms', old.entity_key);
    INSERT INTO snapshot_notes VALUES ('synonyms', new.entity_key);
END;
CREATE TRIGGER snapshot_synonym_removed AFTER DELETE ON synonyms WHEN EXISTS (SELECT 1 FROM snapshot_log) BEGIN
    INSERT INTO snapshot_notes VALUES ('synonyms', old.entity_key);
END;
