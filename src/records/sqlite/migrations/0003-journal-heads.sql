-- The last line of each writer of the journal: a journal that was cut short does not fit to it.
CREATE TABLE journal_heads (
  writer  TEXT    NOT NULL PRIMARY KEY,
  seq     INTEGER NOT NULL,
  hash    TEXT    NOT NULL,
  segment INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  at      INTEGER NOT NULL
);
