/** A new `catalog.db`: what all migrations lead to. Generated from them by `npm run schema`. */
export const newCatalogSchema = `
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
  version INTEGER NOT NULL DEFAULT 0, seen_at INTEGER NOT NULL DEFAULT 0, fresh_until INTEGER NOT NULL DEFAULT 0, not_modified INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '', failures INTEGER NOT NULL DEFAULT 0, for_all INTEGER NOT NULL DEFAULT 0,
  UNIQUE (host, fp)
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
);
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
  header TEXT NOT NULL DEFAULT '', notice TEXT, completed TEXT NOT NULL DEFAULT '',
  UNIQUE (document, n)
);
CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  naming INTEGER NOT NULL DEFAULT 0,
  keys BLOB NOT NULL DEFAULT x'',
  list TEXT NOT NULL
);
CREATE INDEX versions_shared ON versions (original) WHERE original <> id;
CREATE TABLE holds (
  version INTEGER NOT NULL,
  owner TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (version, owner)
) WITHOUT ROWID;
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
, since INTEGER NOT NULL DEFAULT 0, changed_at INTEGER NOT NULL DEFAULT 0, visits TEXT NOT NULL DEFAULT '');
CREATE TABLE urds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  profile TEXT NOT NULL,
  place INTEGER NOT NULL,
  watch INTEGER NOT NULL,
  visited_at INTEGER NOT NULL DEFAULT 0, paused INTEGER NOT NULL DEFAULT 0, muted INTEGER NOT NULL DEFAULT 0, aside TEXT NOT NULL DEFAULT '', aside_url TEXT NOT NULL DEFAULT '', selected TEXT NOT NULL DEFAULT '', selected_since INTEGER NOT NULL DEFAULT 0, selected_version INTEGER NOT NULL DEFAULT 0,
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
  made INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, aside_at INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '',
  UNIQUE (version, watch, hops)
);
CREATE TABLE also_at (
  annotation INTEGER NOT NULL,
  version INTEGER NOT NULL,
  url TEXT NOT NULL, document INTEGER NOT NULL DEFAULT 0, draft TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (annotation, version)
) WITHOUT ROWID;
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
CREATE TABLE checks (
  watch INTEGER NOT NULL,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  PRIMARY KEY (watch, at)
) WITHOUT ROWID;
CREATE INDEX tasks_aside ON tasks (aside_at) WHERE aside_at > 0;
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
);
CREATE TABLE reached (
  document INTEGER NOT NULL,
  watch INTEGER NOT NULL,
  hops INTEGER NOT NULL, known INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (document, watch)
) WITHOUT ROWID;
CREATE TABLE collection_run (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  started_at INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  versions INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  freed_bytes INTEGER NOT NULL,
  error TEXT NOT NULL
);
CREATE TABLE "annotations" (
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
  read INTEGER NOT NULL DEFAULT 0,
  starred INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  docbase TEXT NOT NULL DEFAULT '',
  entry TEXT NOT NULL DEFAULT '', changes TEXT NOT NULL DEFAULT '{"list":[],"more":0}', link TEXT NOT NULL DEFAULT '', channel TEXT NOT NULL DEFAULT '',
  UNIQUE (owner, profile, version, entry)
);
CREATE INDEX annotations_document ON annotations (document, profile);
CREATE INDEX annotations_story ON annotations (story, profile) WHERE story <> 0;
CREATE INDEX annotations_owner ON annotations (owner, id, profile, urgency, at) WHERE archived = 0;
CREATE INDEX annotations_unread ON annotations (owner, id, profile, urgency, at) WHERE archived = 0 AND read = 0;
CREATE INDEX annotations_starred ON annotations (owner, id, profile, urgency, at) WHERE starred = 1;
CREATE INDEX annotations_archived ON annotations (owner, id, profile, urgency, at) WHERE archived = 1;
CREATE INDEX annotations_profile ON annotations (profile, id, owner, read, starred, archived, urgency, at);
CREATE INDEX annotations_version ON annotations (owner, document, version);
CREATE INDEX annotations_page ON annotations (owner, document, entry, id, profile, read, starred, archived, version);
CREATE TABLE inbox_pages (
  owner TEXT NOT NULL,
  document INTEGER NOT NULL,
  entry TEXT NOT NULL,
  scope TEXT NOT NULL,
  unread INTEGER NOT NULL,
  shown INTEGER NOT NULL,
  starred INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  last_unread INTEGER NOT NULL,
  last_shown INTEGER NOT NULL,
  last_starred INTEGER NOT NULL,
  last_archived INTEGER NOT NULL,
  PRIMARY KEY (owner, document, entry, scope)
) WITHOUT ROWID;
CREATE INDEX inbox_pages_unread ON inbox_pages (owner, scope, last_unread) WHERE last_unread > 0;
CREATE INDEX inbox_pages_shown ON inbox_pages (owner, scope, last_shown) WHERE last_shown > 0;
CREATE INDEX inbox_pages_starred ON inbox_pages (owner, scope, last_starred) WHERE last_starred > 0;
CREATE INDEX inbox_pages_archived ON inbox_pages (owner, scope, last_archived) WHERE last_archived > 0;
CREATE TABLE inbox_page_counts (
  owner TEXT NOT NULL,
  scope TEXT NOT NULL,
  unread INTEGER NOT NULL,
  shown INTEGER NOT NULL,
  starred INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  PRIMARY KEY (owner, scope)
) WITHOUT ROWID;
CREATE TRIGGER inbox_pages_added AFTER INSERT ON inbox_pages BEGIN
  INSERT INTO inbox_page_counts (owner, scope, unread, shown, starred, archived)
    VALUES (new.owner, new.scope, new.unread > 0, new.shown > 0, new.starred > 0, new.archived > 0)
    ON CONFLICT DO UPDATE SET unread = unread + excluded.unread, shown = shown + excluded.shown, starred = starred + excluded.starred, archived = archived + excluded.archived;
END;
CREATE TRIGGER inbox_pages_changed AFTER UPDATE ON inbox_pages
WHEN (new.unread > 0) <> (old.unread > 0) OR (new.shown > 0) <> (old.shown > 0) OR (new.starred > 0) <> (old.starred > 0) OR (new.archived > 0) <> (old.archived > 0) BEGIN
  UPDATE inbox_page_counts SET unread = unread + (new.unread > 0) - (old.unread > 0), shown = shown + (new.shown > 0) - (old.shown > 0), starred = starred + (new.starred > 0) - (old.starred > 0), archived = archived + (new.archived > 0) - (old.archived > 0) WHERE owner = new.owner AND scope = new.scope;
END;
CREATE TRIGGER inbox_pages_removed AFTER DELETE ON inbox_pages BEGIN
  UPDATE inbox_page_counts SET unread = unread - (old.unread > 0), shown = shown - (old.shown > 0), starred = starred - (old.starred > 0), archived = archived - (old.archived > 0)
    WHERE owner = old.owner AND scope = old.scope;
END;
CREATE TRIGGER annotations_added AFTER INSERT ON annotations BEGIN
  INSERT INTO inbox_counts (owner, profile, unread, shown, starred, archived)
    VALUES (new.owner, new.profile, new.read = 0 AND new.archived = 0, new.archived = 0, new.starred, new.archived)
    ON CONFLICT DO UPDATE SET unread = unread + excluded.unread, shown = shown + excluded.shown,
      starred = starred + excluded.starred, archived = archived + excluded.archived;
  INSERT INTO inbox_words (rowid, title, text, url, owner)
    VALUES (new.id, new.title, json_extract(new.summary, '$.text'),
      coalesce((SELECT url FROM documents WHERE id = new.document), ''), 'o' || lower(hex(new.owner)));
  INSERT INTO inbox_pages (owner, document, entry, scope, unread, shown, starred, archived, last_unread, last_shown, last_starred, last_archived)
    SELECT new.owner, new.document, new.entry, s.scope, (new.read = 0 AND new.archived = 0), (new.archived = 0), (new.starred = 1), (new.archived = 1),
      CASE WHEN (new.read = 0 AND new.archived = 0) THEN new.id ELSE 0 END, CASE WHEN (new.archived = 0) THEN new.id ELSE 0 END, CASE WHEN (new.starred = 1) THEN new.id ELSE 0 END, CASE WHEN (new.archived = 1) THEN new.id ELSE 0 END
    FROM (SELECT '' AS scope UNION SELECT new.profile) s WHERE true
    ON CONFLICT DO UPDATE SET unread = unread + excluded.unread, shown = shown + excluded.shown, starred = starred + excluded.starred, archived = archived + excluded.archived,
      last_unread = max(last_unread, excluded.last_unread), last_shown = max(last_shown, excluded.last_shown), last_starred = max(last_starred, excluded.last_starred), last_archived = max(last_archived, excluded.last_archived);
END;
CREATE TRIGGER annotations_marked AFTER UPDATE OF read, starred, archived ON annotations BEGIN
  UPDATE inbox_counts SET
    unread = unread + (new.read = 0 AND new.archived = 0) - (old.read = 0 AND old.archived = 0),
    shown = shown + (new.archived = 0) - (old.archived = 0),
    starred = starred + new.starred - old.starred,
    archived = archived + new.archived - old.archived
    WHERE owner = new.owner AND profile = new.profile;
  UPDATE inbox_pages SET unread = unread + (new.read = 0 AND new.archived = 0) - (old.read = 0 AND old.archived = 0), shown = shown + (new.archived = 0) - (old.archived = 0), starred = starred + (new.starred = 1) - (old.starred = 1), archived = archived + (new.archived = 1) - (old.archived = 1),
    last_unread = CASE WHEN (new.read = 0 AND new.archived = 0) THEN max(last_unread, new.id)
      WHEN last_unread = new.id THEN coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = new.owner
      AND a.document = new.document AND a.entry = new.entry AND a.id < new.id AND (a.read = 0 AND a.archived = 0)
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0) ELSE last_unread END,
    last_shown = CASE WHEN (new.archived = 0) THEN max(last_shown, new.id)
      WHEN last_shown = new.id THEN coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = new.owner
      AND a.document = new.document AND a.entry = new.entry AND a.id < new.id AND (a.archived = 0)
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0) ELSE last_shown END,
    last_starred = CASE WHEN (new.starred = 1) THEN max(last_starred, new.id)
      WHEN last_starred = new.id THEN coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = new.owner
      AND a.document = new.document AND a.entry = new.entry AND a.id < new.id AND (a.starred = 1)
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0) ELSE last_starred END,
    last_archived = CASE WHEN (new.archived = 1) THEN max(last_archived, new.id)
      WHEN last_archived = new.id THEN coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = new.owner
      AND a.document = new.document AND a.entry = new.entry AND a.id < new.id AND (a.archived = 1)
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0) ELSE last_archived END
    WHERE owner = new.owner AND document = new.document AND entry = new.entry AND scope IN ('', new.profile);
END;
CREATE TRIGGER annotations_removed AFTER DELETE ON annotations BEGIN
  UPDATE inbox_counts SET
    unread = unread - (old.read = 0 AND old.archived = 0),
    shown = shown - (old.archived = 0),
    starred = starred - old.starred,
    archived = archived - old.archived
    WHERE owner = old.owner AND profile = old.profile;
  DELETE FROM inbox_words WHERE rowid = old.id;
  UPDATE inbox_pages SET unread = unread - (old.read = 0 AND old.archived = 0), shown = shown - (old.archived = 0), starred = starred - (old.starred = 1), archived = archived - (old.archived = 1),
    last_unread = CASE WHEN last_unread = old.id THEN coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = old.owner
      AND a.document = old.document AND a.entry = old.entry AND a.id < old.id AND (a.read = 0 AND a.archived = 0)
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0) ELSE last_unread END,
    last_shown = CASE WHEN last_shown = old.id THEN coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = old.owner
      AND a.document = old.document AND a.entry = old.entry AND a.id < old.id AND (a.archived = 0)
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0) ELSE last_shown END,
    last_starred = CASE WHEN last_starred = old.id THEN coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = old.owner
      AND a.document = old.document AND a.entry = old.entry AND a.id < old.id AND (a.starred = 1)
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0) ELSE last_starred END,
    last_archived = CASE WHEN last_archived = old.id THEN coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = old.owner
      AND a.document = old.document AND a.entry = old.entry AND a.id < old.id AND (a.archived = 1)
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0) ELSE last_archived END
    WHERE owner = old.owner AND document = old.document AND entry = old.entry AND scope IN ('', old.profile);
  DELETE FROM inbox_pages WHERE owner = old.owner AND document = old.document AND entry = old.entry AND scope IN ('', old.profile) AND shown = 0 AND archived = 0;
END;
CREATE TABLE prices (
  document INTEGER NOT NULL,
  part TEXT NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  amount REAL,
  currency TEXT NOT NULL,
  availability TEXT NOT NULL,
  PRIMARY KEY (document, part, version)
) WITHOUT ROWID;
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
CREATE INDEX unmuted_owner ON unmuted (owner);
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
, next_at INTEGER, lease_until INTEGER NOT NULL DEFAULT 0, lease_epoch INTEGER NOT NULL DEFAULT 0);
CREATE INDEX channels_owner ON channels (owner, created_at);
CREATE TABLE "outbox" (
  annotation INTEGER NOT NULL,
  channel TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  message TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (annotation, channel)
) WITHOUT ROWID;
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
CREATE INDEX channels_next ON channels (next_at, id) WHERE next_at IS NOT NULL AND state <> 'off';
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
CREATE INDEX credentials_owner ON credentials (owner, name);
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
) WITHOUT ROWID;
CREATE TABLE host_owners (host TEXT PRIMARY KEY, shard INTEGER NOT NULL) WITHOUT ROWID;
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
);
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
CREATE INDEX story_splits_at ON story_splits (owner, at)`
