-- All facts that somebody or something proposed. Those that count are the view `facts`, which everything else reads.
ALTER TABLE facts RENAME TO candidate_facts;
ALTER TABLE candidate_facts ADD COLUMN counts INTEGER NOT NULL DEFAULT 1;
-- Derived: what the log of decisions makes of it; how sure it is; which is to be decided on first.
ALTER TABLE candidate_facts ADD COLUMN state TEXT NOT NULL DEFAULT 'open'
    CHECK (state IN ('open', 'approved', 'rejected', 'disputed'));
ALTER TABLE candidate_facts ADD COLUMN probability REAL NOT NULL DEFAULT 0.5;
ALTER TABLE candidate_facts ADD COLUMN priority REAL NOT NULL DEFAULT 0;
CREATE INDEX candidate_facts_by_priority ON candidate_facts (state, priority DESC, key);
CREATE VIEW facts AS SELECT key, id, subject_key, predicate, object_key FROM candidate_facts WHERE counts;
CREATE TRIGGER facts_counted AFTER UPDATE OF counts ON candidate_facts WHEN old.counts <> new.counts BEGIN
    INSERT OR IGNORE INTO touched_facts VALUES (new.key);
    INSERT OR IGNORE INTO touched_entities VALUES (new.subject_key);
    INSERT OR IGNORE INTO touched_entities VALUES (new.object_key);
END;
-- 'rules', the language model that was asked, or who else proposed it.
ALTER TABLE triples ADD COLUMN proposer TEXT NOT NULL DEFAULT 'rules';

-- Every decision of a person, in the order in which this workspace heard of it. Nothing here is changed or taken away:
-- what is undone is undone by another act. It points at no row of others, so that it outlives every indexing.
CREATE TABLE review_acts (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE, -- the same in every copy of the log
    made TEXT NOT NULL, -- ISO 8601, UTC
    person TEXT NOT NULL,
    verb TEXT NOT NULL,
    why TEXT NOT NULL,
    about TEXT NOT NULL -- the act that is undone or done again; else empty
) STRICT;
CREATE INDEX review_acts_about ON review_acts (about) WHERE about <> '';
-- What an act decides on. `saw`: ids of the acts that held on the subject then, a blank between them.
CREATE TABLE review_items (
    subject TEXT NOT NULL, -- 'fact ID', 'names' and two normal forms as JSON, 'note fact ID', 'note entity ID'
    act_key INTEGER NOT NULL REFERENCES review_acts (key),
    outcome TEXT NOT NULL,
    saw TEXT NOT NULL,
    detail TEXT NOT NULL, -- JSON: the subject in words; of a fact that a person stated, what and where
    PRIMARY KEY (subject, act_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_items_by_act ON review_items (act_key);
CREATE TRIGGER review_acts_stay BEFORE UPDATE ON review_acts BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER review_acts_last BEFORE DELETE ON review_acts BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER review_items_stay BEFORE UPDATE ON review_items BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER review_items_last BEFORE DELETE ON review_items BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
-- Derived: acts that do not hold.
CREATE TABLE undone_acts (act_key INTEGER PRIMARY KEY REFERENCES review_acts (key)) STRICT;
-- Derived: the triples of the facts that people stated, a row for each act that holds; no triple where the quote that
-- the fact rests on is not to be found.
CREATE TABLE stated_triples (
    fact_id TEXT NOT NULL,
    act_key INTEGER NOT NULL REFERENCES review_acts (key),
    triple_key INTEGER REFERENCES triples (key) ON DELETE SET NULL,
    PRIMARY KEY (fact_id, act_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX stated_triples_by_triple ON stated_triples (triple_key);
-- 1: it is there for the sake of such a triple alone.
ALTER TABLE mentions ADD COLUMN stated INTEGER NOT NULL DEFAULT 0;

-- All are to be weighed.
INSERT OR REPLACE INTO settings (name, value) VALUES ('unsettled', '1');
-- What was said of names until now.
INSERT INTO review_acts (id, made, person, verb, why, about)
    SELECT 'names-' || hex(one || char(10) || other), made, '', verdict, '', '' FROM decisions ORDER BY made, one, other;
INSERT INTO review_items SELECT 'names ' || json_array(d.one, d.other), a.key, d.verdict, '', '{}'
    FROM decisions d JOIN review_acts a ON a.id = 'names-' || hex(d.one || char(10) || d.other);
