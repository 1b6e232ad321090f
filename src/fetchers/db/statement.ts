import { AppError } from '../../core/errors.ts'

export type Dialect = 'postgres' | 'mysql' | 'sqlite'

const maxCharacters = 10_000
const reading = ['SELECT', 'WITH', 'VALUES', 'TABLE']

const plain = /'(?:[^']|'')*'|"(?:[^"]|"")*"/y
const word = /[\p{L}_][\p{L}\p{N}_$]*/uy
const lineComment = /--[^\n]*/y

/** Quoted text, in which nothing is a statement, a word or a comment. */
const quoted: Record<Dialect, readonly RegExp[]> = {
  postgres: [/[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y, plain, /\$((?:[\p{L}_][\p{L}\p{N}_]*)?)\$[\s\S]*?\$\1\$/uy],
  mysql: [/'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`/y],
  sqlite: [plain, /`(?:[^`]|``)*`|\[[^\]]*\]/y],
}
const comments: Record<Dialect, readonly RegExp[]> = {
  postgres: [lineComment],
  mysql: [/--(?=\s|$)[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\//y],
  sqlite: [lineComment, /\/\*[\s\S]*?(?:\*\/|$)/y],
}

/**
 * The single statement of a query, without the semicolon at its end. Throws `query-refused` if it plainly isn't a reading one, to report
 * that early. The database ensures that nothing is written: the query runs in a read-only transaction.
 */
export function checkStatement(given: string, dialect: Dialect): string {
  const sql = given.trim()
  if (sql.length > maxCharacters) throw refused(`the query is longer than ${maxCharacters} characters`)
  const words: string[] = []
  let end = -1
  for (let at = 0; at < sql.length; ) {
    const next = blankEnd(sql, at, dialect)
    if (next > at) {
      at = next
      continue
    }
    if (end !== -1) throw refused('it has to be one statement')
    const text = quoted[dialect].map((pattern) => matchAt(pattern, sql, at)).find((length) => length > 0)
    const letters = text === undefined ? matchAt(word, sql, at) : 0
    if (letters > 0) words.push(sql.slice(at, at + letters).toUpperCase())
    else if (sql[at] === ';') end = at
    else if (text === undefined && /["'`]/.test(sql[at]!))
      throw refused('a quotation mark is missing at the end of a text or name')
    at += text ?? (letters || 1)
  }
  const [first] = words
  if (first === undefined || !reading.includes(first))
    throw refused(
      `it only takes queries that read and begin with ${reading.join(', ')}${first === undefined ? '' : `, not ${first.slice(0, 40)}`}`,
    )
  if (dialect === 'mysql') refuseMysqlWrites(words)
  return end === -1 ? sql : sql.slice(0, end).trimEnd()
}

/** Refuses statements that MySQL allows in a read-only transaction. */
function refuseMysqlWrites(words: readonly string[]): void {
  for (const [at, each] of words.entries()) {
    if (each === 'INTO') throw refused('a query that reads has no INTO')
    if ((each === 'FOR' || each === 'LOCK') && ['UPDATE', 'SHARE', 'IN'].includes(words[at + 1] ?? ''))
      throw refused('it would lock rows')
    if (['NEXTVAL', 'SETVAL', 'NEXT'].includes(each) && (each !== 'NEXT' || words[at + 1] === 'VALUE'))
      throw refused('it would change a sequence')
  }
}

/** The position after white space and comments. */
function blankEnd(sql: string, from: number, dialect: Dialect): number {
  const space = matchAt(/\s+/y, sql, from)
  if (space > 0) return from + space
  if (dialect === 'mysql' && /\/\*M?!/y.test(sql.slice(from, from + 4)))
    throw refused('a comment that is run as SQL (/*! … */) is not taken')
  if (dialect === 'postgres' && sql.startsWith('/*', from)) return nestedCommentEnd(sql, from)
  return from + Math.max(...comments[dialect].map((pattern) => matchAt(pattern, sql, from)))
}

function nestedCommentEnd(sql: string, from: number): number {
  let depth = 0
  for (const sign of sql.slice(from).matchAll(/\/\*|\*\//g)) {
    depth += sign[0] === '/*' ? 1 : -1
    if (depth === 0) return from + sign.index + 2
  }
  throw refused('a comment has no end')
}

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

const refused = (message: string): AppError => new AppError('query-refused', message)
