export const catalogNoiseSchema = `
ALTER TABLE versions ADD COLUMN notice TEXT;
CREATE TABLE noise (
  document INTEGER PRIMARY KEY,
  n INTEGER NOT NULL,
  state TEXT NOT NULL
);
CREATE TABLE unmuted (
  document INTEGER NOT NULL,
  block TEXT NOT NULL,
  owner TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (document, block, owner)
) WITHOUT ROWID;
CREATE INDEX unmuted_owner ON unmuted (owner)`
