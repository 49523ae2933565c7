-- What retention has removed of the journal: a line that only claims it does not fit to it.
CREATE TABLE journal_prunes (
  first_segment INTEGER NOT NULL,
  last_segment  INTEGER NOT NULL,
  last_hash     TEXT,
  at            INTEGER NOT NULL
);
