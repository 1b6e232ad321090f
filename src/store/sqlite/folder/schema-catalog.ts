import type { Migration } from './database.ts'
import { firstCatalogMigrations } from './schema-catalog-first.ts'
import { pagesSchema } from './schema-inbox.ts'
import { catalogNoiseSchema } from './schema-noise.ts'

/** `catalog.db`: runs, documents, versions, bodies, archive files. */
export const catalogMigrations: readonly Migration[] = [
  ...firstCatalogMigrations,
  {
    id: 5,
    sha256: '742016c33cb213f24e7810c5ee71cb1b46ce1967a7180b8e7821d4e69df548e7',
    name: 'the outbox: annotations on their way to delivery channels',
    sql: `
CREATE TABLE outbox (
  annotation INTEGER NOT NULL,
  channel TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (annotation, channel)
) WITHOUT ROWID;
CREATE INDEX outbox_due ON outbox (next_at) WHERE state = 'waiting';
CREATE INDEX outbox_created ON outbox (created_at)`,
  },
  {
    id: 6,
    sha256: '1449cc4574b73c0fa5b795f9d1ced1b8828ced23b801a0ae5b52e3141c28c547',
    name: "why documents can't be fetched, and how often in a row",
    sql: `
ALTER TABLE documents ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET failures = 1 WHERE outcome IN ('failed', 'skipped')`,
  },
  {
    id: 7,
    sha256: 'b018ca3efa038548a3cd71823d7980fbe9a5ca9f8b54fb6159314761f00e0afc',
    name: 'attempts at tasks, and tasks that are set aside',
    sql: `
ALTER TABLE tasks ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN aside_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN reason TEXT NOT NULL DEFAULT '';
CREATE INDEX tasks_aside ON tasks (aside_at) WHERE aside_at > 0`,
  },
  {
    id: 8,
    sha256: '4246f83b75fe2766dcefc8396c55e97758e7242def8b27a802741132e288c30b',
    // A data folder is crawled or watched, never both at once: documents first or last requested during a crawl were crawled.
    name: 'documents that were crawled for all; crawls in the service',
    sql: `
ALTER TABLE documents ADD COLUMN for_all INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET for_all = 1 WHERE NOT EXISTS (SELECT 1 FROM watches) OR EXISTS (SELECT 1 FROM runs r
  WHERE r.finished_at IS NOT NULL AND (documents.first_at BETWEEN r.started_at AND r.finished_at
    OR documents.checked_at BETWEEN r.started_at AND r.finished_at));
UPDATE versions SET wanted = 1 WHERE wanted = 0 AND document IN (SELECT id FROM documents WHERE for_all = 1);
CREATE TABLE crawls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  asked_by TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  request TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  stop_asked INTEGER NOT NULL DEFAULT 0,
  started_at INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER NOT NULL DEFAULT 0,
  queued INTEGER NOT NULL DEFAULT 0,
  counts TEXT NOT NULL DEFAULT '{}',
  reason TEXT NOT NULL DEFAULT ''
)`,
  },
  {
    id: 9,
    sha256: 'f5f2ea4ffb75874ecc40e478a5b38cd01bb0489416c0dcaa67b93d7a6ed8881a',
    name: 'annotations from other systems',
    sql: `
ALTER TABLE annotations ADD COLUMN docbase TEXT NOT NULL DEFAULT ''`,
  },
  {
    id: 10,
    sha256: '03ff2d976bfa2222d0322078805fe1fedabcca9d9aec3aeb4c16f120cc59396b',
    name: 'documents that the checks of each watch have reached',
    sql: `
CREATE TABLE reached (
  document INTEGER NOT NULL,
  watch INTEGER NOT NULL,
  hops INTEGER NOT NULL,
  PRIMARY KEY (document, watch)
) WITHOUT ROWID`,
  },
  {
    id: 11,
    sha256: 'dbb7aeddf101c5b9889aa353b6934a74d6b300eaf436773c845d1712ab4d4d5e',
    name: 'the last garbage collection',
    sql: `
CREATE TABLE collection_run (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  started_at INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  versions INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  freed_bytes INTEGER NOT NULL,
  error TEXT NOT NULL
)`,
  },
  {
    id: 12,
    sha256: '11b77fbdb2d7117accae1b1ea07a78e05b0476a1685125d66d87f825dcf4e7c0',
    name: 'sources with expressions that take too much work',
    sql: `
ALTER TABLE urds ADD COLUMN aside TEXT NOT NULL DEFAULT '';
ALTER TABLE urds ADD COLUMN aside_url TEXT NOT NULL DEFAULT ''`,
  },
  {
    id: 13,
    sha256: 'c6ca9c4843af32b120cec8539fcb79fa3842a7488a3cb6977c495c99bd4d08f6',
    name: 'annotations of feed entries; the pages of the inbox',
    sql: pagesSchema,
  },
  {
    id: 14,
    sha256: '5da1dc7494fa9b4a492838eb7d1a9cdf4e07a0552689c2356406a729b3bdaf40',
    name: 'prices that versions show',
    sql: `
CREATE TABLE prices (
  document INTEGER NOT NULL,
  part TEXT NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  amount REAL,
  currency TEXT NOT NULL,
  availability TEXT NOT NULL,
  PRIMARY KEY (document, part, version)
) WITHOUT ROWID`,
  },
  {
    id: 15,
    sha256: '55f62fab8340a36b2fb0b4d86709b432e3f71f10ec23482c5073d7b48add85ad',
    name: 'whose first visit a check is',
    sql: `
ALTER TABLE watches ADD COLUMN visits TEXT NOT NULL DEFAULT ''`,
  },
  {
    id: 16,
    sha256: '22ed7f4fd11f270dfb39121f7476c5745a390516cad21809ca3528e377622520',
    name: 'noise of documents, mutings that were undone, and which versions notified',
    sql: catalogNoiseSchema,
  },
  {
    id: 17,
    sha256: '3f45a02e953c1d9a526581bd6e3dcfb04ae8c7c273c8bedecc1b1d178813c9e4',
    name: 'what changed, with each annotation',
    sql: `
ALTER TABLE annotations ADD COLUMN changes TEXT NOT NULL DEFAULT '{"list":[],"more":0}';
ALTER TABLE annotations ADD COLUMN link TEXT NOT NULL DEFAULT '';
ALTER TABLE annotations ADD COLUMN channel TEXT NOT NULL DEFAULT ''`,
  },
  {
    id: 18,
    sha256: 'e0a80fdd547f0b2420f1a1798f3ddfa3543e90165bbda56f6ca386a01a7b253e',
    name: 'whether the selectors of sources match something',
    sql: `
ALTER TABLE urds ADD COLUMN selected TEXT NOT NULL DEFAULT '';
ALTER TABLE urds ADD COLUMN selected_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urds ADD COLUMN selected_version INTEGER NOT NULL DEFAULT 0`,
  },
  {
    id: 19,
    sha256: '1aa6d36b1442b24943e210b626c3eed40f7f2ca1dd5b3933f66f01d8f99dc6f4',
    name: 'delivery channels',
    sql: `
CREATE TABLE channels (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  failures INTEGER NOT NULL,
  retry_at INTEGER NOT NULL,
  sent_at INTEGER NOT NULL
);
CREATE INDEX channels_owner ON channels (owner, created_at)`,
  },
  {
    id: 20,
    sha256: '05c73325729c13163fc4394fd028a873bcab6e49d8960c891b12267a4393db12',
    name: 'what a watch was last told of a document',
    sql: `
ALTER TABLE reached ADD COLUMN known INTEGER NOT NULL DEFAULT 0`,
  },
  {
    id: 21,
    sha256: '92b5009ec6f79148b41f66a89cfe47890b8f6084c2a7b09011548f476de2fa56',
    // Entries waiting in the outbox have no due time yet. Nothing was ever sent.
    name: 'deliveries: entries with their time, messages, leased channels',
    sql: `
CREATE TABLE entries (
  annotation INTEGER NOT NULL,
  channel TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  message TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (annotation, channel)
) WITHOUT ROWID;
INSERT INTO entries (annotation, channel, created_at) SELECT annotation, channel, created_at FROM outbox WHERE state = 'waiting';
DROP TABLE outbox;
ALTER TABLE entries RENAME TO outbox;
CREATE INDEX outbox_unplanned ON outbox (annotation, channel) WHERE due_at IS NULL;
CREATE INDEX outbox_waiting ON outbox (channel, annotation, due_at) WHERE due_at IS NOT NULL AND message = '';
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  channel TEXT NOT NULL,
  owner TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  subject TEXT NOT NULL,
  annotations TEXT NOT NULL,
  profiles TEXT NOT NULL,
  left_out INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  at INTEGER NOT NULL,
  answer TEXT NOT NULL
);
CREATE INDEX messages_owner ON messages (owner, created_at, id);
CREATE INDEX messages_unsent ON messages (owner, state, created_at, id) WHERE state <> 'sent';
CREATE INDEX messages_channel ON messages (channel, created_at, id);
CREATE INDEX messages_sent ON messages (channel, at) WHERE state = 'sent';
CREATE INDEX messages_created ON messages (created_at);
ALTER TABLE channels ADD COLUMN next_at INTEGER;
ALTER TABLE channels ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE channels ADD COLUMN lease_epoch INTEGER NOT NULL DEFAULT 0;
CREATE INDEX channels_next ON channels (next_at, id) WHERE next_at IS NOT NULL AND state <> 'off'`,
  },
  {
    id: 22,
    sha256: '9cebeb4e79e6aa128629f9c0dafa5725085c2e3661932d8adbaf3981ac08ec1a',
    name: 'credentials for sources',
    sql: `
CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  hint TEXT NOT NULL,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  failed_since INTEGER NOT NULL,
  failure TEXT NOT NULL,
  failures INTEGER NOT NULL,
  retry_at INTEGER NOT NULL
);
CREATE INDEX credentials_owner ON credentials (owner, name)`,
  },
  {
    id: 23,
    sha256: '8719d88b5d9fd1c1dd377bcb44bc0e58b700d60fbe4ad799c231befc9ff03273',
    name: 'parts of versions that came from tables',
    sql: `
ALTER TABLE versions ADD COLUMN completed TEXT NOT NULL DEFAULT ''`,
  },
  {
    id: 24,
    sha256: 'ae87219cd4c0d285a1b9d7523faaef5c5d5257ac5a794e15c48e7f3412beb6dd',
    name: 'random walks',
    sql: `
CREATE TABLE walk_pages (
  run INTEGER NOT NULL,
  n INTEGER NOT NULL,
  seed INTEGER,
  host TEXT NOT NULL,
  fp INTEGER NOT NULL,
  url TEXT NOT NULL,
  visits INTEGER NOT NULL,
  PRIMARY KEY (run, n),
  UNIQUE (run, host, fp)
) WITHOUT ROWID;
CREATE UNIQUE INDEX walk_pages_seeds ON walk_pages (run, seed) WHERE seed IS NOT NULL;
CREATE TABLE walkers (
  run INTEGER NOT NULL,
  walker INTEGER NOT NULL,
  step INTEGER NOT NULL,
  host TEXT NOT NULL,
  fp INTEGER NOT NULL,
  url TEXT NOT NULL,
  restarts INTEGER NOT NULL,
  dead_ends INTEGER NOT NULL,
  PRIMARY KEY (run, walker)
) WITHOUT ROWID`,
  },
  {
    id: 25,
    sha256: 'b640175f20e827a7cfd4beabc01774f8a1c0082be177bcba1e7aef67ed95074c',
    name: 'hosts that are given to shards one by one',
    sql: `
CREATE TABLE host_owners (host TEXT PRIMARY KEY, shard INTEGER NOT NULL) WITHOUT ROWID`,
  },
  {
    id: 26,
    sha256: '2b984dd1e094524d3635fa1f02b401cc3d4e35e11be8f4f1d430d0db9f96a7a6',
    name: 'what modules of the crawl were handed, and their checkpoints',
    sql: `
CREATE TABLE module_pages (
  run INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  answer TEXT NOT NULL,
  body BLOB,
  PRIMARY KEY (run, seq)
);
CREATE TABLE module_checkpoints (
  run INTEGER NOT NULL,
  module TEXT NOT NULL,
  seq INTEGER NOT NULL,
  report TEXT NOT NULL,
  state BLOB,
  PRIMARY KEY (run, module)
)`,
  },
  {
    // The partition of a host used to be that of its domain: see `keepOwners`, which completes this migration.
    id: 27,
    sha256: 'f0c58579a6ac252fcd0beb1bdfe34c81d7301db3a610bd708bb85173794afe94',
    name: 'partitions by host name',
    sql: `
INSERT INTO facts (name, value) SELECT 'domain partitions', 1 WHERE EXISTS (SELECT 1 FROM partitions)`,
  },
  {
    id: 28,
    sha256: 'aac64220de0b1f8a4443431f21fc33cf9bc892c92ef37b5f07542f0aeb2ffc6b',
    // The existing hashes of texts can't be converted to sketches: they are dropped, and the stories they began stay unchanged.
    name: 'stories by sketches of their texts, and pages that were split from each other',
    sql: `
DROP TABLE stories;
CREATE TABLE stories (
  n INTEGER PRIMARY KEY,
  version INTEGER NOT NULL UNIQUE,
  document INTEGER NOT NULL,
  host TEXT NOT NULL,
  at INTEGER NOT NULL,
  story INTEGER NOT NULL,
  bands TEXT NOT NULL,
  sketch BLOB NOT NULL
);
CREATE INDEX stories_host ON stories (host, n);
CREATE TABLE story_bands (
  band INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (band, version)
) WITHOUT ROWID;
CREATE TABLE story_splits (
  owner TEXT NOT NULL,
  document INTEGER NOT NULL,
  other INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner, document, other)
) WITHOUT ROWID;
CREATE INDEX story_splits_at ON story_splits (owner, at);
ALTER TABLE also_at ADD COLUMN document INTEGER NOT NULL DEFAULT 0;
ALTER TABLE also_at ADD COLUMN draft TEXT NOT NULL DEFAULT ''`,
  },
]
