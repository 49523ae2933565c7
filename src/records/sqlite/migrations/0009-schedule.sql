-- Jobs and their runs, as snake_case JSON; the columns are what is searched by. A name may be any text, so it is kept escaped.
CREATE TABLE schedule_jobs (
  id      TEXT    NOT NULL PRIMARY KEY,
  name    TEXT    NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  next_at INTEGER,
  body    TEXT    NOT NULL
);

CREATE INDEX schedule_jobs_by_next ON schedule_jobs (next_at) WHERE next_at IS NOT NULL;

-- One row for each due time of a job, whoever plans it. Rows outlive their job.
CREATE TABLE schedule_runs (
  id          TEXT    NOT NULL PRIMARY KEY,
  job_id      TEXT    NOT NULL,
  due_at      INTEGER NOT NULL,
  state       TEXT    NOT NULL,
  start_at    INTEGER NOT NULL,
  ended_at    INTEGER,
  is_catch_up INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  UNIQUE (job_id, due_at)
);

CREATE INDEX schedule_runs_by_due ON schedule_runs (due_at, id);
CREATE INDEX schedule_runs_by_state ON schedule_runs (state, start_at, id);
CREATE INDEX schedule_runs_by_job_and_state ON schedule_runs (job_id, state);
CREATE INDEX schedule_runs_by_end ON schedule_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX schedule_runs_by_catch_up ON schedule_runs (start_at) WHERE is_catch_up = 1;
