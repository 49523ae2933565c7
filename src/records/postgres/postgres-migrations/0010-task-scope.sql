-- The project that a task and a worker belong to, escaped as in jobs. A task of an older Deckhand is 'unassigned' until the project
-- whose data folder it lies in opens the database.
ALTER TABLE deckhand.tasks ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'unassigned';
ALTER TABLE deckhand.workers ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'unassigned';
ALTER TABLE deckhand.output_requests ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'unassigned';

DROP INDEX deckhand.tasks_by_agent_and_state, deckhand.tasks_by_state, deckhand.tasks_by_place,
  deckhand.tasks_by_idempotency_key, deckhand.tasks_waiting, deckhand.tasks_in_line;
CREATE INDEX tasks_by_scope ON deckhand.tasks (scope, id);
CREATE INDEX tasks_by_agent_and_state ON deckhand.tasks (scope, agent, state, id);
CREATE INDEX tasks_by_state ON deckhand.tasks (scope, state, id);
CREATE UNIQUE INDEX tasks_by_place ON deckhand.tasks (scope, machine_id, agent, place) WHERE state = 'running';
CREATE UNIQUE INDEX tasks_by_idempotency_key ON deckhand.tasks (scope, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX tasks_waiting ON deckhand.tasks (scope, agent, created_at, id) WHERE state = 'queued';
CREATE INDEX tasks_in_line ON deckhand.tasks (scope, agent, coalesce(pinned_to, ''), created_at, id) WHERE state = 'queued';

-- One row for each project: its processes look after its own workers.
ALTER TABLE deckhand.patrol ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'unassigned';
CREATE UNIQUE INDEX patrol_by_scope ON deckhand.patrol (scope);
