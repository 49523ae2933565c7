-- The oldest that can go.
CREATE INDEX inbox_by_settlement ON deckhand.inbox (settled_at) WHERE settled_at IS NOT NULL;
