import type { QueryNode, SearchQuery, WordsNode } from '../../../core/search-query/query.ts'
import { isUnspaced } from '../../../core/search-query/searchable-text.ts'
import { EVERY, siteWord } from '../../rules/site-words.ts'
import type { Migration } from '../folder/database.ts'

/** Column expressions for querying a table of words. */
export type WordTable = {
  title: string
  anywhere: string
  /** Matches every entry that may be found at all. */
  every: string
  site(host: string): string
}

const versionWords: WordTable = {
  title: 'title',
  anywhere: '{title body}',
  every: `site : "${EVERY}"`,
  site: (host) => `site : "${siteWord(host)}"`,
}

/** A query in FTS5 syntax. Words contain no quotes, so that no part of a query is ever parsed as syntax. */
export function ftsMatch({ match }: SearchQuery): string {
  return match === null ? versionWords.every : ftsExpression(match, versionWords)
}

export function ftsExpression(node: QueryNode, table: WordTable): string {
  switch (node.kind) {
    case 'words':
      return wordsExpression(node, table)
    case 'site':
      return table.site(node.host)
    case 'not':
      return `(${table.every} NOT ${ftsExpression(node.node, table)})`
    case 'or':
      return `(${node.nodes.map((each) => ftsExpression(each, table)).join(' OR ')})`
    case 'and':
      return andExpression(node.nodes, table)
  }
}

function andExpression(nodes: readonly QueryNode[], table: WordTable): string {
  const wanted: string[] = []
  const unwanted: string[] = []
  for (const node of nodes) {
    if (node.kind === 'not') unwanted.push(ftsExpression(node.node, table))
    else wanted.push(ftsExpression(node, table))
  }
  const all = wanted.length === 0 ? table.every : wanted.join(' AND ')
  return unwanted.length === 0 ? `(${all})` : `((${all}) NOT (${unwanted.join(' OR ')}))`
}

function wordsExpression({ words, prefix, where }: WordsNode, table: WordTable): string {
  const column = where === 'title' ? table.title : table.anywhere
  const apart = `${column} : "${words.join(' ')}"${prefix ? ' *' : ''}`
  // In scripts without spaces, a longer text may be segmented differently from these few characters alone.
  if (words.length === 1 || !words.every(isUnspaced)) return apart
  return `(${apart} OR ${column} : "${words.join('')}" *)`
}

/** Matches every text with any word of the query; null if it has none. */
export function marksExpression({ match }: SearchQuery): string | null {
  const leaves: string[] = []
  const gather = (node: QueryNode): void => {
    if (node.kind === 'words') leaves.push(wordsExpression(node, versionWords))
    else if (node.kind === 'and' || node.kind === 'or') node.nodes.forEach(gather)
  }
  if (match !== null) gather(match)
  return leaves.length === 0 ? null : leaves.join(' OR ')
}

/**
 * Combining marks are part of a word (vowels of Hindi and Thai); accents are removed. Changing this makes existing
 * indexes unusable: it needs a migration that empties them.
 */
export const tokenizer = `unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''`

/** `search.db`: the words of all versions, without their texts. `entries` has a row for each row of `words`, with the same id. */
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
