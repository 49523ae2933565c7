-- Questions and approvals that wait for a person. `body` is the whole entry as snake_case JSON, as it was asked.
CREATE TABLE inbox (
  id         TEXT    NOT NULL PRIMARY KEY,
  state      TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  body       TEXT    NOT NULL,
  settlement TEXT
);

CREATE INDEX inbox_waiting ON inbox (id) WHERE state = 'waiting';
