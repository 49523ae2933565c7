-- The next one of an agent is found at once, however many wait and have ended. Not by id alone: the planner would walk through the
-- primary key. The second one is for those of one line: a machine's own, or anybody's.
CREATE INDEX tasks_waiting ON deckhand.tasks (agent, created_at, id) WHERE state = 'queued';
CREATE INDEX tasks_in_line ON deckhand.tasks (agent, coalesce(pinned_to, ''), created_at, id) WHERE state = 'queued';
