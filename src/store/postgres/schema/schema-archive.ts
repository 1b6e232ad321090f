/**
 * What was fetched. Every key of each table begins with the partition; ids carry theirs in the low eight bits.
 *
 * `documents`, `versions` and `links` are as in the embedded engine. `records` holds what the archive's files hold there, in
 * parts of at most 1 MiB before compression; they arrive compressed or aren't worth it, so the server must not compress them.
 * `bodies` says which version keeps a body; a row that names a version that is gone counts as missing.
 * `leaving` marks a version that the collector is about to remove: new versions no longer refer to it.
 *
 * Plans are cached, and plans made for small tables are bad for large ones: they scan the whole table, or a whole partition, to which a
 * crawl may have added many thousands of rows before the next ANALYZE. So the tables start with statistics, and aren't analysed
 * before they have some size. The planner is told that the partition selects nothing (one distinct value): an id contains its
 * partition, so naming both matches no fewer rows.
 */
const untilLarge = `autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_threshold = 5000`

export const archiveSchema = `
CREATE TABLE documents (
  partition smallint NOT NULL,
  id bigint NOT NULL,
  host text NOT NULL,
  fp bigint NOT NULL,
  url text NOT NULL,
  parent text NOT NULL,
  first_at bigint NOT NULL,
  checked_at bigint NOT NULL,
  run bigint NOT NULL,
  status int NOT NULL,
  outcome text NOT NULL,
  location text NOT NULL,
  version bigint NOT NULL,
  seen_at bigint NOT NULL,
  fresh_until bigint NOT NULL,
  not_modified int NOT NULL,
  PRIMARY KEY (partition, id),
  UNIQUE (partition, host, fp)
) WITH (fillfactor = 85, ${untilLarge});
CREATE INDEX documents_id ON documents (id);

CREATE TABLE versions (
  partition smallint NOT NULL,
  id bigint NOT NULL,
  document bigint NOT NULL,
  n int NOT NULL,
  reason text NOT NULL,
  at bigint NOT NULL,
  seen_at bigint NOT NULL,
  status int NOT NULL,
  type text NOT NULL,
  size bigint NOT NULL,
  digest bytea NOT NULL,
  text bytea,
  text_rules bigint NOT NULL,
  etag text NOT NULL,
  last_modified text NOT NULL,
  truncated text NOT NULL,
  title text NOT NULL,
  address text NOT NULL,
  location text NOT NULL,
  body text NOT NULL,
  original bigint NOT NULL,
  record bigint NOT NULL,
  length bigint NOT NULL,
  links bigint NOT NULL,
  wanted boolean NOT NULL DEFAULT true,
  leaving boolean NOT NULL DEFAULT false,
  header text NOT NULL DEFAULT '',
  PRIMARY KEY (partition, id),
  UNIQUE (partition, document, n)
) WITH (fillfactor = 90, ${untilLarge});
CREATE INDEX versions_id ON versions (id);
CREATE INDEX versions_shared ON versions (original) WHERE original <> id;

CREATE TABLE links (
  partition smallint NOT NULL,
  id bigint NOT NULL,
  naming bigint NOT NULL,
  hash bytea NOT NULL,
  keys bytea NOT NULL,
  list text NOT NULL,
  PRIMARY KEY (partition, id)
) WITH (${untilLarge});

CREATE TABLE records (
  partition smallint NOT NULL,
  id bigint NOT NULL,
  part int NOT NULL,
  coding smallint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (partition, id, part)
) WITH (${untilLarge});
ALTER TABLE records ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE bodies (
  partition smallint NOT NULL,
  digest bytea NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (partition, digest)
) WITH (${untilLarge});

ALTER TABLE documents ALTER COLUMN partition SET (n_distinct = 1);
ALTER TABLE versions ALTER COLUMN partition SET (n_distinct = 1);
ALTER TABLE links ALTER COLUMN partition SET (n_distinct = 1);
ALTER TABLE records ALTER COLUMN partition SET (n_distinct = 1);
ALTER TABLE bodies ALTER COLUMN partition SET (n_distinct = 1);
INSERT INTO documents SELECT g, g, 'host' || g % 100, g, 'http://host/' || g, '', g, g, 1, 200, 'stored', '', g, g, 0, 0
  FROM generate_series(1, 1000) g;
INSERT INTO versions SELECT g, g, g, 1, 'new', g, g, 200, 'text/html', g, int8send(g), NULL, 0, '', '', '', '', '', '', 'kept',
  g, g, g, g FROM generate_series(1, 1000) g;
INSERT INTO links SELECT g, g, 0, int8send(g), int8send(g), 'list' FROM generate_series(1, 1000) g;
INSERT INTO records SELECT g, g, 0, 0, int8send(g) FROM generate_series(1, 1000) g;
INSERT INTO bodies SELECT g, int8send(g), g FROM generate_series(1, 1000) g;
ANALYZE documents, versions, links, records, bodies;
-- Within a savepoint the number of rows is forgotten too, and not only the rows.
SAVEPOINT emptied;
TRUNCATE documents, versions, links, records, bodies;
RELEASE SAVEPOINT emptied;

CREATE TABLE tasks (
  partition smallint NOT NULL,
  id bigint NOT NULL,
  version bigint NOT NULL,
  document bigint NOT NULL,
  watch bigint NOT NULL,
  hops int NOT NULL,
  round bigint NOT NULL,
  first boolean NOT NULL,
  made boolean NOT NULL,
  PRIMARY KEY (partition, id),
  UNIQUE (partition, version, watch, hops)
);
CREATE INDEX tasks_id ON tasks (id);

CREATE TABLE holds (
  partition smallint NOT NULL,
  version bigint NOT NULL,
  owner text NOT NULL,
  since bigint NOT NULL,
  PRIMARY KEY (partition, version, owner)
);

CREATE TABLE version_texts (
  partition smallint NOT NULL,
  version bigint NOT NULL,
  document bigint NOT NULL,
  host text NOT NULL,
  at bigint NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (partition, version)
);
CREATE INDEX version_texts_words ON version_texts USING gin (words);
CREATE TABLE search_facts (name text PRIMARY KEY, value bigint NOT NULL);
INSERT INTO search_facts (name, value) VALUES ('watermark', 0), ('versions', 0), ('textless', 0), ('bodiless', 0), ('damaged', 0);

CREATE TABLE version_marks (
  name text PRIMARY KEY,
  settled bigint NOT NULL,
  candidate bigint NOT NULL,
  horizon xid8 NOT NULL
);
INSERT INTO version_marks (name, settled, candidate, horizon) VALUES ('versions', 0, 0, '0')
`

