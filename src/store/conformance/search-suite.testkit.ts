import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import type { SearchQuery } from '../../core/search-query/query.ts'
import type { HitPage, IndexBatch, IndexedText, SearchIndex } from '../contracts/search.ts'

/** What a search engine provides to be tested against the contract. */
export type SearchEngine = { name: string; create(): Promise<SearchSystem> }

export type SearchSystem = {
  open(): Promise<SearchIndex>
  /** Drops versions from the catalogue without telling the index. */
  drop(versionIds: readonly number[]): void
  /** Runs `work` while another process is writing to the index. */
  whileWriting(work: () => Promise<void>): Promise<void>
  destroy(): Promise<void>
}

const nobody = { textless: 0, bodiless: 0, damaged: 0 }

/** A text, by default of its own document. */
export function textOf(versionId: number, text: string, parts: Partial<IndexedText> = {}): IndexedText {
  return {
    versionId,
    documentId: versionId,
    host: 'www.example.org',
    at: Date.UTC(2026, 0, versionId),
    title: '',
    text,
    ...parts,
  }
}

export function indexBatch(texts: readonly IndexedText[], parts: Partial<IndexBatch> = {}): IndexBatch {
  return {
    after: 0,
    upTo: Math.max(0, ...texts.map(({ versionId }) => versionId)),
    texts,
    passedOver: nobody,
    ...parts,
  }
}

export function queryOf(text: string): SearchQuery {
  const parsed = parseSearchQuery(text)
  assert.equal(parsed.kind, 'query', `${text}: ${JSON.stringify(parsed)}`)
  return (parsed as Extract<typeof parsed, { kind: 'query' }>).query
}

const firstPage: HitPage = { offset: 0, limit: 10 }

/** The versions found, by id. */
async function found(index: SearchIndex, query: string): Promise<number[]> {
  const { hits } = await index.query(queryOf(query), { offset: 0, limit: 100 })
  return hits.map(({ versionId }) => versionId).sort((a, b) => a - b)
}

