import { DatabaseSync } from 'node:sqlite'
import type { Mark, SearchQuery } from '../../../core/search-query/query.ts'
import { markEnd, markStart, searchableText } from '../../../core/search-query/searchable-text.ts'
import type { TextMarks, TitledText } from '../../search.ts'
import { marksExpression } from './fts-expression.ts'
import { tokenizer } from './schema-search.ts'

export type TextMarker = {
  marks(query: SearchQuery, texts: readonly TitledText[]): TextMarks[]
  close(): void
}

/**
 * Marks what a query finds. The index keeps no texts; those of one page of hits are put into a table in
 * memory that reads words as the index does, and go again.
 */
export function createTextMarker(): TextMarker {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE texts USING fts5(title, body, site, tokenize='${tokenizer}')`)
  const insert = db.prepare('INSERT INTO texts (rowid, title, body) VALUES (?, ?, ?)')
  const select = db.prepare(
    `SELECT rowid AS n, highlight(texts, 0, '${markStart}', '${markEnd}') AS title,
     highlight(texts, 1, '${markStart}', '${markEnd}') AS body FROM texts WHERE texts MATCH ?`,
  )

  function find(expression: string, texts: readonly TitledText[]): TextMarks[] {
    const found: TextMarks[] = texts.map(() => ({ title: [], text: [] }))
    const readable = texts.map(({ title, text }) => ({ title: searchableText(title), text: searchableText(text) }))
    for (const [n, { title, text }] of readable.entries()) insert.run(n + 1, title.text, text.text)
    for (const row of select.all(expression) as { n: number; title: string; body: string }[]) {
      const { title, text } = readable[row.n - 1]!
      found[row.n - 1] = { title: readMarks(row.title, title.origin), text: readMarks(row.body, text.origin) }
    }
    return found
  }

  return {
    marks(query, texts) {
      const expression = marksExpression(query)
      if (expression === null) return texts.map(() => ({ title: [], text: [] }))
      // Nothing is ever committed: putting the texts there and taking them away again costs a fifth that way.
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

/** Takes the marks out again and says where they stood in the text as it was given. */
function readMarks(marked: string, origin: (index: number) => number): Mark[] {
  const marks: Mark[] = []
  let taken = 0
  for (let start = marked.indexOf(markStart); start >= 0; start = marked.indexOf(markStart, start + 1)) {
    const end = marked.indexOf(markEnd, start)
    // The last character decides where the end lies: behind it, something may have been put in or left out.
    const last = origin(end - taken - 2)
    marks.push([origin(start - taken), last + 1])
    taken += 2
  }
  return marks
}
