-- The project whose questions and approvals these are, escaped as in jobs; 'unassigned': of an older Deckhand.
ALTER TABLE deckhand.inbox ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT 'unassigned';

DROP INDEX deckhand.inbox_by_state, deckhand.inbox_by_settlement;
CREATE INDEX inbox_by_state ON deckhand.inbox (scope, state, id);
CREATE INDEX inbox_by_settlement ON deckhand.inbox (scope, settled_at) WHERE settled_at IS NOT NULL;
