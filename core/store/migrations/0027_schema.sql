-- The tables of a workspace as of version 27. Later versions follow as numbered scripts, which change what stands here.

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE documents (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL UNIQUE,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    date TEXT,
    author TEXT,
    pages INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    remedy TEXT NOT NULL DEFAULT '',
    file_key INTEGER REFERENCES files (key) ON DELETE CASCADE,
    language TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX documents_by_file ON documents (file_key);

CREATE TABLE document_texts (
    document_key INTEGER PRIMARY KEY REFERENCES documents (key) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE pages (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (document_key, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE passages (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    page INTEGER,
    headings TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    UNIQUE (document_key, ordinal)
) STRICT;

CREATE TABLE sentences (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (passage_key, ordinal)
) STRICT, WITHOUT ROWID;

-- One row a passage and stage ('embed', 'extract').
CREATE TABLE stages (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    stage TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    raw TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (passage_key, stage)
) STRICT, WITHOUT ROWID;
CREATE INDEX stages_by_state ON stages (stage, state);

CREATE TABLE entities (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    normal TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    head_key INTEGER REFERENCES entities (key) ON DELETE SET NULL
) STRICT;
CREATE INDEX entities_by_head ON entities (head_key);

CREATE TABLE mentions (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    entity_key INTEGER NOT NULL REFERENCES entities (key),
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    label TEXT NOT NULL,
    surface TEXT NOT NULL,
    stated INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (passage_key, entity_key, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_entity ON mentions (entity_key);

CREATE TABLE "candidate_facts" (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    subject_key INTEGER NOT NULL REFERENCES entities (key),
    predicate TEXT NOT NULL,
    object_key INTEGER NOT NULL REFERENCES entities (key),
    counts INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL DEFAULT 'open'
    CHECK (state IN ('open', 'approved', 'rejected', 'disputed')),
    probability REAL NOT NULL DEFAULT 0.5,
    priority REAL NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX facts_by_subject ON "candidate_facts" (subject_key);
CREATE INDEX facts_by_object ON "candidate_facts" (object_key);
CREATE INDEX candidate_facts_by_priority ON candidate_facts (state, priority DESC, key);

CREATE TABLE triples (
    key INTEGER PRIMARY KEY,
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    fact_key INTEGER NOT NULL REFERENCES "candidate_facts" (key),
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    confidence REAL NOT NULL,
    proposer TEXT NOT NULL DEFAULT 'rules',
    description TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX triples_by_passage ON triples (passage_key);
CREATE INDEX triples_by_fact ON triples (fact_key);

-- Derived, kept for the screen: one row an entity, rewritten after indexing.
CREATE TABLE layout (
    entity_key INTEGER PRIMARY KEY REFERENCES entities (key) ON DELETE CASCADE,
    community INTEGER NOT NULL,
    x REAL NOT NULL,
    y REAL NOT NULL
) STRICT;
-- How far the map reaches is asked after every change: without these, all places are read for it.
CREATE INDEX layout_by_community ON layout (community);
CREATE INDEX layout_by_x ON layout (x);
CREATE INDEX layout_by_y ON layout (y);

CREATE TABLE files (
    key INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    sha256 TEXT NOT NULL,               -- '': it could not be opened
    signature TEXT NOT NULL DEFAULT '', -- of the file's status when it was hashed; '': hash it again
    reader TEXT NOT NULL DEFAULT ''     -- how it was read; '': read it again
) STRICT;

-- Files that the person took out of the workspace; they stay on the disk.
CREATE TABLE excluded (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE regions (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (document_key, start, "end", name)
) STRICT, WITHOUT ROWID;

-- Little-endian arrays: spans int32 (n, 3), corners float32 (n, 4).
CREATE TABLE boxes (
    document_key INTEGER PRIMARY KEY REFERENCES documents (key) ON DELETE CASCADE,
    spans BLOB NOT NULL,
    corners BLOB NOT NULL
) STRICT;

CREATE TABLE metadata (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (document_key, name, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX metadata_by_value ON metadata (name, value);

-- Entities and facts whose support changed since the derived layers were last brought in step.
CREATE TABLE touched_entities (entity_key INTEGER PRIMARY KEY) STRICT;

CREATE TABLE touched_facts (fact_key INTEGER PRIMARY KEY) STRICT;

-- kind: 'passage' (one vector), 'sentence' (one a sentence, rows in order), 'entity' (one vector).
CREATE TABLE embeddings (
    kind TEXT NOT NULL,
    owner_key INTEGER NOT NULL,
    model TEXT NOT NULL,
    vectors BLOB NOT NULL,
    UNIQUE (kind, owner_key, model)
) STRICT;

-- Derived: the nearest names of each entity, and the coarse grid over the names' vectors that finds them.
CREATE TABLE synonyms (
    entity_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    other_key INTEGER NOT NULL REFERENCES entities (key) ON DELETE CASCADE,
    cosine REAL NOT NULL,
    spare INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (entity_key, other_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX synonyms_by_other ON synonyms (other_key);
-- Suggestions begin with what is nearest in meaning.
CREATE INDEX synonyms_by_cosine ON synonyms (cosine DESC) WHERE cosine >= 0.8;

CREATE TABLE name_cells (
    entity_key INTEGER PRIMARY KEY REFERENCES entities (key) ON DELETE CASCADE,
    cell INTEGER NOT NULL,
    more INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX name_cells_by_cell ON name_cells (cell);

CREATE TABLE name_grid (cell INTEGER PRIMARY KEY, centre BLOB NOT NULL) STRICT;

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

-- What people said of two names, by their normal forms, the smaller first: it outlives every indexing.
CREATE TABLE decisions (
    one TEXT NOT NULL,
    other TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('same', 'different')),
    made TEXT NOT NULL, -- ISO 8601
    PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_by_other ON decisions (other);

-- Derived: one sign a document and name, by the name's key without sense.
CREATE TABLE signs (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    normal TEXT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    sense TEXT NOT NULL DEFAULT '', -- what all signs of the name make of it here
    PRIMARY KEY (document_key, normal)
) STRICT, WITHOUT ROWID;
CREATE INDEX signs_by_name ON signs (normal);

-- Documents whose names or facts changed since signs were last read off them; names that lost a sign.
CREATE TABLE touched_documents (document_key INTEGER PRIMARY KEY) STRICT;

CREATE TABLE touched_names (normal TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- What language models said of a passage, so that nothing is asked twice; it goes with its passage.
CREATE TABLE replies (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    step TEXT NOT NULL,      -- 'entities', 'triples'
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,    -- version of the prompt
    reply TEXT NOT NULL,     -- valid JSON
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    seconds REAL NOT NULL,
    rejected INTEGER NOT NULL, -- names or triples that the passage does not hold
    PRIMARY KEY (passage_key, step, model, prompt)
) STRICT, WITHOUT ROWID;

-- Names whose nearest must be looked for: with a new vector (moved), or without a neighbour that they had.
-- Who is only mentioned once more or once less keeps its synonyms, and costs nothing.
CREATE TABLE names_to_link (
    entity_key INTEGER PRIMARY KEY,
    moved INTEGER NOT NULL
) STRICT;

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

-- Lists of references: where a document's text names the works that it cites. What stands there is found as all else is,
-- but ties nothing together in communities, and is told of in no report.
CREATE TABLE reference_lists (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (document_key, start)
) STRICT, WITHOUT ROWID;

-- By which rules a text was looked through, and whether it tells in sentences or is a list of rows and points; gone
-- with the text.
CREATE TABLE text_forms (
    document_key INTEGER PRIMARY KEY REFERENCES documents (key) ON DELETE CASCADE,
    rules TEXT NOT NULL,
    sentences INTEGER NOT NULL
) STRICT;

-- What the parts of a document are, and the headings under which each passage stands (joined by line breaks).
CREATE TABLE blocks (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    level INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    addressee TEXT NOT NULL,
    time TEXT NOT NULL,
    PRIMARY KEY (document_key, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_by_place ON blocks (document_key, start, "end");

-- Derived: the words that a passage writes in lower case, as a JSON list, and in how many passages each stands so.
-- What the documents mostly write in lower case is a word and no name, however it begins a sentence.
CREATE TABLE lower_words (
    passage_key INTEGER PRIMARY KEY REFERENCES passages (key) ON DELETE CASCADE,
    words TEXT NOT NULL
) STRICT;

CREATE TABLE lower_counts (
    word TEXT PRIMARY KEY,
    passages INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Words whose count changed since names were last labelled.
CREATE TABLE touched_words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Tables with their cells (int32: row, column, start, end in the document's text); columns as a JSON list of names.
CREATE TABLE tables (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    columns TEXT NOT NULL,
    cells BLOB NOT NULL,
    PRIMARY KEY (document_key, ordinal)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE passages_text USING fts5 (
    title, text, content = 'passages', content_rowid = 'key',
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

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

-- What people said of answers. No row points at a document, so that it outlives every indexing.
CREATE TABLE judged_answers (
    id TEXT PRIMARY KEY, -- of question_key and answer
    question_key TEXT NOT NULL, -- the question in lower case with single blanks
    question TEXT NOT NULL,
    answer TEXT NOT NULL, -- empty: the documents do not tell
    verdict TEXT NOT NULL CHECK (verdict IN ('right', 'wrong')),
    right_answer TEXT NOT NULL, -- in place of a wrong one; empty: not told
    probability REAL NOT NULL,
    route TEXT NOT NULL,
    forced INTEGER NOT NULL,
    version TEXT NOT NULL,
    made TEXT NOT NULL -- ISO 8601
) STRICT, WITHOUT ROWID;
CREATE INDEX judged_answers_by_question ON judged_answers (question_key);

CREATE TABLE judged_places (
    answer_id TEXT NOT NULL REFERENCES judged_answers (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    quote TEXT NOT NULL,
    PRIMARY KEY (answer_id, number)
) STRICT, WITHOUT ROWID;

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

-- Questions that a person pinned, with what is expected of their answers. No row points at a document or passage, so
-- that they outlive every indexing.
CREATE TABLE pinned_questions (
    id TEXT PRIMARY KEY, -- of the question in lower case with single blanks
    question TEXT NOT NULL,
    route TEXT NOT NULL, -- 'auto', or the one that the person chose
    right_answer TEXT NOT NULL, -- empty: not known, or, without places, that the documents do not tell
    made TEXT NOT NULL -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE TABLE pinned_places (
    pin_id TEXT NOT NULL REFERENCES pinned_questions (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path TEXT NOT NULL, -- empty: wherever the quote stands
    sha256 TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    quote TEXT NOT NULL,
    PRIMARY KEY (pin_id, number)
) STRICT, WITHOUT ROWID;

-- Ids of the passages that the last answer rests on.
CREATE TABLE pin_evidence (
    pin_id TEXT NOT NULL REFERENCES pinned_questions (id) ON DELETE CASCADE,
    passage_id TEXT NOT NULL,
    PRIMARY KEY (pin_id, passage_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pin_runs (
    key INTEGER PRIMARY KEY,
    made TEXT NOT NULL, -- ISO 8601, UTC
    revision INTEGER NOT NULL, -- of the workspace
    settings TEXT NOT NULL -- NAME=VALUE, a line each
) STRICT;

-- As it was then, also of questions that are pinned no more.
CREATE TABLE pin_results (
    run_key INTEGER NOT NULL REFERENCES pin_runs (key) ON DELETE CASCADE,
    pin_id TEXT NOT NULL,
    question TEXT NOT NULL,
    route TEXT NOT NULL,
    score REAL NOT NULL,
    ranks TEXT NOT NULL, -- of each expected place, from 1 or null, as JSON
    answer TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'guess', 'refusal')),
    confidence REAL NOT NULL,
    correct REAL, -- 1, .5 for a guess that is right, 0; null where the right answer is not known
    rests_on TEXT NOT NULL,
    PRIMARY KEY (run_key, pin_id)
) STRICT, WITHOUT ROWID;

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

-- What the last answers rested on, so that facts that are used are decided on first. Holds no word of a question.
CREATE TABLE recent_evidence (
    answer INTEGER NOT NULL, -- counts up
    id TEXT NOT NULL, -- of a passage that was shown for it, or of an entity that the search began at
    PRIMARY KEY (answer, id)
) STRICT, WITHOUT ROWID;

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

-- Titles of reports by themselves: a report is a page long, and titles are listed and searched by all.
CREATE TABLE community_titles (
    community_key INTEGER PRIMARY KEY REFERENCES communities (key) ON DELETE CASCADE,
    title TEXT NOT NULL
) STRICT;

-- One row an answered question, the last 10,000: how it went, and no word of it.
CREATE TABLE asked_questions (
    key INTEGER PRIMARY KEY,
    made TEXT NOT NULL, -- ISO 8601, UTC
    route TEXT NOT NULL, -- that was taken
    forced INTEGER NOT NULL, -- by the person
    own INTEGER NOT NULL, -- by the composition that the workspace adopted
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'guess', 'refusal')),
    score REAL NOT NULL, -- share of the graph, 0 to 1
    seconds REAL NOT NULL,
    tokens INTEGER NOT NULL, -- of the passages shown, and read by a language model
    documents INTEGER NOT NULL, -- that the evidence is from
    communities INTEGER NOT NULL -- likewise
) STRICT;

-- What a person said of mentions in the sample: ids are hashes, so that no name outlives its document.
CREATE TABLE judged_links (
    passage_id TEXT NOT NULL,
    start INTEGER NOT NULL,
    entity_id TEXT NOT NULL, -- it was linked to
    verdict TEXT NOT NULL CHECK (verdict IN ('right', 'wrong')),
    made TEXT NOT NULL, -- ISO 8601, UTC
    PRIMARY KEY (passage_id, start, entity_id)
) STRICT, WITHOUT ROWID;

-- The documents of which the communities were last made anew, and what each update since changed.
CREATE TABLE grouped_documents (
    id TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE graph_updates (
    key INTEGER PRIMARY KEY,
    made TEXT NOT NULL, -- ISO 8601, UTC
    changed INTEGER NOT NULL, -- facts, since the communities were last made anew
    facts INTEGER NOT NULL, -- in all
    anew INTEGER NOT NULL -- whether communities and places were made anew
) STRICT;

-- What people keep private, under the name of a mark: a document by its path, or a folder with all that lies in it; ''
-- is every document. Nothing here points at a document, so that it outlives every indexing.
CREATE TABLE private_marks (
    key INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (path, name)
) STRICT;

-- Where documents that a mark covers stood, and what they held then: who is moved, or written anew, stays private.
CREATE TABLE private_places (
    mark_key INTEGER NOT NULL REFERENCES private_marks (key) ON DELETE CASCADE,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL, -- of the file
    inside TEXT NOT NULL, -- the document's path in its file; '' for the whole of it
    PRIMARY KEY (mark_key, path, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX private_places_by_path ON private_places (path);
CREATE INDEX private_places_by_content ON private_places (sha256, inside);

-- Who may see what: the marks that a profile sees, as a JSON list. The owner, who sees all, has no row.
CREATE TABLE profiles (name TEXT PRIMARY KEY, sees TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- What people said of explanations: whether the facts or the sentence by which a passage was found support the answer.
-- Beside judged_answers, and likewise without a row that points at a document, so that it outlives every indexing.
CREATE TABLE judged_explanations (
    question_key TEXT NOT NULL, -- as in judged_answers
    question TEXT NOT NULL,
    answer TEXT NOT NULL, -- empty: the documents do not tell
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    start INTEGER NOT NULL, -- of the marked sentence, or of the passage, in the document's text
    "end" INTEGER NOT NULL,
    quote TEXT NOT NULL,
    facts INTEGER NOT NULL, -- of the chain that was shown; 0: the sentence alone
    supports INTEGER NOT NULL CHECK (supports IN (0, 1)),
    why TEXT NOT NULL, -- a word of the person
    route TEXT NOT NULL,
    version TEXT NOT NULL, -- of Clew
    made TEXT NOT NULL, -- ISO 8601, UTC
    PRIMARY KEY (question_key, answer, path, start, "end")
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entities_removed AFTER DELETE ON entities BEGIN
    DELETE FROM embeddings WHERE kind = 'entity' AND owner_key = old.key;
END;

CREATE TRIGGER mentions_added AFTER INSERT ON mentions BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (new.entity_key);
END;

CREATE TRIGGER mentions_removed AFTER DELETE ON mentions BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.entity_key);
END;

CREATE TRIGGER triples_added AFTER INSERT ON triples BEGIN
    INSERT OR IGNORE INTO touched_facts VALUES (new.fact_key);
END;

CREATE TRIGGER triples_removed AFTER DELETE ON triples BEGIN
    INSERT OR IGNORE INTO touched_facts VALUES (old.fact_key);
END;

CREATE TRIGGER facts_added AFTER INSERT ON "candidate_facts" BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (new.subject_key);
    INSERT OR IGNORE INTO touched_entities VALUES (new.object_key);
END;

CREATE TRIGGER facts_removed AFTER DELETE ON "candidate_facts" BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.subject_key);
    INSERT OR IGNORE INTO touched_entities VALUES (old.object_key);
END;

-- The vector is of the name.
CREATE TRIGGER entities_renamed AFTER UPDATE OF name ON entities WHEN old.name <> new.name BEGIN
    DELETE FROM embeddings WHERE kind = 'entity' AND owner_key = old.key;
END;

-- 'unsettled' is there while the derived layers are behind. No OR IGNORE: an upsert's own policy would overrule it.
CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
    INSERT INTO settings SELECT 'unsettled', '1'
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled');
END;

CREATE TRIGGER documents_changed AFTER UPDATE OF path, title, sha256 ON documents BEGIN
    INSERT INTO settings SELECT 'unsettled', '1'
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled');
END;

CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
    INSERT INTO settings SELECT 'unsettled', '1'
    WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled');
END;

-- Who loses a partner may belong to somebody else, or to nobody.
CREATE TRIGGER merges_removed AFTER DELETE ON merges BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.one_key);
    INSERT OR IGNORE INTO touched_entities VALUES (old.other_key);
END;

CREATE TRIGGER signs_removed AFTER DELETE ON signs BEGIN
    INSERT INTO touched_names SELECT old.normal
    WHERE NOT EXISTS (SELECT 1 FROM touched_names WHERE normal = old.normal);
END;

CREATE TRIGGER passages_gone AFTER DELETE ON passages BEGIN
    INSERT INTO touched_documents SELECT old.document_key
    WHERE NOT EXISTS (SELECT 1 FROM touched_documents WHERE document_key = old.document_key);
END;

CREATE TRIGGER passages_moved AFTER UPDATE OF document_key ON passages WHEN old.document_key <> new.document_key BEGIN
    INSERT OR IGNORE INTO touched_documents VALUES (old.document_key);
    INSERT OR IGNORE INTO touched_documents VALUES (new.document_key);
END;

CREATE TRIGGER extraction_done AFTER UPDATE OF state ON stages WHEN new.stage = 'extract' BEGIN
    INSERT INTO touched_documents SELECT document_key FROM passages WHERE key = new.passage_key
    AND NOT EXISTS (SELECT 1 FROM touched_documents t WHERE t.document_key = passages.document_key);
END;

CREATE TRIGGER extraction_added AFTER INSERT ON stages WHEN new.stage = 'extract' BEGIN
    INSERT INTO touched_documents SELECT document_key FROM passages WHERE key = new.passage_key
    AND NOT EXISTS (SELECT 1 FROM touched_documents t WHERE t.document_key = passages.document_key);
END;

-- A mention, or a triple, that is told to mean another: both ends of the change are looked at again.
CREATE TRIGGER mentions_moved AFTER UPDATE OF entity_key ON mentions BEGIN
    INSERT OR IGNORE INTO touched_entities VALUES (old.entity_key);
    INSERT OR IGNORE INTO touched_entities VALUES (new.entity_key);
END;

CREATE TRIGGER triples_moved AFTER UPDATE OF fact_key ON triples BEGIN
    INSERT OR IGNORE INTO touched_facts VALUES (old.fact_key);
    INSERT OR IGNORE INTO touched_facts VALUES (new.fact_key);
END;

CREATE TRIGGER name_vector_made AFTER INSERT ON embeddings WHEN new.kind = 'entity' BEGIN
    INSERT INTO names_to_link VALUES (new.owner_key, 1) ON CONFLICT (entity_key) DO UPDATE SET moved = 1;
END;

CREATE TRIGGER name_vector_gone AFTER DELETE ON embeddings WHEN old.kind = 'entity' BEGIN
    INSERT INTO names_to_link VALUES (old.owner_key, 1) ON CONFLICT (entity_key) DO UPDATE SET moved = 1;
END;

-- Who loses a neighbour may have another one further off.
CREATE TRIGGER synonyms_removed AFTER DELETE ON synonyms BEGIN
    INSERT OR IGNORE INTO names_to_link VALUES (old.entity_key, 0);
END;

CREATE TRIGGER members_left AFTER DELETE ON community_members BEGIN
    INSERT OR IGNORE INTO touched_communities VALUES (old.community_key);
END;

CREATE TRIGGER text_gone AFTER DELETE ON document_texts BEGIN
    DELETE FROM text_forms WHERE document_key = old.document_key;
END;

CREATE TRIGGER lower_words_added AFTER INSERT ON lower_words BEGIN
    INSERT INTO touched_words SELECT value FROM json_each(new.words)
    WHERE NOT EXISTS (SELECT 1 FROM touched_words t WHERE t.word = value);
    INSERT INTO lower_counts SELECT value, 0 FROM json_each(new.words)
    WHERE NOT EXISTS (SELECT 1 FROM lower_counts c WHERE c.word = value);
    UPDATE lower_counts SET passages = passages + 1 WHERE word IN (SELECT value FROM json_each(new.words));
END;

CREATE TRIGGER lower_words_removed AFTER DELETE ON lower_words BEGIN
    INSERT INTO touched_words SELECT value FROM json_each(old.words)
    WHERE NOT EXISTS (SELECT 1 FROM touched_words t WHERE t.word = value);
    UPDATE lower_counts SET passages = passages - 1 WHERE word IN (SELECT value FROM json_each(old.words));
    DELETE FROM lower_counts WHERE passages = 0 AND word IN (SELECT value FROM json_each(old.words));
END;

CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO passages_text (rowid, title, text)
    VALUES (new.key, searchable(new.title || char(10) || new.headings), searchable(new.text));
END;

CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passages_text (passages_text, rowid, title, text) VALUES (
        'delete', old.key, searchable(old.title || char(10) || old.headings), searchable(old.text)
    );
    DELETE FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key = old.key;
END;

CREATE TRIGGER lines_added AFTER INSERT ON lines BEGIN
    INSERT OR IGNORE INTO touched_lines VALUES (new.document_key, new.hash);
END;

CREATE TRIGGER lines_removed AFTER DELETE ON lines BEGIN
    INSERT OR IGNORE INTO touched_lines VALUES (old.document_key, old.hash);
END;

CREATE VIEW facts AS SELECT key, id, subject_key, predicate, object_key FROM candidate_facts WHERE counts;

CREATE TRIGGER facts_counted AFTER UPDATE OF counts ON candidate_facts WHEN old.counts <> new.counts BEGIN
    INSERT OR IGNORE INTO touched_facts VALUES (new.key);
    INSERT OR IGNORE INTO touched_entities VALUES (new.subject_key);
    INSERT OR IGNORE INTO touched_entities VALUES (new.object_key);
END;

CREATE TRIGGER review_acts_stay BEFORE UPDATE ON review_acts BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;

CREATE TRIGGER review_acts_last BEFORE DELETE ON review_acts BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;

CREATE TRIGGER review_items_stay BEFORE UPDATE ON review_items BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;

CREATE TRIGGER review_items_last BEFORE DELETE ON review_items BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;

-- Names that no document holds, of entities that go by them all the same.
CREATE VIEW unwritten_names (normal, entity_key) AS
SELECT said.name, coalesce(e.head_key, e.key) FROM (
    SELECT one AS name, other AS known FROM decisions WHERE verdict = 'same'
    UNION SELECT other, one FROM decisions WHERE verdict = 'same') said
JOIN entities e ON e.normal = said.known WHERE NOT EXISTS (SELECT 1 FROM entities n WHERE n.normal = said.name);

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

CREATE TRIGGER report_written AFTER INSERT ON community_reports BEGIN
    DELETE FROM community_titles WHERE community_key = new.community_key;
    INSERT INTO community_titles SELECT new.community_key, json_extract(new.report, '$.title')
    WHERE iif(json_valid(new.report), json_type(new.report, '$.title'), '') = 'text';
    INSERT INTO settings SELECT 'titles', '0' WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'titles');
    UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE name = 'titles';
END;

CREATE TRIGGER report_changed AFTER UPDATE ON community_reports BEGIN
    DELETE FROM community_titles WHERE community_key IN (old.community_key, new.community_key);
    INSERT INTO community_titles SELECT new.community_key, json_extract(new.report, '$.title')
    WHERE iif(json_valid(new.report), json_type(new.report, '$.title'), '') = 'text';
    INSERT INTO settings SELECT 'titles', '0' WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'titles');
    UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE name = 'titles';
END;

CREATE TRIGGER report_gone AFTER DELETE ON community_reports BEGIN
    DELETE FROM community_titles WHERE community_key = old.community_key;
    INSERT INTO settings SELECT 'titles', '0' WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'titles');
    UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE name = 'titles';
END;

CREATE VIEW document_places (document_key, path, sha256, inside) AS
SELECT d.key, d.path, d.sha256, coalesce(substr(d.path, length(f.path) + 1), '')
FROM documents d LEFT JOIN files f ON f.key = d.file_key;

-- What is private, and by which mark. When in doubt it is: what comes to where a private document stood is, too.
CREATE VIEW private_documents (document_key, mark_key) AS
SELECT d.document_key, m.key FROM document_places d CROSS JOIN private_marks m
WHERE m.path = '' OR d.path = m.path OR substr(d.path, 1, length(m.path) + 1) = m.path || '/'
UNION SELECT d.document_key, p.mark_key FROM document_places d JOIN private_places p ON p.path = d.path
UNION SELECT d.document_key, p.mark_key FROM document_places d
JOIN private_places p ON p.sha256 = d.sha256 AND p.inside = d.inside WHERE d.sha256 <> '';

-- No OR IGNORE: the policy of the statement that fires a trigger would overrule it.
CREATE TRIGGER private_document_added AFTER INSERT ON documents WHEN EXISTS (SELECT 1 FROM private_marks) BEGIN
    INSERT INTO private_places SELECT v.mark_key, d.path, d.sha256, d.inside
    FROM private_documents v JOIN document_places d ON d.document_key = v.document_key
    WHERE v.document_key = new.key AND NOT EXISTS (SELECT 1 FROM private_places p
    WHERE p.mark_key = v.mark_key AND p.path = d.path AND p.sha256 = d.sha256);
END;

-- Files that move are called ~KEY in between.
CREATE TRIGGER private_document_changed AFTER UPDATE OF path, sha256 ON documents
WHEN EXISTS (SELECT 1 FROM private_marks)
AND substr(new.path, 1, length('~' || coalesce(new.file_key, ''))) <> '~' || coalesce(new.file_key, '') BEGIN
    INSERT INTO private_places SELECT v.mark_key, d.path, d.sha256, d.inside
    FROM private_documents v JOIN document_places d ON d.document_key = v.document_key
    WHERE v.document_key = new.key AND NOT EXISTS (SELECT 1 FROM private_places p
    WHERE p.mark_key = v.mark_key AND p.path = d.path AND p.sha256 = d.sha256);
END;

-- A new workspace is settled by its first run.
INSERT INTO settings (name, value) VALUES ('unsettled', '1');
