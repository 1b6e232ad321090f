import type { SQLInputValue } from 'node:sqlite'
import type { QueryNode } from '../../../core/search-query/query.ts'
import { searchableText } from '../../../core/search-query/searchable-text.ts'
import type { AnnotationDraft } from '../../contracts/annotations.ts'
import type { Database } from '../folder/database.ts'
import { ftsExpression, type WordTable } from '../search/fts-expression.ts'

/** A condition on a row `a` of annotations. */
export type Condition = { sql: string; values: readonly SQLInputValue[] }

export type WordSearch = {
  /** FTS expression for the table of words; null if it can't narrow the search. */
  match: string | null
  /** Conditions that the table can't answer, to check on each row it finds. */
  conditions: Condition[]
}

/**
 * A query against `inbox_words`. Each entry has its owner as a word, so that a search reads only the owner's entries. It searches title,
 * summary and URL; `intitle:` only the title. The table indexes URLs by their words, so for `site:` it finds all pages with the
 * host anywhere in their URL; the host of the document then decides.
 */
export function wordSearch(owner: string, node: QueryNode): WordSearch {
  const table = wordTable(owner)
  const broad = broaden(node)
  const parts = node.kind === 'and' ? node.nodes : [node]
  return {
    match: broad === null ? null : `${table.every} AND ${ftsExpression(broad, table)}`,
    conditions: parts.filter(namesSite).map((part) => conditionOf(part, table)),
  }
}

/** The same query as a condition on single rows, for when there are few. */
export function wordCondition(owner: string, node: QueryNode): Condition {
  return conditionOf(node, wordTable(owner))
}

function wordTable(owner: string): WordTable {
  return {
    title: 'title',
    anywhere: '{title text url}',
    every: `owner : "o${Buffer.from(owner).toString('hex')}"`,
    site: (host) => `url : "${host}"`,
  }
}

function namesSite(node: QueryNode): boolean {
  if (node.kind === 'and' || node.kind === 'or') return node.nodes.some(namesSite)
  return node.kind === 'not' ? namesSite(node.node) : node.kind === 'site'
}

/** A query that matches a superset, with sites matched by their words; null if that is everything. */
function broaden(node: QueryNode): QueryNode | null {
  if (!namesSite(node)) return node
  switch (node.kind) {
    case 'not':
      return null
    case 'and': {
      const nodes = node.nodes.map(broaden).filter((each) => each !== null)
      return nodes.length === 0 ? null : { kind: 'and', nodes }
    }
    case 'or': {
      const nodes = node.nodes.map(broaden)
      return nodes.every((each) => each !== null) ? { kind: 'or', nodes } : null
    }
    default:
      return node
  }
}

function conditionOf(node: QueryNode, table: WordTable): Condition {
  if (!namesSite(node))
    return {
      sql: 'EXISTS (SELECT 1 FROM inbox_words w WHERE w.inbox_words MATCH ? AND w.rowid = a.id)',
      values: [ftsExpression(node, table)],
    }
  switch (node.kind) {
    case 'not': {
      const { sql, values } = conditionOf(node.node, table)
      return { sql: `NOT ${sql}`, values }
    }
    case 'and':
    case 'or': {
      const parts = node.nodes.map((each) => conditionOf(each, table))
      const sql = parts.map((part) => part.sql).join(node.kind === 'and' ? ' AND ' : ' OR ')
      return { sql: `(${sql})`, values: parts.flatMap(({ values }) => values) }
    }
    case 'site':
      return siteCondition(node.host)
    default:
      throw new TypeError('words name no site')
  }
}

/** Hosts of documents include a non-default port, and IPv6 is in brackets; an IP address has no subdomains. */
function siteCondition(host: string): Condition {
  const name = host.includes(':') ? `[${host}]` : host
  const place = name !== host || /^[\d.]+$/.test(host) ? '= 1' : '> 0'
  return {
    sql: `instr('.' || (SELECT d.host FROM documents d WHERE d.id = a.document) || ':', ?) ${place}`,
    values: [`.${name}:`],
  }
}

/**
 * A trigger adds words to the table with each annotation. Afterwards this replaces those that SQL can't split or normalise:
 * scripts without spaces, and equivalent spellings. Most texts don't need it. Call it at the end of a batch, in ascending order
 * of ids: each lower id makes FTS flush everything pending.
 */
export function createWordSpelling(db: Database) {
  const respell = db.prepare(
    `INSERT OR REPLACE INTO inbox_words (rowid, title, text, url, owner) VALUES (?1, ?2, ?3,
     coalesce((SELECT url FROM documents WHERE id = ?4), ''), 'o' || lower(hex(?5)))`,
  )
  return (id: number, { title, summary, documentId, owner }: AnnotationDraft): void => {
    const spelled = { title: searchableText(title).text, text: searchableText(summary.text).text }
    if (spelled.title === title && spelled.text === summary.text) return
    respell.run(id, spelled.title, spelled.text, documentId, owner)
  }
}
