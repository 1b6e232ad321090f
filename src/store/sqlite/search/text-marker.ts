import { DatabaseSync } from 'node:sqlite'
import type { Mark, SearchQuery } from '../../../core/search-query/query.ts'
import { markEnd, markStart, searchableText } from '../../../core/search-query/searchable-text.ts'
import type { TextMarks, TitledText } from '../../contracts/search.ts'
import { marksExpression, tokenizer } from './fts-expression.ts'

export type TextMarker = {
  marks(query: SearchQuery, texts: readonly TitledText[]): TextMarks[]
  close(): void
}

/**
 * Marks the matches of a query. The index stores no texts, so those of one page of hits are inserted temporarily into
 * an in-memory table with the same tokenizer as the index.
 */
export function createTextMarker(): TextMarker {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE texts USING fts5(title, body, site, tokenize='${tokenizer}')`)
  const insert = db.prepare('INSERT INTO texts (rowid, title, body) VALUES (?, ?, ?)')
  const select = db.prepare(
    `SELECT rowid AS n, highlight(texts, 0, '${markStart}', '${markEnd}') AS title,
     highlight(texts, 1, '${markStart}', '${markEnd}') AS body FROM texts WHERE texts MATCH ? ORDER BY rowid`,
  )

  function find(expression: string, texts: readonly TitledText[]): TextMarks[] {
    const found = texts.map((): { title: Mark[]; text: Mark[] } => ({ title: [], text: [] }))
    const readable = texts.map(({ title, text }) => ({ title: searchableText(title), text: searchableText(text) }))
    const pieces: { of: number; start: number }[] = []
    for (const [of, { title, text }] of readable.entries())
      for (const [start, end] of piecesOf(text.text)) {
        pieces.push({ of, start })
        insert.run(pieces.length, start === 0 ? title.text : '', text.text.slice(start, end))
      }
    for (const row of select.all(expression) as { n: number; title: string; body: string }[]) {
      const { of, start } = pieces[row.n - 1]!
      const { title, text } = readable[of]!
      if (start === 0) found[of]!.title = readMarks(row.title, title.origin)
      const inPiece = readMarks(row.body, (index) => text.origin(start + index))
      for (const mark of inPiece) found[of]!.text.push(mark)
    }
    return found
  }

  return {
    marks(query, texts) {
      const expression = marksExpression(query)
      if (expression === null) return texts.map(() => ({ title: [], text: [] }))
      // Nothing is ever committed: rolling back costs a fifth of inserting and deleting the texts.
      db.exec('BEGIN')
      try {
        return find(expression, texts)
      } finally {
        db.exec('ROLLBACK')
      }
    },
    close: () => db.close(),
  }
}

/** FTS5's time for a text grows with the square of its marks, and a page may repeat one word endlessly. */
const PIECE_CHARS = 4096

/** Splits a text between words; a phrase across a boundary is not marked. Returns at least one piece. */
function piecesOf(text: string): [start: number, end: number][] {
  const pieces: [number, number][] = []
  let start = 0
  do {
    const most = Math.min(start + PIECE_CHARS, text.length)
    const space = most === text.length ? 0 : text.slice(start, most).lastIndexOf(' ')
    const end = space > 0 ? start + space : most
    pieces.push([start, end])
    start = end
  } while (start < text.length)
  return pieces
}

/** Removes the marks and returns their positions in the original text. */
function readMarks(marked: string, origin: (index: number) => number): Mark[] {
  const marks: Mark[] = []
  let taken = 0
  for (let start = marked.indexOf(markStart); start >= 0; start = marked.indexOf(markStart, start + 1)) {
    const end = marked.indexOf(markEnd, start)
    // The end is computed from the last character: after it, characters may have been inserted or omitted.
    const last = origin(end - taken - 2)
    marks.push([origin(start - taken), last + 1])
    taken += 2
  }
  return marks
}
