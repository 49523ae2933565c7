-- The agents that a worker has, escaped as in tasks; null: one of an older Deckhand, which does not tell.
ALTER TABLE deckhand.workers ADD COLUMN agents text[];
