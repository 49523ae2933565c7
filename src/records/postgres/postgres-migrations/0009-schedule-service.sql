-- When somebody who starts what is due in a project was last there, by the time that its machines share.
CREATE TABLE deckhand.schedule_service (
  scope     text COLLATE "C" NOT NULL PRIMARY KEY,
  served_at double precision NOT NULL
);