/** Documents that the checks of each watch have reached, with the minimum number of links to them. */
export const reachedSchema = `
CREATE TABLE reached (
  partition smallint NOT NULL,
  document bigint NOT NULL,
  watch bigint NOT NULL,
  hops int NOT NULL,
  PRIMARY KEY (partition, document, watch)
);
`

/** Files, or series of objects, that hold records outside of the database (archive/segments.ts). Too few to be distributed. */
export const segmentsSchema = `
CREATE TABLE segments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  backend text NOT NULL,
  writer text NOT NULL,
  name text NOT NULL,
  state text NOT NULL DEFAULT 'open',
  bytes bigint NOT NULL DEFAULT 0,
  stored bigint,
  places bytea,
  seen_at timestamptz NOT NULL DEFAULT now(),
  closed_at timestamptz,
  claimed_until timestamptz
);
CREATE INDEX segments_state ON segments (backend, state)
`

/** One row: the last garbage collection. */
export const collectionRunSchema = `
CREATE TABLE collection_run (
  id smallint PRIMARY KEY CHECK (id = 1),
  started_at bigint NOT NULL,
  took_ms bigint NOT NULL,
  state text NOT NULL,
  versions bigint NOT NULL,
  bytes bigint NOT NULL,
  freed_bytes bigint NOT NULL,
  error text NOT NULL
)`
