-- Jobs of background agents, as snake_case JSON: `body` is what changes, the order is what was asked for. Two tables, because
-- a message may have megabytes, and a row is rewritten whole each time its agent shows life.
CREATE TABLE tasks (
  id              TEXT    NOT NULL PRIMARY KEY,
  agent           TEXT    NOT NULL,
  state           TEXT    NOT NULL,
  completed_at    INTEGER,
  idempotency_key TEXT,
  body            TEXT    NOT NULL
);

CREATE TABLE task_orders (
  task_id TEXT NOT NULL PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
  body    TEXT NOT NULL
);

-- Ids sort by creation: the first queued one of an agent is the next.
CREATE INDEX tasks_by_agent_and_state ON tasks (agent, state, id);
CREATE INDEX tasks_by_agent ON tasks (agent, id);
CREATE INDEX tasks_by_state ON tasks (state, id);
CREATE INDEX tasks_by_completion ON tasks (completed_at) WHERE completed_at IS NOT NULL;
CREATE UNIQUE INDEX tasks_by_idempotency_key ON tasks (idempotency_key) WHERE idempotency_key IS NOT NULL;
