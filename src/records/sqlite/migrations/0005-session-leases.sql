-- The process that may write a session; `owner` is its identity as snake_case JSON.
CREATE TABLE session_leases (
  session_id TEXT    NOT NULL PRIMARY KEY,
  owner      TEXT    NOT NULL,
  taken_at   INTEGER NOT NULL
);
