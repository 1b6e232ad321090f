import type { Migration } from './database.ts'
import { pagesSchema } from './schema-inbox.ts'

/** `catalog.db`: runs, documents, versions, bodies, archive files. */
export const catalogMigrations: readonly Migration[] = [
  {
    id: 1,
    sha256: '4787eec560a4e288843ac959d4415147ee74ad38e67eedd635a1fadb17c20e95',
    name: 'runs, documents, versions, bodies, files',
    sql: `
CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE partitions (partition INTEGER PRIMARY KEY, shard INTEGER NOT NULL);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  started_at INTEGER NOT NULL,
  finished_at INTEGER
);
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  fp INTEGER NOT NULL,
  url TEXT NOT NULL,
  parent TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  checked_at INTEGER NOT NULL,
  run INTEGER NOT NULL,
  status INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  location TEXT NOT NULL DEFAULT '',
  version INTEGER NOT NULL DEFAULT 0,
  UNIQUE (host, fp)
);
CREATE TABLE versions (
  id INTEGER PRIMARY KEY,
  document INTEGER NOT NULL,
  n INTEGER NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  type TEXT NOT NULL,
  size INTEGER NOT NULL,
  digest BLOB NOT NULL,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  truncated TEXT NOT NULL,
  title TEXT NOT NULL,
  address TEXT NOT NULL,
  original INTEGER NOT NULL,
  file INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  links TEXT NOT NULL,
  UNIQUE (document, n)
);
CREATE TABLE bodies (digest BLOB PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL,
  name TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  length INTEGER NOT NULL,
  first_version INTEGER NOT NULL DEFAULT 0,
  last_version INTEGER NOT NULL DEFAULT 0
)`,
  },
  {
    id: 2,
    sha256: 'ae521fee62099567bdfa8650477eeb74255f589f8b3490bfc47b476fa0e7e727',
    // Links lie apart: rows of versions are then short, and an unchanged list is kept once for all versions of a document.
    // Their keys come before the long text, which then need not be read.
    name: 'text fingerprints, times and reasons of versions, links apart, holds',
    sql: `
ALTER TABLE documents ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN fresh_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN not_modified INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET seen_at = checked_at WHERE version > 0;
ALTER TABLE versions RENAME TO versions_1;
CREATE TABLE versions (
  id INTEGER PRIMARY KEY,
  document INTEGER NOT NULL,
  n INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  type TEXT NOT NULL,
  size INTEGER NOT NULL,
  digest BLOB NOT NULL,
  text BLOB,
  text_rules INTEGER NOT NULL DEFAULT 0,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  truncated TEXT NOT NULL,
  title TEXT NOT NULL,
  address TEXT NOT NULL,
  location TEXT NOT NULL DEFAULT '',
  body TEXT NOT NULL DEFAULT 'kept',
  wanted INTEGER NOT NULL DEFAULT 1,
  original INTEGER NOT NULL,
  file INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  links INTEGER NOT NULL,
  header TEXT NOT NULL DEFAULT '',
  UNIQUE (document, n)
);
CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  naming INTEGER NOT NULL DEFAULT 0,
  keys BLOB NOT NULL DEFAULT x'',
  list TEXT NOT NULL
);
INSERT INTO links (id, list) SELECT id, links FROM versions_1 WHERE links <> '';
INSERT INTO versions (id, document, n, reason, at, seen_at, status, type, size, digest, etag, last_modified, truncated,
    title, address, original, file, offset, length, links)
  SELECT id, document, n, iif(n = 1, 'new', 'changed'), at, at, status, type, size, digest, etag, last_modified, truncated,
    title, address, original, file, offset, length, iif(links = '', 0, id) FROM versions_1;
DROP TABLE versions_1;
CREATE INDEX versions_shared ON versions (original) WHERE original <> id;
CREATE TABLE holds (
  version INTEGER NOT NULL,
  owner TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (version, owner)
) WITHOUT ROWID`,
  },
  {
    id: 3,
    sha256: '1aa0c89974dbb3dcabe879ba3aedf26cab8b26e087fadcf40c350c911ff3f9ba',
    name: 'profiles, watches, the queue of the annotation engine, annotations',
    sql: `
CREATE TABLE profiles (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  revision INTEGER NOT NULL,
  body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX profiles_owner ON profiles (owner);
CREATE TABLE watches (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  uri TEXT NOT NULL,
  landed TEXT NOT NULL DEFAULT '',
  round INTEGER NOT NULL DEFAULT 0,
  mark INTEGER NOT NULL DEFAULT 0,
  finished_mark INTEGER NOT NULL DEFAULT 0,
  checked_at INTEGER NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL DEFAULT '',
  status INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT ''
);
CREATE TABLE urds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  profile TEXT NOT NULL,
  place INTEGER NOT NULL,
  watch INTEGER NOT NULL,
  visited_at INTEGER NOT NULL DEFAULT 0,
  UNIQUE (profile, place)
);
CREATE INDEX urds_watch ON urds (watch);
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  version INTEGER NOT NULL,
  watch INTEGER NOT NULL,
  hops INTEGER NOT NULL,
  round INTEGER NOT NULL,
  first INTEGER NOT NULL,
  made INTEGER NOT NULL,
  UNIQUE (version, watch, hops)
);
CREATE TABLE annotations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner TEXT NOT NULL,
  profile TEXT NOT NULL,
  document INTEGER NOT NULL,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  relevance REAL NOT NULL,
  urgency INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  backlog INTEGER NOT NULL,
  title TEXT NOT NULL,
  format TEXT NOT NULL,
  extension TEXT NOT NULL,
  size INTEGER NOT NULL,
  summary TEXT NOT NULL,
  explanation TEXT NOT NULL,
  story INTEGER NOT NULL DEFAULT 0,
  UNIQUE (owner, profile, version)
);
CREATE INDEX annotations_document ON annotations (document, profile);
CREATE INDEX annotations_story ON annotations (story, profile) WHERE story <> 0;
CREATE TABLE also_at (
  annotation INTEGER NOT NULL,
  version INTEGER NOT NULL,
  url TEXT NOT NULL,
  PRIMARY KEY (annotation, version)
) WITHOUT ROWID;
CREATE TABLE stories (
  version INTEGER PRIMARY KEY,
  hash INTEGER NOT NULL,
  story INTEGER NOT NULL
)`,
  },
  {
    id: 4,
    sha256: '90fe6fdac2c744f0801d5de3aad039b25d0b5eaa0309b20f3a8a95961d3e76a1',
    // Counts and words are kept by triggers, so that writers of annotations need not know of them. In the table of words the
    // owner is a word too, so that a search doesn't go through other owners' entries.
    name: 'accounts, sessions, tokens; marks, counts and words of the inbox; checks of watches',
    sql: `
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  email TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  level TEXT NOT NULL,
  password TEXT NOT NULL,
  disabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  settings TEXT NOT NULL
);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,
  account INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  agent TEXT NOT NULL,
  address TEXT NOT NULL
);
CREATE INDEX sessions_account ON sessions (account);
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,
  account INTEGER NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER NOT NULL
);
CREATE INDEX tokens_account ON tokens (account);
CREATE TABLE failures (key TEXT PRIMARY KEY, count INTEGER NOT NULL, last_at INTEGER NOT NULL) WITHOUT ROWID;

ALTER TABLE annotations ADD COLUMN read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE annotations ADD COLUMN starred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE annotations ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
CREATE INDEX annotations_owner ON annotations (owner, id, profile, urgency, at) WHERE archived = 0;
CREATE INDEX annotations_unread ON annotations (owner, id, profile, urgency, at) WHERE archived = 0 AND read = 0;
CREATE INDEX annotations_starred ON annotations (owner, id, profile, urgency, at) WHERE starred = 1;
CREATE INDEX annotations_archived ON annotations (owner, id, profile, urgency, at) WHERE archived = 1;
CREATE INDEX annotations_profile ON annotations (profile, id, owner, read, starred, archived, urgency, at);
CREATE INDEX annotations_version ON annotations (owner, document, version);
CREATE TABLE inbox_counts (
  owner TEXT NOT NULL,
  profile TEXT NOT NULL,
  unread INTEGER NOT NULL,
  shown INTEGER NOT NULL,
  starred INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  PRIMARY KEY (owner, profile)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE inbox_words USING fts5 (title, text, url, owner, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
INSERT INTO inbox_counts (owner, profile, unread, shown, starred, archived)
  SELECT owner, profile, count(*), count(*), 0, 0 FROM annotations GROUP BY owner, profile;
INSERT INTO inbox_words (rowid, title, text, url, owner)
  SELECT a.id, a.title, json_extract(a.summary, '$.text'), d.url, 'o' || lower(hex(a.owner))
  FROM annotations a JOIN documents d ON d.id = a.document;
CREATE TRIGGER annotations_added AFTER INSERT ON annotations BEGIN
  INSERT INTO inbox_counts (owner, profile, unread, shown, starred, archived)
    VALUES (new.owner, new.profile, new.read = 0 AND new.archived = 0, new.archived = 0, new.starred, new.archived)
    ON CONFLICT DO UPDATE SET unread = unread + excluded.unread, shown = shown + excluded.shown,
      starred = starred + excluded.starred, archived = archived + excluded.archived;
  INSERT INTO inbox_words (rowid, title, text, url, owner)
    VALUES (new.id, new.title, json_extract(new.summary, '$.text'),
      coalesce((SELECT url FROM documents WHERE id = new.document), ''), 'o' || lower(hex(new.owner)));
END;
CREATE TRIGGER annotations_marked AFTER UPDATE OF read, starred, archived ON annotations BEGIN
  UPDATE inbox_counts SET
    unread = unread + (new.read = 0 AND new.archived = 0) - (old.read = 0 AND old.archived = 0),
    shown = shown + (new.archived = 0) - (old.archived = 0),
    starred = starred + new.starred - old.starred,
    archived = archived + new.archived - old.archived
    WHERE owner = new.owner AND profile = new.profile;
END;
CREATE TRIGGER annotations_removed AFTER DELETE ON annotations BEGIN
  UPDATE inbox_counts SET
    unread = unread - (old.read = 0 AND old.archived = 0),
    shown = shown - (old.archived = 0),
    starred = starred - old.starred,
    archived = archived - old.archived
    WHERE owner = old.owner AND profile = old.profile;
  DELETE FROM inbox_words WHERE rowid = old.id;
END;

ALTER TABLE urds ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urds ADD COLUMN muted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE watches ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE watches ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
CREATE TABLE checks (
  watch INTEGER NOT NULL,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  PRIMARY KEY (watch, at)
) WITHOUT ROWID`,
  },
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
    // A data folder is crawled or watched, never both at a time: what was first or last asked for while a crawl was running was crawled.
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
    sql: `
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
CREATE INDEX unmuted_owner ON unmuted (owner)`,
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
]
