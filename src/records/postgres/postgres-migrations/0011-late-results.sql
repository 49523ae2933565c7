-- It was called lost, and its machine has reported since what became of it.
ALTER TABLE deckhand.tasks ADD COLUMN is_late boolean NOT NULL DEFAULT false;
