-- What people say of names beside `decisions`. All of it follows from the log of decisions.
CREATE TABLE entity_overrides (
    normal TEXT NOT NULL,
    field TEXT NOT NULL CHECK (field IN ('name', 'label')),
    value TEXT NOT NULL,
    PRIMARY KEY (normal, field)
) STRICT, WITHOUT ROWID;
-- Mentions that mean somebody else than their documents say. By the text of their passage, so that it outlives indexing.
CREATE TABLE split_mentions (
    normal TEXT NOT NULL, -- without sense
    passage TEXT NOT NULL, -- hash of its text
    sense TEXT NOT NULL,
    PRIMARY KEY (normal, passage)
) STRICT, WITHOUT ROWID;
-- The passages of this workspace that are meant by that.
CREATE TABLE passage_senses (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    normal TEXT NOT NULL,
    sense TEXT NOT NULL,
    PRIMARY KEY (passage_key, normal)
) STRICT, WITHOUT ROWID;
-- Names that no document holds, of entities that go by them all the same.
CREATE VIEW unwritten_names (normal, entity_key) AS
SELECT said.name, coalesce(e.head_key, e.key) FROM (
    SELECT one AS name, other AS known FROM decisions WHERE verdict = 'same'
    UNION SELECT other, one FROM decisions WHERE verdict = 'same') said
JOIN entities e ON e.normal = said.known WHERE NOT EXISTS (SELECT 1 FROM entities n WHERE n.normal = said.name);
-- Suggestions begin with what is nearest in meaning.
CREATE INDEX synonyms_by_cosine ON synonyms (cosine DESC) WHERE cosine >= 0.8;
