-- When somebody who starts what is due was last there; one row.
CREATE TABLE schedule_service (
  id        INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  served_at INTEGER NOT NULL
);

-- Those of one job in one state, latest first, without a walk through all that the job ever did.
DROP INDEX schedule_runs_by_job_and_state;
CREATE INDEX schedule_runs_by_job_and_state ON schedule_runs (job_id, state, due_at, id);
