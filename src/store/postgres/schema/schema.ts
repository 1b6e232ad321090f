import { archiveSchema } from './schema-archive.ts'
import { frontierSchema } from './schema-frontier.ts'
import { accountsSchema, requestCountsSchema } from './schema-people.ts'
import { pagesSchema, rolesSchema } from './schema-roles.ts'

/** A step of the schema. What was applied anywhere is never edited: a change is a new step. */
export type PostgresMigration = {
  id: number
  name: string
  sql: string /** Of `sql`. A test compares them. */
  sha256: string
}

const outboxSchema = `
CREATE TABLE outbox (
  annotation bigint NOT NULL,
  channel text COLLATE "C" NOT NULL,
  state text NOT NULL DEFAULT 'waiting',
  attempts int NOT NULL DEFAULT 0,
  next_at bigint NOT NULL,
  created_at bigint NOT NULL,
  reason text NOT NULL DEFAULT '',
  PRIMARY KEY (annotation, channel)
) WITH (fillfactor = 70);
CREATE INDEX outbox_due ON outbox (next_at) WHERE state = 'waiting';
CREATE INDEX outbox_created ON outbox (created_at)
`

const droppedLinksSchema = `
CREATE TABLE dropped_links (
  partition smallint NOT NULL,
  host text COLLATE "C" NOT NULL,
  rule text COLLATE "C" NOT NULL,
  run bigint NOT NULL,
  count bigint NOT NULL,
  examples jsonb NOT NULL,
  PRIMARY KEY (partition, host, rule)
);
CREATE INDEX dropped_links_host ON dropped_links (host, rule)
`

const failuresSchema = `
ALTER TABLE documents ADD COLUMN reason text NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN failures int NOT NULL DEFAULT 0;
UPDATE documents SET failures = 1 WHERE outcome IN ('failed', 'skipped')
`

const setAsideSchema = `
ALTER TABLE tasks ADD COLUMN attempts int NOT NULL DEFAULT 0, ADD COLUMN aside_at bigint NOT NULL DEFAULT 0,
  ADD COLUMN reason text NOT NULL DEFAULT '';
CREATE INDEX tasks_aside ON tasks (aside_at) WHERE aside_at > 0
`

/** What may have lost rules as text is asked for again: with a replacement character, cut at the limit, or undecodable. */
const robotsAsBytes = `
ALTER TABLE robots ALTER COLUMN text TYPE bytea USING convert_to(text, 'UTF8');
ALTER TABLE robots RENAME COLUMN text TO body;
DELETE FROM robots WHERE kind = 'rules'
  AND (length(body) = 0 OR position('\\xefbfbd'::bytea IN body) > 0 OR length(body) >= 524288)
`

/** In this order. The tables of the first two can be distributed by their partition. */
export const postgresMigrations: readonly PostgresMigration[] = [
  {
    id: 1,
    sha256: 'ce6762011f45b45e6be094c8eff05292bd4ee551d7dd0c3a04533a5622b494ef',
    name: 'partitions and their leases, the frontier, nodes',
    sql: frontierSchema,
  },
  {
    id: 2,
    sha256: '2204c60dfa97e267e5c78acf7c2831643c55fb52346068cd54960d79af8add27',
    name: 'documents, versions, bodies, tasks',
    sql: archiveSchema,
  },
  {
    id: 3,
    sha256: '3cbe6325812396f78ffd40c4c8afceadbb0dbcc04d4a27878b3aa9290139a61a',
    name: 'accounts, profiles, watches, annotations, inbox',
    sql: accountsSchema,
  },
  {
    id: 4,
    sha256: 'c110a00aeb17677ac78c68655f3f0234307bceb70329159361110b3a53b4b277',
    name: 'what the roles of a cluster tell each other',
    sql: rolesSchema,
  },
  {
    id: 5,
    sha256: '1f3179968942ec6d088adfc2bb308e3590ed24cf600e9059a7af8955c9d5a0a5',
    name: 'pages that nodes have taken, versions that are leaving',
    sql: pagesSchema,
  },
  {
    id: 6,
    sha256: 'c4402a85b4a3c9809df2b6149993accf4083a4d9a4928ac34549c7ed86a297e0',
    name: 'the outbox: annotations on their way to delivery channels',
    sql: outboxSchema,
  },
  {
    id: 7,
    sha256: 'ef09c6ce1a30ec339b4008785cd966fe03b6146c05f6323910699a373b28c18c',
    name: 'links that the trap limits dropped',
    sql: droppedLinksSchema,
  },
  {
    id: 8,
    sha256: '839b25c686212d3d535f599be00ad3c2351635b07c33745e4e44f08664b32138',
    name: "why documents can't be fetched, and how often in a row",
    sql: failuresSchema,
  },
  {
    id: 9,
    sha256: '9ead544ad543cb3af6fa8e2568e1ea3a7ed64d7649b0d664081abbdcb0d8f35a',
    name: 'attempts at tasks, and tasks that are set aside',
    sql: setAsideSchema,
  },
  {
    id: 10,
    sha256: 'c02497c23d36f239d796912f3a0155600e4d6d4ee4a30a7d4697270c1cc233b3',
    name: 'requests of the current minute, counted by all servers',
    sql: requestCountsSchema,
  },
  {
    id: 11,
    sha256: 'd6a33c7f40d5532b2ee1cb83ed6653a783be503ac6e6aa233d0d73a3715e0197',
    name: 'robots.txt as bytes',
    sql: robotsAsBytes,
  },
]
