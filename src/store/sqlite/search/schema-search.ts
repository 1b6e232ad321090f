import type { Migration } from '../folder/migration.ts'

/**
 * Marks that are part of a letter belong to its word (vowels of Hindi and Thai); accents are taken off. Whoever changes
 * this makes every index unreadable that was made before: it needs a migration that empties them.
 */
export const tokenizer = `unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''`

/** `search.db`: the words of all versions, without their texts. `entries` has a row for each row of `words`, under the same number. */
export const searchMigrations: readonly Migration[] = [
  {
    id: 1,
    name: 'words of versions, entries, facts',
    sql: `
CREATE VIRTUAL TABLE words USING fts5(title, body, site, content='', contentless_delete=1, tokenize='${tokenizer}');
CREATE TABLE entries (
  version INTEGER PRIMARY KEY,
  document INTEGER NOT NULL,
  host TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO facts (name, value) VALUES ('watermark', 0), ('versions', 0), ('textless', 0), ('bodiless', 0), ('damaged', 0)`,
  },
]
