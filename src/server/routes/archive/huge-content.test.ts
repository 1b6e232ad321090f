import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ada, createKeptArchive, type KeptArchive } from './archive.testkit.ts'

const LINES = 40_000
const DEPTH = 100_000

const lines = (word: string) =>
  Array.from({ length: LINES }, (_, n) => `<p>${word} ${(n * 7919) % LINES}</p>`).join('\n')
const deep = `${'<div>'.repeat(DEPTH)}solar${'</div>'.repeat(DEPTH)}`
const oneLine = (word: string) => `<p>${`${word} `.repeat(200_000)}</p>`
const pages: Record<string, readonly [before: string, after: string]> = {
  '/long': [lines('old'), lines('new')],
  '/line': [oneLine('one'), oneLine('two')],
  '/deep': [deep, `${deep}wind`],
}
const textOf = (html: string) => html.replace(/(?:<\/?\w+>\n?)+/g, '\n').trim()

type Piece = { kind: 'same' | 'removed' | 'added'; text: string }

/** Both versions as a diff contains them. */
function versionsIn(pieces: readonly Piece[], separator: string): string[] {
  const without = (other: Piece['kind']) => pieces.filter(({ kind }) => kind !== other)
  return [without('added'), without('removed')].map((kept) =>
    kept
      .map(({ text }) => text)
      .join(separator)
      .trim(),
  )
}

/** The pieces of a unified diff with one hunk. */
function piecesOfPatch(patch: string): Piece[] {
  const kinds = new Map<string, Piece['kind']>([
    [' ', 'same'],
    ['-', 'removed'],
    ['+', 'added'],
  ])
  const [, , , ...rest] = patch.trimEnd().split('\n')
  return rest.map((line) => ({ kind: kinds.get(line[0]!)!, text: line.slice(1) }))
}

describe('huge and deeply nested content over HTTP', () => {
  let kept: KeptArchive
  before(async () => {
    kept = await createKeptArchive(
      Object.fromEntries(Object.entries(pages).map(([path, [body]]) => [path, { body }])),
      {},
      {
        // The longest of these reads takes two seconds by itself, but the reading threads compete with everything else on the machine.
        archiveLimits: { timeLimitMs: 120_000 },
        change(site) {
          for (const [path, [, body]] of Object.entries(pages)) site.set(path, { body }, 0)
        },
      },
    )
  })
  after(() => kept.close())

  test('a diff of a page that changed throughout is complete in every form', async () => {
    for (const [path, bodies] of Object.entries(pages))
      for (const query of ['', '?form=words', '?context=1000000', '?raw=true&ignoreSpace=true', '?format=patch']) {
        const answer = await kept.erace.as(ada).get(`/documents/${kept.idOf(kept.url(path))}/diff${query}`)
        assert.equal(answer.statusCode, 200, `${path}${query}: ${answer.body.slice(0, 200)}`)
        const pieces: Piece[] = query.includes('patch')
          ? piecesOfPatch(answer.body)
          : answer.json().hunks.flatMap((hunk: { pieces: Piece[] }) => hunk.pieces)
        const shown = versionsIn(pieces, query.includes('words') ? '' : '\n')
        const expected = query.includes('raw') ? bodies : bodies.map(textOf)
        // A comparison of such long texts by `deepEqual` would take long to print.
        for (const [n, text] of expected.entries()) assert.ok(shown[n] === text, `version ${n + 1} of ${path}${query}`)
      }
  })

  test('text, content, search and preview work', async () => {
    for (const path of Object.keys(pages))
      for (const what of ['content', 'text'])
        assert.equal(
          (await kept.erace.as(ada).get(`/versions/${kept.versionOf(kept.url(path), 2)}/${what}`)).statusCode,
          200,
        )
    const look = async () => (await kept.erace.as(ada).get('/search?q=new+OR+two+OR+wind')).json()
    let found = await look()
    // Each search first indexes new texts, for a limited time.
    for (let again = 0; found.items.length < 3 && again < 50; again++) found = await look()
    assert.equal(found.items.length, 3)
    assert.ok(found.items.every(({ snippet }: { snippet: { text: string } }) => snippet.text.length < 500))
    const interests = { keywords: [{ key: 'two', weight: 1 }] }
    const preview = await kept.erace.as(ada).post('/profiles/preview', { interests })
    assert.deepEqual([preview.statusCode, preview.json().matched], [200, 1])
  })
})
