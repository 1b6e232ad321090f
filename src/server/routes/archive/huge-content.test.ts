import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ada, createKeptArchive, type KeptArchive } from './archive.testkit.ts'

const LINES = 40_000
const DEPTH = 100_000

const lines = (word: string) =>
  Array.from({ length: LINES }, (_, n) => `<p>${word} ${(n * 7919) % LINES}</p>`).join('\n')
const deep = `${'<div>'.repeat(DEPTH)}solar${'</div>'.repeat(DEPTH)}`
const oneLine = (word: string) => `<p>${`${word} `.repeat(200_000)}</p>`

describe('huge and deeply nested content over HTTP', () => {
  let kept: KeptArchive
  before(async () => {
    kept = await createKeptArchive(
      { '/long': { body: lines('old') }, '/deep': { body: deep }, '/line': { body: oneLine('one') } },
      {},
      {
        // The longest of these reads takes two seconds by itself, but the reading threads compete with everything else on the machine.
        archiveLimits: { timeLimitMs: 120_000 },
        change(site) {
          site.set('/long', { body: lines('new') }, 0)
          site.set('/line', { body: oneLine('two') }, 0)
          site.set('/deep', { body: `${deep}wind` }, 0)
        },
      },
    )
  })
  after(() => kept.close())

  test('a diff of a page that changed throughout succeeds in every form', async () => {
    for (const path of ['/long', '/line', '/deep'])
      for (const query of ['', '?form=words', '?context=1000000', '?raw=true&ignoreSpace=true', '?format=patch']) {
        const answer = await kept.erace.as(ada).get(`/documents/${kept.idOf(kept.url(path))}/diff${query}`)
        assert.equal(answer.statusCode, 200, `${path}${query}: ${answer.body.slice(0, 200)}`)
        if (!query.includes('patch')) assert.equal(answer.json().equal, false)
      }
  })

  test('text, content, search and preview work', async () => {
    for (const path of ['/long', '/line', '/deep'])
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
