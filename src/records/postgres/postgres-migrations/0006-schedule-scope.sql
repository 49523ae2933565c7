-- Which project a job and its runs belong to, escaped as in tasks; null: of an older Deckhand, until the first project that opens
-- the database takes it. Names are unique within a project.
ALTER TABLE deckhand.jobs ADD COLUMN scope text COLLATE "C";
ALTER TABLE deckhand.runs ADD COLUMN scope text COLLATE "C";

ALTER TABLE deckhand.jobs DROP CONSTRAINT jobs_name_key;
CREATE UNIQUE INDEX jobs_by_name ON deckhand.jobs (coalesce(scope, ''), name);

DROP INDEX deckhand.jobs_by_next;
CREATE INDEX jobs_by_next ON deckhand.jobs (scope, next_at) WHERE next_at IS NOT NULL;

DROP INDEX deckhand.runs_by_due, deckhand.runs_by_start, deckhand.runs_by_catch_up;
CREATE INDEX runs_by_due ON deckhand.runs (scope, due_at, id);
CREATE INDEX runs_by_start ON deckhand.runs (scope, start_at, id) WHERE state = 'due';
CREATE INDEX runs_by_catch_up ON deckhand.runs (scope, start_at) WHERE trigger = 'catch_up';
CREATE INDEX runs_of_nobody ON deckhand.runs (id) WHERE scope IS NULL;
