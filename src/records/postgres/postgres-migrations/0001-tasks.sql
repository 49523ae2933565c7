-- Who takes tasks: one row for each worker process. `seen_at` is the database's time, so that clocks of machines don't matter.
CREATE TABLE deckhand.workers (
  id         text        NOT NULL PRIMARY KEY,
  machine_id text        NOT NULL,
  host       text        NOT NULL,
  boot_id    text        NOT NULL,
  pid        integer     NOT NULL,
  seen_at    timestamptz NOT NULL
);

CREATE INDEX workers_by_machine ON deckhand.workers (machine_id);

-- Jobs of background agents. Free texts are escaped where PostgreSQL has no form for them; `body` is the order as snake_case JSON.
-- `pinned_to`: the one machine that can run it, since it goes on with a session that lies there.
-- `machine_id`: where it was started, and the only place where it can be adopted. `place` is one of as many as its
-- machine has for its agent. `fence` counts its owners. `left_at`: nobody has
-- watched it since.
CREATE TABLE deckhand.tasks (
  id              text COLLATE "C" NOT NULL PRIMARY KEY,
  agent           text             NOT NULL,
  state           text             NOT NULL,
  body            text             NOT NULL,
  idempotency_key text,
  door            text             NOT NULL,
  folder          text             NOT NULL,
  attempt         integer          NOT NULL,
  created_at      double precision NOT NULL,
  started_at      double precision,
  completed_at    double precision,
  active_at       double precision,
  result          text,
  error           text,
  session_id      text,
  progress        text,
  process         text,
  owner           text,
  stop_proof      text,
  cancel_reason   text,
  pinned_to       text,
  machine_id      text,
  worker_id       text,
  place           integer,
  fence           bigint           NOT NULL DEFAULT 0,
  left_at         timestamptz
);

-- Ids sort by creation: the first queued one of an agent is the next.
CREATE INDEX tasks_by_agent_and_state ON deckhand.tasks (agent, state, id);
CREATE INDEX tasks_by_state ON deckhand.tasks (state, id);
CREATE INDEX tasks_by_completion ON deckhand.tasks (completed_at) WHERE completed_at IS NOT NULL;
CREATE UNIQUE INDEX tasks_by_place ON deckhand.tasks (machine_id, agent, place) WHERE state = 'running';
CREATE INDEX tasks_by_session ON deckhand.tasks (session_id) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX tasks_by_idempotency_key ON deckhand.tasks (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- When somebody last looked for workers that are silent. One row.
CREATE TABLE deckhand.patrol (looked_at timestamptz NOT NULL);
INSERT INTO deckhand.patrol VALUES (now());

-- What a process on one machine wants to read of a task that ran on another; gone as soon as it was answered.
CREATE TABLE deckhand.output_requests (
  id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id    text        NOT NULL,
  machine_id text        NOT NULL,
  range      text        NOT NULL,
  answer     text,
  asked_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX output_requests_by_machine ON deckhand.output_requests (machine_id) WHERE answer IS NULL;
