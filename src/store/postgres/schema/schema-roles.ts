/**
 * What the roles of a cluster tell each other.
 *
 * Only the leader of the scheduler writes `reaches`, so their versions grow in the order of the commits. `asked` are checks that somebody
 * wants now, told by whichever server was asked to whoever leads. What the leader has read of the news of a check is
 * summed up in `watch_progress` until the check is noted as over, so that the next leader knows what this one knew. A run has its settings with it, for workers that help; their revision
 * grows with each change. `taken` of its `max_pages` are with nodes, which show in `pages` how many of them they have left. A node
 * that is `seeding` keeps the run from being finished.
 *
 * Stories are found by bands of their hash: where three bits at most differ, one of four bands is equal.
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
 * `taken` of a node's figures is how many pages of the run it has taken altogether, less those it gave back: what is said twice is
 * counted once. Versions that the collector has marked are few among very many, and are looked for by their mark.
 */
export const takenPagesSchema = `
ALTER TABLE run_figures ADD COLUMN taken bigint NOT NULL DEFAULT 0;
CREATE INDEX versions_leaving ON versions (partition, id) WHERE leaving;
`

/** Of crawls of the service: what workers counted, summed up as the rest is. Null for watches. */
export const crawlCountsSchema = `
ALTER TABLE watch_progress ADD COLUMN counts jsonb
`
