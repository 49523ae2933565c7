-- One row per tool call. `body` is the whole record as snake_case JSON; the columns are what queries need of it.
-- A table with rowids: bodies are large, and WITHOUT ROWID doubled the time of a write and tripled the file (measured).
CREATE TABLE executions (
  id              TEXT    NOT NULL PRIMARY KEY,
  tool_id         TEXT,
  state           TEXT    NOT NULL,
  created_at      INTEGER NOT NULL,
  completed_at    INTEGER,
  conversation_id TEXT,
  owner_pid       INTEGER,
  owner_start     TEXT,
  owner_boot      TEXT,
  cancel_reason   TEXT,
  cancel_taken    INTEGER NOT NULL DEFAULT 0,
  body            TEXT    NOT NULL
);

-- Ids sort by creation, so the primary key is also the index of the newest.
-- Nearly all rows are completed, and those are found among the newest: the index of the others stays small and hot.
CREATE INDEX executions_by_state ON executions (state, id) WHERE state <> 'completed';
CREATE INDEX executions_by_conversation ON executions (conversation_id, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX executions_by_completion ON executions (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX executions_to_cancel ON executions (id) WHERE cancel_reason IS NOT NULL AND cancel_taken = 0;
