/**
 * What the roles of a cluster tell each other.
 *
 * Only the leader of the scheduler writes `reaches`, so their versions grow in the order of the commits. `asked` are checks that somebody
 * wants now, told by whichever server was asked to whoever leads. A run has its settings with it, for workers that help.
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

ALTER TABLE runs ADD COLUMN settings jsonb;
ALTER TABLE runs ADD COLUMN max_pages bigint;
ALTER TABLE runs ADD COLUMN taken bigint NOT NULL DEFAULT 0;

CREATE TABLE run_figures (
  run bigint NOT NULL,
  node text NOT NULL,
  figures jsonb NOT NULL,
  final boolean NOT NULL,
  PRIMARY KEY (run, node)
) WITH (fillfactor = 50);
`
