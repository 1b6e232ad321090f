import type { Migration } from './database.ts'

/** The first migrations of the catalogue: documents and versions, users, annotations. */
export const firstCatalogMigrations: readonly Migration[] = [
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
    // Links have their own table: rows of versions stay short, and an unchanged list is stored once for all versions of a document.
    // Their keys come before the long text, so that it need not be read.
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
    // Counts and words are maintained by triggers, so that writers of annotations need not know about them. In the table of words
    // the owner is a word too, so that a search doesn't read other owners' entries.
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
]
