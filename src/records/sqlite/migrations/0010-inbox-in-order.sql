-- By any state in the order of ids, and the oldest that can go. What is bound as a parameter finds no partial index by state.
DROP INDEX inbox_waiting;
CREATE INDEX inbox_by_state ON inbox (state, id);
CREATE INDEX inbox_by_settlement ON inbox (settled_at) WHERE settled_at IS NOT NULL;
