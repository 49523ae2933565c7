-- Rollouts of tools. Names and keys may be any text, so they are kept escaped (text-key.ts).
-- `body` of a document is its owner's JSON, as it was given; every other `body` is ours, snake_case.
CREATE TABLE rollout_documents (
  name TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL
);

-- Small rows that are only looked up by their key, and removed by its beginning.
CREATE TABLE rollout_marks (
  rollout_id TEXT NOT NULL,
  sticky_key TEXT NOT NULL,
  mark       TEXT NOT NULL,
  PRIMARY KEY (rollout_id, sticky_key)
) WITHOUT ROWID;

-- AUTOINCREMENT: an id is never given again, also when the newest row is gone.
CREATE TABLE rollout_events (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  tool    TEXT NOT NULL,
  body    TEXT NOT NULL,
  figures TEXT NOT NULL
);

CREATE INDEX rollout_events_by_tool ON rollout_events (tool, id);

-- A row that is seen again gets a new id, so that ids tell which were seen last, whatever the clock said.
CREATE TABLE tool_feedback (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  tool      TEXT    NOT NULL,
  version   TEXT    NOT NULL,
  signature TEXT    NOT NULL,
  count     INTEGER NOT NULL,
  first_at  INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  body      TEXT    NOT NULL,
  UNIQUE (tool, version, signature)
);

CREATE INDEX tool_feedback_by_tool ON tool_feedback (tool, id);
