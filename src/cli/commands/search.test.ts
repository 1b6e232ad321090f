import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SearchReport, SearchRequest } from '../../core/reports/search-report.ts'
import { useCliFolder } from '../cli.testkit.ts'

const report: SearchReport = {
  items: [
    {
      url: 'http://example.org/\u001b[31mred',
      n: 3,
      at: '2026-11-01T12:00:00.000Z',
      title: 'Solar power\u001b]0;x',
      titleMarks: [[0, 5]],
      score: 1.5,
      snippet: { text: '… all about so\u00adlar panels …', marks: [[12, 18]] },
    },
    {
      url: 'http://example.org/b',
      n: 1,
      at: '2026-10-01T12:00:00.000Z',
      title: ' ',
      titleMarks: [],
      score: 1,
      snippet: { text: '', marks: [] },
    },
  ],
  total: 5000,
  totalIsLowerBound: true,
  approximate: true,
  tookMs: 12.3,
  index: { versions: 7, added: 0, passedOver: { textless: 1, bodiless: 2, damaged: 3 } },
}

describe('erace search', () => {
  const folder = useCliFolder()

  async function run(argv: string[], columns?: number) {
    const requests: SearchRequest[] = []
    const search = async (_: unknown, request: SearchRequest): Promise<SearchReport> => {
      requests.push(request)
      return report
    }
    const result = await folder.run(['search', ...argv], { engine: { search }, ...(columns ? { columns } : {}) })
    return { ...result, request: requests[0] }
  }

  test('shows title, version, date and snippet of each hit, and neutralises escape sequences', async () => {
    const { code, out } = await run(['solar'])
    assert.equal(code, 0)
    assert.deepEqual(out.split('\n'), [
      '1. Solar power?]0;x',
      '   http://example.org/?[31mred@3  2026-11-01T12:00:00.000Z',
      '   … all about solar panels …',
      '',
      '2. http://example.org/b',
      '   http://example.org/b@1  2026-10-01T12:00:00.000Z',
      '',
      'at least 5,000 documents, showing 1 to 2, 13 ms',
      'too many matches: only the newest versions were ranked; add words to narrow it down',
      '',
    ])
  })

  test('prints matches in bold on a terminal', async () => {
    const { out } = await run(['solar'], 100)
    assert.ok(out.includes('1. \u001b[1mSolar\u001b[22m power'))
    assert.ok(out.includes('about \u001b[1msolar\u001b[22m panels'))
  })

  test('prints only the report with --json', async () => {
    assert.deepEqual(JSON.parse((await run(['solar', '--json'])).out), report)
  })

  test('joins arguments into one query and passes on the options', async () => {
    const { request } = await run(['solar', 'site:example.org', '--limit', '5', '--offset=10', '--no-update'])
    assert.equal(request?.query?.match?.kind, 'and')
    const { query: _, ...rest } = request!
    assert.deepEqual(rest, { limit: 5, offset: 10, update: false, rebuild: false })
    assert.deepEqual((await run(['--', '-solar'])).request?.query?.match?.kind, 'not')
  })

  test('rebuilds the index without a query', async () => {
    const { out, request } = await run(['--rebuild'])
    assert.equal(request?.query, null)
    assert.equal(request?.rebuild, true)
    assert.equal(out, '7 versions indexed; skipped: 1 without text, 2 without a body, 3 damaged\n')
  })

  test('reports all errors at once', async () => {
    const { code, err, request } = await run(['site:', 'before:x', '--limit', '0', '--offset', 'many'])
    assert.equal(code, 2)
    assert.equal(request, undefined)
    for (const part of ['site: needs a host', 'before: needs a date', '--limit: expected', '--offset: expected'])
      assert.ok(err.includes(part), part)
    assert.equal((await run([])).code, 2)
    assert.equal((await run(['x'.repeat(1_000_000)])).code, 2)
  })
})
