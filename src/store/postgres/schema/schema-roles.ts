/**
 * Tables through which the roles of a cluster communicate.
 *
 * Only the leader of the scheduler writes `reaches`, so their versions grow in commit order. `asked` holds checks requested for now, passed
 * on to the leader by the server that got the request. `watch_progress` sums up the news of a check that the leader has read, until the
 * check is recorded as over, so that the next leader knows what this one knew. A run carries its settings, for workers that help; their
 * revision grows with each change. Nodes have taken `taken` of its `max_pages`; `pages` is how many of them each node has left. A node
 * that is `seeding` keeps the run open.
 *
 * Stories are found by bands of their hash: if at most three bits differ, at least one of four bands is equal.
 */
export const rolesSchema = `
CREATE SEQUENCE reach_versions AS bigint;
CREATE TABLE reaches (
  watch bigint PRIMARY KEY,
  round bigint NOT NULL,
  version bigint NOT NULL,
  reach jsonb,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX reaches_version ON reaches (version);

CREATE TABLE asked (watch bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());

CREATE TABLE watch_progress (
  watch bigint PRIMARY KEY,
  changed bigint NOT NULL,
  unchanged bigint NOT NULL,
  failed bigint NOT NULL,
  source jsonb,
  landed text
) WITH (fillfactor = 50);

ALTER TABLE runs ADD COLUMN settings jsonb;
ALTER TABLE runs ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN max_pages bigint;
ALTER TABLE runs ADD COLUMN taken bigint NOT NULL DEFAULT 0;

CREATE TABLE run_figures (
  run bigint NOT NULL,
  node text NOT NULL,
  figures jsonb NOT NULL,
  final boolean NOT NULL,
  seeding boolean NOT NULL DEFAULT false,
  pages bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (run, node)
) WITH (fillfactor = 50);

CREATE INDEX stories_band_0 ON stories (((hash >> 0) & 65535), version) INCLUDE (hash, story);
CREATE INDEX stories_band_1 ON stories (((hash >> 16) & 65535), version) INCLUDE (hash, story);
CREATE INDEX stories_band_2 ON stories (((hash >> 32) & 65535), version) INCLUDE (hash, story);
CREATE INDEX stories_band_3 ON stories (((hash >> 48) & 65535), version) INCLUDE (hash, story);
`

/**
 * `run_figures.taken` is the total number of pages of the run that a node has taken, less those it gave back, so repeated reports are
 * counted once. Versions marked by the collector are few among very many, hence the partial index.
 */
export const takenPagesSchema = `
ALTER TABLE run_figures ADD COLUMN taken bigint NOT NULL DEFAULT 0;
CREATE INDEX versions_leaving ON versions (partition, id) WHERE leaving;
`

/** For crawls of the service: sums of the workers' counts, like the other columns. Null for watches. */
export const crawlCountsSchema = `
ALTER TABLE watch_progress ADD COLUMN counts jsonb
`
