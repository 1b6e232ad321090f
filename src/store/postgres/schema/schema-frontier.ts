import { frontierFunctions } from '../frontier/frontier-functions.ts'
import { leaseFunctions } from '../leases/leases-functions.ts'

/**
 * Leases of partitions, and the requests still to be fetched.
 *
 * `frontiers` has a row for each partition with its counters, which also serialises all other writes to the partition. Transactions that
 * queue or remove requests lock that row first, so `seq` grows in commit order: a reader that has seen a number never meets a smaller
 * one later. Ids of hosts are `frontiers.last_host * 256 + partition`; all others are
 * `nextval('ids') * 256 + partition`.
 *
 * The epoch is part of a key of `leases`: a change of holder waits for transactions that lock the row FOR KEY SHARE, a renewal doesn't.
 */
export const frontierSchema = `
CREATE SEQUENCE ids AS bigint;

CREATE TABLE leases (
  partition smallint PRIMARY KEY,
  holder text,
  epoch bigint NOT NULL DEFAULT 0,
  until timestamptz,
  clean boolean NOT NULL DEFAULT true,
  UNIQUE (partition, epoch)
) WITH (fillfactor = 50);
INSERT INTO leases (partition) SELECT generate_series(0, 255);

CREATE TABLE holders (
  holder text PRIMARY KEY,
  name text NOT NULL,
  process text NOT NULL,
  leaving boolean NOT NULL,
  until timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE leaders (
  name text PRIMARY KEY,
  holder text,
  epoch bigint NOT NULL,
  until timestamptz NOT NULL,
  UNIQUE (name, epoch)
) WITH (fillfactor = 50);

CREATE TABLE frontiers (
  partition smallint PRIMARY KEY,
  run bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  last_host bigint NOT NULL DEFAULT 0,
  queued bigint NOT NULL DEFAULT 0,
  seen bigint NOT NULL DEFAULT 0,
  hosts bigint NOT NULL DEFAULT 0,
  waiting bigint NOT NULL DEFAULT 0,
  given_up bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20);
INSERT INTO frontiers (partition) SELECT generate_series(0, 255);

CREATE TABLE hosts (
  id bigint NOT NULL,
  run bigint NOT NULL,
  next_at bigint NOT NULL DEFAULT 0,
  queued bigint NOT NULL DEFAULT 0,
  accepted bigint NOT NULL DEFAULT 0,
  failures int NOT NULL DEFAULT 0,
  rests int NOT NULL DEFAULT 0,
  partition smallint NOT NULL,
  given_up boolean NOT NULL DEFAULT false,
  host text COLLATE "C" NOT NULL,
  PRIMARY KEY (partition, id),
  UNIQUE (partition, host)
) WITH (fillfactor = 70);
CREATE INDEX hosts_waiting ON hosts (partition, next_at, id) WHERE queued > 0;

CREATE TABLE seen (
  host bigint NOT NULL,
  fp bigint NOT NULL,
  run bigint NOT NULL,
  depth int NOT NULL,
  partition smallint NOT NULL,
  PRIMARY KEY (partition, host, fp)
);

CREATE TABLE queue (
  seq bigint NOT NULL,
  host bigint NOT NULL,
  priority bigint NOT NULL,
  fp bigint NOT NULL,
  watch bigint NOT NULL,
  round bigint NOT NULL,
  fresh_from bigint NOT NULL,
  since bigint NOT NULL,
  depth int NOT NULL,
  hops int NOT NULL,
  redirects int NOT NULL,
  attempts int NOT NULL,
  partition smallint NOT NULL,
  first boolean NOT NULL,
  url text NOT NULL,
  parent text NOT NULL,
  PRIMARY KEY (partition, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2);
CREATE INDEX queue_order ON queue (partition, host, priority, seq);
CREATE INDEX queue_watches ON queue (partition, watch) WHERE watch > 0;

CREATE TABLE robots (
  partition smallint NOT NULL,
  origin text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  text text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (partition, origin)
);

CREATE TABLE runs (
  id bigint PRIMARY KEY,
  started_at bigint NOT NULL,
  finished_at bigint
);
CREATE UNIQUE INDEX runs_current ON runs ((true)) WHERE finished_at IS NULL;

CREATE TABLE nodes (
  id text PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL,
  host text NOT NULL,
  pid int NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  figures jsonb NOT NULL,
  draining boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

CREATE TABLE control (name text PRIMARY KEY, value jsonb NOT NULL);

CREATE TABLE news (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  news jsonb NOT NULL
);
${leaseFunctions}
${frontierFunctions}
`