/** What every full-text engine promises. */
export function searchSuite(engine: SearchEngine): void {
  function withSystem(work: (index: SearchIndex, system: SearchSystem) => Promise<void>): () => Promise<void> {
    return async () => {
      const system = await engine.create()
      const index = await system.open()
      try {
        await work(index, system)
      } finally {
        await index.close()
        await system.destroy()
      }
    }
  }

  /** Tests which versions each query finds among the texts. */
  function finds(texts: readonly IndexedText[], expected: Record<string, number[]>): () => Promise<void> {
    return withSystem(async (index) => {
      await index.add(indexBatch(texts))
      for (const [query, ids] of Object.entries(expected)) assert.deepEqual(await found(index, query), ids, query)
    })
  }

  describe(`full-text search (${engine.name})`, () => {
    test(
      'supports AND, OR, NOT, phrases and prefixes',
      finds(
        [
          textOf(1, 'The quick brown fox'),
          textOf(2, 'A brown quick dog'),
          textOf(3, 'quickly said the foxes'),
          textOf(4, 'nothing of the kind'),
        ],
        {
          quick: [1, 2],
          'quick brown': [1, 2],
          '"quick brown"': [1],
          '"brown quick"': [2],
          'quick*': [1, 2, 3],
          '"the fox"*': [3],
          'fox OR dog': [1, 2],
          'quick -fox': [2],
          'quick NOT (fox OR dog)': [],
          '(fox OR foxes) the': [1, 3],
          '-quick': [3, 4],
          'kind OR -the': [2, 4],
          '-(quick brown)': [3, 4],
          absent: [],
          'quick absent': [],
        },
      ),
    )

    test(
      'ignores case and accents in Latin, Greek and Cyrillic',
      finds(
        [
          textOf(1, 'Café CRÈME'),
          textOf(2, 'η Ελλάδα και ο ΟΔΥΣΣΕΥΣ'),
          textOf(3, 'Ёлка в Москве'),
          textOf(4, 'nai\u0308ve sof\u00adtly \ufb01ne ＦＵＬＬ'),
        ],
        {
          cafe: [1],
          'CAFÉ creme': [1],
          ΕΛΛΑΔΑ: [2],
          ελλάδα: [2],
          Οδυσσεύς: [2],
          елка: [3],
          МОСКВЕ: [3],
          naïve: [4],
          softly: [4],
          fine: [4],
          full: [4],
        },
      ),
    )

    test(
      'finds words in scripts without spaces, and keeps combining marks with their letters',
      finds(
        [
          textOf(1, '私は東京タワーに行きたいです'),
          textOf(2, '我喜歡北京烤鴨，也喜歡上海'),
          textOf(3, 'ภาษาไทยเป็นภาษาราชการ'),
          textOf(4, 'हिन्दी भाषा'),
        ],
        { 東京タワー: [1], 東京: [1], 北京: [2], '上海 -北京': [], 上海: [2], ภาษา: [3], ไทย: [3], हिन्दी: [4], हन: [] },
      ),
    )

    test(
      'matches a site with its subdomains, but not hosts that merely end alike',
      finds(
        [
          textOf(1, 'x', { host: 'example.org' }),
          textOf(2, 'x', { host: 'www.example.org' }),
          textOf(3, 'x', { host: 'my-example.org' }),
          textOf(4, 'x', { host: 'example.org.evil.net' }),
          textOf(5, 'x', { host: '192.0.2.1' }),
          textOf(6, 'example.org', { host: 'other.net' }),
        ],
        {
          'site:example.org': [1, 2],
          'site:www.example.org x': [2],
          'x site:org': [1, 2, 3],
          'site:my-example.org': [3],
          'site:example-org': [],
          'x -site:org': [4, 5],
          'site:192.0.2.1': [5],
          'site:2.1': [],
          'site:other.net OR site:evil.net': [4, 6],
          'example.org': [6],
        },
      ),
    )

    test(
      'finds titles together with the text, or alone',
      finds([textOf(1, 'about cats', { title: 'On dogs' }), textOf(2, 'about dogs', { title: 'On small cats' })], {
        dogs: [1, 2],
        'intitle:dogs': [1],
        'intitle:"small cats"': [2],
        'intitle:"cats small"': [],
        'intitle:do*': [1],
        '-intitle:dogs': [2],
      }),
    )

    test(
      'filters by the time a version was first seen, with after inclusive and before exclusive',
      finds([textOf(1, 'x'), textOf(2, 'x'), textOf(3, 'x')], {
        'x after:2026-01-02': [2, 3],
        'x before:2026-01-02': [1],
        'after:2026-01-02 before:2026-01-03': [2],
        'before:2026-01-02T00:00:01': [1, 2],
        'x after:2027': [],
      }),
    )

    test(
      'ranks title matches and frequent matches higher',
      withSystem(async (index) => {
        const filler = (n: number): string => `some other text number ${n} `.repeat(5)
        await index.add(
          indexBatch([
            textOf(1, `${filler(1)} whale`),
            textOf(2, filler(2), { title: 'The whale' }),
            textOf(3, `${filler(3)} whale whale whale`),
            ...Array.from({ length: 20 }, (_, n) => textOf(4 + n, filler(4 + n))),
          ]),
        )
        const { hits, total, totalIsLowerBound, approximate } = await index.query(queryOf('whale'), firstPage)
        assert.deepEqual(
          hits.map(({ versionId }) => versionId),
          [2, 3, 1],
        )
        assert.ok(hits[0]!.score > hits[1]!.score && hits[1]!.score > hits[2]!.score && hits[2]!.score > 0)
        assert.deepEqual(
          { total, totalIsLowerBound, approximate },
          { total: 3, totalIsLowerBound: false, approximate: false },
        )
      }),
    )

    test(
      'finds a document once, with the newest of equal versions, and pages do not overlap',
      withSystem(async (index) => {
        const texts = Array.from({ length: 30 }, (_, n) => textOf(n + 1, 'same words', { documentId: 1 + (n % 10) }))
        await index.add(indexBatch(texts))
        const pages = await Promise.all([0, 4, 8].map((offset) => index.query(queryOf('same'), { offset, limit: 4 })))
        assert.deepEqual(
          pages.map(({ hits }) => hits.map(({ versionId }) => versionId)),
          [
            [30, 29, 28, 27],
            [26, 25, 24, 23],
            [22, 21],
          ],
        )
        assert.deepEqual(
          pages.map(({ total }) => total),
          [10, 10, 10],
        )
      }),
    )

    test(
      'hides dropped versions, and shows an earlier version of the document instead',
      withSystem(async (index, system) => {
        await index.add(
          indexBatch([textOf(1, 'word', { documentId: 7 }), textOf(2, 'word', { documentId: 7 }), textOf(3, 'word')]),
        )
        system.drop([2, 3])
        const { hits, total, stale } = await index.query(queryOf('word'), firstPage)
        assert.deepEqual(
          hits.map(({ versionId, documentId }) => [versionId, documentId]),
          [[1, 7]],
        )
        assert.equal(total, 1)
        assert.deepEqual(stale.sort(), [2, 3])
      }),
    )

    test(
      'no longer finds removed versions, and ignores the removal of unknown ones',
      withSystem(async (index) => {
        await index.add(indexBatch([textOf(1, 'one word'), textOf(2, 'another word')]))
        assert.equal(await index.remove([1, 99]), 1)
        assert.equal(await index.remove([1]), 0)
        assert.equal(await index.remove([]), 0)
        assert.deepEqual(await found(index, 'word'), [2])
        assert.deepEqual(await found(index, '-another'), [])
        assert.equal((await index.counts()).versions, 1)
        assert.equal(await index.watermark(), 2)
      }),
    )

    test(
      'reports busy instead of waiting for another writer, and still answers queries',
      withSystem(async (index, system) => {
        await index.add(indexBatch([textOf(1, 'mine')]))
        const next = indexBatch([textOf(2, 'mine too')], { after: 1 })
        await system.whileWriting(async () => {
          assert.deepEqual(await index.add(next, 1), { kind: 'busy' })
          assert.deepEqual(await found(index, 'mine'), [1])
          assert.equal(await index.watermark(), 1)
        })
        assert.deepEqual(await index.add(next, 1), { kind: 'added' })
        assert.deepEqual(await found(index, 'mine'), [1, 2])
      }),
    )

    test(
      'moves the watermark with the texts, and rejects a batch based on another watermark',
      withSystem(async (index, system) => {
        const other = await system.open()
        assert.equal(await index.watermark(), 0)
        assert.deepEqual(await index.add(indexBatch([textOf(2, 'mine')], { upTo: 5 })), { kind: 'added' })
        assert.deepEqual(await other.add(indexBatch([textOf(2, 'theirs')], { upTo: 9 })), {
          kind: 'overtaken',
          watermark: 5,
        })
        assert.deepEqual(await found(other, 'mine'), [2])
        assert.deepEqual(await found(other, 'theirs'), [])
        const passedOver = { textless: 2, bodiless: 1, damaged: 1 }
        assert.deepEqual(await other.add(indexBatch([], { after: 5, upTo: 9, passedOver })), { kind: 'added' })
        assert.equal(await index.watermark(), 9)
        assert.deepEqual(await index.counts(), { versions: 1, passedOver })
        await other.close()
      }),
    )

    test(
      'changes neither texts nor watermark if a batch fails',
      withSystem(async (index) => {
        const broken = { ...textOf(2, 'second'), at: {} as number }
        await assert.rejects(index.add(indexBatch([textOf(1, 'first'), broken])))
        assert.equal(await index.watermark(), 0)
        assert.deepEqual(await found(index, 'first'), [])
        assert.deepEqual(await index.add(indexBatch([textOf(1, 'first')])), { kind: 'added' })
      }),
    )

    test(
      'keeps texts when the index is opened again',
      withSystem(async (index, system) => {
        await index.add(indexBatch([textOf(1, 'lasting words')]))
        const again = await system.open()
        assert.deepEqual(await found(again, 'lasting'), [1])
        assert.equal(await again.watermark(), 1)
        await again.close()
      }),
    )

    const marked = (text: string, marks: readonly (readonly [number, number])[]): string[] =>
      marks.map(([from, to]) => text.slice(from, to))

    test(
      'marks matched words in their original spelling',
      withSystem(async (index) => {
        const text = 'Ένα Café, the CAFE at 東京タワー; sof\u00adtly: cafés \u0002 end'
        const expected: Record<string, string[]> = {
          cafe: ['Café', 'CAFE'],
          'caf*': ['Café', 'CAFE', 'cafés'],
          ενα: ['Ένα'],
          '"the cafe"': ['the CAFE'],
          東京タワー: ['東京タワー'],
          softly: ['sof\u00adtly'],
          'end -cafe': ['end'],
          'intitle:cafe': [],
          'site:example.org': [],
        }
        for (const [query, words] of Object.entries(expected)) {
          const [marks] = await index.marks(queryOf(query), [{ title: 'cafe', text }])
          assert.deepEqual(marked(text, marks!.text), words, query)
        }
        const [first, second] = await index.marks(queryOf('intitle:cafe end'), [
          { title: 'Un café', text: '' },
          { title: '', text },
        ])
        assert.deepEqual(marked('Un café', first!.title), ['café'])
        assert.deepEqual(marked(text, second!.text), ['end'])
      }),
    )

    test(
      'accepts any text and any query',
      withSystem(async (index) => {
        const texts = ['\0', '\u0001\u0002\u0003', '\ud800', '"*()', 'a'.repeat(100_000), '漢'.repeat(10_000), '\ue000']
        await index.add(
          indexBatch(texts.map((text, n) => textOf(n + 1, text, { title: text, host: text.slice(0, 300) }))),
        )
        for (const query of [
          'a',
          '"""',
          '((((x',
          'x)))',
          'NEAR(a b)',
          'title:x',
          '{a b}: c',
          'a AND',
          '^a',
          'a + b',
          '\0x',
          "'; DROP",
        ]) {
          const parsed = parseSearchQuery(query)
          if (parsed.kind === 'query') await index.query(parsed.query, firstPage)
        }
        const many = queryOf(Array.from({ length: 20 }, (_, n) => `(w${n} OR -"x y${n}")`).join(' '))
        await index.query(many, firstPage)
        await index.marks(many, [{ title: '\ud800', text: texts.join(' ') }])
      }),
    )
  })
}
