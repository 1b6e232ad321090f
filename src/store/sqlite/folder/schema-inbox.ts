type State = { column: string; holds: (row: string) => string }

const states: readonly State[] = [
  { column: 'unread', holds: (row) => `(${row}.read = 0 AND ${row}.archived = 0)` },
  { column: 'shown', holds: (row) => `(${row}.archived = 0)` },
  { column: 'starred', holds: (row) => `(${row}.starred = 1)` },
  { column: 'archived', holds: (row) => `(${row}.archived = 1)` },
]

const each = (write: (state: State) => string, between = ', '): string => states.map(write).join(between)
const numbers = each(({ column }) => column)
const newest = each(({ column }) => `last_${column}`)

const pageOf = (row: string): string =>
  `owner = ${row}.owner AND document = ${row}.document AND entry = ${row}.entry AND scope IN ('', ${row}.profile)`

/** The newest annotation of the page that is older than this row, for rows that leave a state. */
const olderThan = (row: string, holds: (row: string) => string): string =>
  `coalesce((SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE a.owner = ${row}.owner
      AND a.document = ${row}.document AND a.entry = ${row}.entry AND a.id < ${row}.id AND ${holds('a')}
      AND (scope = '' OR a.profile = scope) ORDER BY a.id DESC LIMIT 1), 0)`

const pagesOf = (scope: string): string => `
  SELECT owner, document, entry, ${scope}, ${each(({ holds }) => `sum(${holds('a')})`)},
    ${each(({ holds }) => `max(CASE WHEN ${holds('a')} THEN id ELSE 0 END)`)}
  FROM annotations a ${scope === "''" ? '' : "WHERE profile <> '' "}GROUP BY owner, document, entry${scope === "''" ? '' : ', profile'}`

/**
 * A feed has an annotation for each of its entries, so the entry becomes part of the key, and the table is recreated.
 *
 * `inbox_pages` aggregates the annotations of one page or feed entry: the number in each state, and the newest of them (0: none). Its
 * scope is a profile, or empty for all of the owner's profiles. `inbox_page_counts` has the number of pages in each state. Both are
 * maintained by triggers.
 */
export const pagesSchema = `
CREATE TABLE annotations_made_anew (
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
  entry TEXT NOT NULL DEFAULT '',
  UNIQUE (owner, profile, version, entry)
);
INSERT INTO annotations_made_anew (id, owner, profile, document, version, kind, at, relevance, urgency, expires_at, backlog,
    title, format, extension, size, summary, explanation, story, read, starred, archived, docbase)
  SELECT id, owner, profile, document, version, kind, at, relevance, urgency, expires_at, backlog,
    title, format, extension, size, summary, explanation, story, read, starred, archived, docbase FROM annotations;
DELETE FROM sqlite_sequence WHERE name = 'annotations_made_anew';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'annotations_made_anew', seq FROM sqlite_sequence WHERE name = 'annotations';
DROP TABLE annotations;
ALTER TABLE annotations_made_anew RENAME TO annotations;
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
  ${each(({ column }) => `${column} INTEGER NOT NULL`, ',\n  ')},
  ${each(({ column }) => `last_${column} INTEGER NOT NULL`, ',\n  ')},
  PRIMARY KEY (owner, document, entry, scope)
) WITHOUT ROWID;
INSERT INTO inbox_pages ${pagesOf("''")};
INSERT INTO inbox_pages ${pagesOf('profile')};
${each(
  ({ column }) =>
    `CREATE INDEX inbox_pages_${column} ON inbox_pages (owner, scope, last_${column}) WHERE last_${column} > 0;`,
  '\n',
)}
CREATE TABLE inbox_page_counts (
  owner TEXT NOT NULL,
  scope TEXT NOT NULL,
  ${each(({ column }) => `${column} INTEGER NOT NULL`, ',\n  ')},
  PRIMARY KEY (owner, scope)
) WITHOUT ROWID;
INSERT INTO inbox_page_counts
  SELECT owner, scope, ${each(({ column }) => `sum(${column} > 0)`)} FROM inbox_pages GROUP BY owner, scope;
CREATE TRIGGER inbox_pages_added AFTER INSERT ON inbox_pages BEGIN
  INSERT INTO inbox_page_counts (owner, scope, ${numbers})
    VALUES (new.owner, new.scope, ${each(({ column }) => `new.${column} > 0`)})
    ON CONFLICT DO UPDATE SET ${each(({ column }) => `${column} = ${column} + excluded.${column}`)};
END;
CREATE TRIGGER inbox_pages_changed AFTER UPDATE ON inbox_pages
WHEN ${each(({ column }) => `(new.${column} > 0) <> (old.${column} > 0)`, ' OR ')} BEGIN
  UPDATE inbox_page_counts SET ${each(
    ({ column }) => `${column} = ${column} + (new.${column} > 0) - (old.${column} > 0)`,
  )} WHERE owner = new.owner AND scope = new.scope;
END;
CREATE TRIGGER inbox_pages_removed AFTER DELETE ON inbox_pages BEGIN
  UPDATE inbox_page_counts SET ${each(({ column }) => `${column} = ${column} - (old.${column} > 0)`)}
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
  INSERT INTO inbox_pages (owner, document, entry, scope, ${numbers}, ${newest})
    SELECT new.owner, new.document, new.entry, s.scope, ${each(({ holds }) => holds('new'))},
      ${each(({ holds }) => `CASE WHEN ${holds('new')} THEN new.id ELSE 0 END`)}
    FROM (SELECT '' AS scope UNION SELECT new.profile) s WHERE true
    ON CONFLICT DO UPDATE SET ${each(({ column }) => `${column} = ${column} + excluded.${column}`)},
      ${each(({ column }) => `last_${column} = max(last_${column}, excluded.last_${column})`)};
END;
CREATE TRIGGER annotations_marked AFTER UPDATE OF read, starred, archived ON annotations BEGIN
  UPDATE inbox_counts SET
    unread = unread + (new.read = 0 AND new.archived = 0) - (old.read = 0 AND old.archived = 0),
    shown = shown + (new.archived = 0) - (old.archived = 0),
    starred = starred + new.starred - old.starred,
    archived = archived + new.archived - old.archived
    WHERE owner = new.owner AND profile = new.profile;
  UPDATE inbox_pages SET ${each(({ column, holds }) => `${column} = ${column} + ${holds('new')} - ${holds('old')}`)},
    ${each(
      ({ column, holds }) => `last_${column} = CASE WHEN ${holds('new')} THEN max(last_${column}, new.id)
      WHEN last_${column} = new.id THEN ${olderThan('new', holds)} ELSE last_${column} END`,
      ',\n    ',
    )}
    WHERE ${pageOf('new')};
END;
CREATE TRIGGER annotations_removed AFTER DELETE ON annotations BEGIN
  UPDATE inbox_counts SET
    unread = unread - (old.read = 0 AND old.archived = 0),
    shown = shown - (old.archived = 0),
    starred = starred - old.starred,
    archived = archived - old.archived
    WHERE owner = old.owner AND profile = old.profile;
  DELETE FROM inbox_words WHERE rowid = old.id;
  UPDATE inbox_pages SET ${each(({ column, holds }) => `${column} = ${column} - ${holds('old')}`)},
    ${each(
      ({ column, holds }) =>
        `last_${column} = CASE WHEN last_${column} = old.id THEN ${olderThan('old', holds)} ELSE last_${column} END`,
      ',\n    ',
    )}
    WHERE ${pageOf('old')};
  DELETE FROM inbox_pages WHERE ${pageOf('old')} AND shown = 0 AND archived = 0;
END`
