-- Jobs. `body` is what never changes of one, as snake_case JSON; free texts are escaped where PostgreSQL has no form for them.
CREATE TABLE deckhand.jobs (
  id               text COLLATE "C" NOT NULL PRIMARY KEY,
  name             text COLLATE "C" NOT NULL UNIQUE,
  body             text             NOT NULL,
  paused           text,
  planned_until_at double precision NOT NULL,
  next_at          double precision,
  counted_from_at  double precision NOT NULL,
  version          integer          NOT NULL
);

CREATE INDEX jobs_by_next ON deckhand.jobs (next_at) WHERE next_at IS NOT NULL;

-- One row for each due time of a job, whoever plans it. Rows outlive their job.
-- `is_alone`: it was claimed on the condition that no other run of its job is under way.
CREATE TABLE deckhand.runs (
  id            text COLLATE "C" NOT NULL PRIMARY KEY,
  job_id        text             NOT NULL,
  job_name      text             NOT NULL,
  due_at        double precision NOT NULL,
  trigger       text             NOT NULL,
  start_at      double precision NOT NULL,
  attempt       integer          NOT NULL,
  state         text             NOT NULL,
  reason        text,
  created_at    double precision NOT NULL,
  started_at    double precision,
  ended_at      double precision,
  owner         text,
  fence         integer          NOT NULL,
  waits_for     text,
  cancel_reason text,
  execution_id  text,
  task_id       text,
  session_id    text,
  summary       text,
  span          text,
  is_alone      boolean          NOT NULL DEFAULT false,
  UNIQUE (job_id, due_at)
);

CREATE INDEX runs_by_due ON deckhand.runs (due_at, id);
CREATE INDEX runs_by_start ON deckhand.runs (start_at, id) WHERE state = 'due';
CREATE INDEX runs_under_way ON deckhand.runs (due_at, id) WHERE state IN ('claimed', 'running');
CREATE INDEX runs_by_job_and_state ON deckhand.runs (job_id, state);
CREATE INDEX runs_by_end ON deckhand.runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX runs_by_catch_up ON deckhand.runs (start_at) WHERE trigger = 'catch_up';
CREATE UNIQUE INDEX runs_alone ON deckhand.runs (job_id) WHERE is_alone AND state IN ('claimed', 'running');
