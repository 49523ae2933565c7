-- Questions and approvals that wait for a person, as snake_case JSON.
CREATE TABLE deckhand.inbox (
  id         text COLLATE "C" NOT NULL PRIMARY KEY,
  state      text             NOT NULL,
  created_at double precision NOT NULL,
  settled_at double precision,
  body       text             NOT NULL,
  settlement text
);

CREATE INDEX inbox_by_state ON deckhand.inbox (state, id);

-- Processes that own runs or wait for answers. `seen_at` is the database's time, so that clocks of machines don't matter.
CREATE TABLE deckhand.owners (
  id      text        NOT NULL PRIMARY KEY,
  host    text        NOT NULL,
  seen_at timestamptz NOT NULL
);

-- When any of them was last heard, and since when they could be: after the database was away everybody gets a new chance. One row.
CREATE TABLE deckhand.pulse (beat_at timestamptz NOT NULL, resumed_at timestamptz NOT NULL);
INSERT INTO deckhand.pulse VALUES (now(), now());
