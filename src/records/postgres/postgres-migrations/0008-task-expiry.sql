-- How long a task is kept after its end, as whoever ordered it wants it, and until when by the database's time: the clocks of machines
-- differ. Older versions don't write the latter; the second index finds what they have ended.
ALTER TABLE deckhand.tasks ADD COLUMN keep_ms double precision NOT NULL DEFAULT 3600000, ADD COLUMN expires_at timestamptz;

CREATE INDEX tasks_by_expiry ON deckhand.tasks (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX tasks_without_expiry ON deckhand.tasks (id) WHERE expires_at IS NULL AND completed_at IS NOT NULL;
