import type { Migration } from './database.ts'

/** `frontier/NN.db`: one shard's hosts, the URLs ever seen and those still queued. */
export const frontierMigrations: readonly Migration[] = [
  {
    id: 1,
    sha256: '08c476bc5c60c0f674225b160fa7f4791bd0ecf59d5aa9e616808c0a48d48527',
    name: 'hosts, seen, queue, robots',
    sql: `
CREATE TABLE hosts (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL UNIQUE,
  run INTEGER NOT NULL,
  queued INTEGER NOT NULL DEFAULT 0,
  accepted INTEGER NOT NULL DEFAULT 0,
  given_up INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  rests INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX hosts_waiting ON hosts (next_at) WHERE queued > 0;
CREATE TABLE seen (
  host INTEGER NOT NULL,
  fp INTEGER NOT NULL,
  run INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  PRIMARY KEY (host, fp)
) WITHOUT ROWID;
CREATE TABLE queue (
  host INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  fp INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  hops INTEGER NOT NULL,
  redirects INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  url TEXT NOT NULL,
  parent TEXT NOT NULL,
  PRIMARY KEY (host, priority, seq)
) WITHOUT ROWID;
CREATE TABLE robots (
  origin TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO facts VALUES ('run', 0), ('seq', 0), ('queued', 0), ('seen', 0), ('clean', 1)`,
  },
  {
    id: 2,
    sha256: 'd10f039f5d69a81c87f7bdff140ae2eab25187e490cbc8a08be0ff93e3d87891',
    name: 'errands of watches',
    sql: `
ALTER TABLE queue ADD COLUMN watch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queue ADD COLUMN round INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queue ADD COLUMN fresh_from INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queue ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queue ADD COLUMN first INTEGER NOT NULL DEFAULT 0`,
  },
  {
    id: 3,
    sha256: '957fa6ed1c3eb01aa31e6e3579b8ff378c47a1058a51b4b1d618d5506d2f90d7',
    name: 'links that the trap limits dropped',
    sql: `
CREATE TABLE dropped_links (
  host TEXT NOT NULL,
  rule TEXT NOT NULL,
  run INTEGER NOT NULL,
  count INTEGER NOT NULL,
  examples TEXT NOT NULL,
  PRIMARY KEY (host, rule)
) WITHOUT ROWID`,
  },
  {
    // Files that may have lost rules as text are fetched again: those with a replacement character, truncated, or undecodable.
    id: 4,
    sha256: '20149d8c114bc1219dbd3eb86774e124a689a5f37fa5c0f0917d94afeafae453',
    name: 'robots.txt as bytes',
    sql: `
CREATE TABLE robots_as_bytes (
  origin TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  body BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO robots_as_bytes SELECT origin, kind, CAST(text AS BLOB), expires_at FROM robots
  WHERE kind <> 'rules' OR (text <> '' AND instr(text, char(65533)) = 0 AND length(CAST(text AS BLOB)) < 524288);
DROP TABLE robots;
ALTER TABLE robots_as_bytes RENAME TO robots`,
  },
  {
    // A partial index on requests whose priority may change: the others cost nothing.
    id: 5,
    sha256: '8a6e0f1e77f3d38903f38731d5c6b4150063dbdea4c980045cab87ea2900e669',
    name: 'priorities that rise',
    sql: `
ALTER TABLE queue ADD COLUMN rises INTEGER NOT NULL DEFAULT 0;
CREATE INDEX queue_rising ON queue (host, fp) WHERE rises > 0`,
  },
  {
    id: 6,
    sha256: '81b8e6ae0df903dea5a707e58c7c71f8efb4bcdd9f12e7d516f96c1b54c39c39',
    name: 'hosts that offer tables',
    sql: `
CREATE TABLE host_tables (
  origin TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID`,
  },
]
