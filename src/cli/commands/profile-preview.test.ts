import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProfileDraft } from '../../core/profile.ts'
import type { PreviewPart, PreviewReport, PreviewRequest } from '../../core/reports/profile-report.ts'
import { useCliFolder } from '../cli.testkit.ts'

const passedOver = { gone: 0, textless: 0, dropped: 0, lost: 0, damaged: 0 }
const nothing: PreviewPart = {
  looked: 12,
  documents: 0,
  matched: 0,
  examples: [],
  nearMisses: [],
  passedOver,
  end: 'all',
}
const found: PreviewPart = {
  looked: 3000,
  documents: 1000,
  matched: 2,
  examples: [
    {
      document: 7,
      version: 9,
      url: 'http://a.example/java',
      n: 3,
      at: '2026-11-01T12:00:05.000Z',
      title: 'Java \u001b[2J news',
      relevance: 4,
      summary: { text: 'all of java today', marks: [[7, 11]] },
      explanation: { terms: [] },
    },
  ],
  nearMisses: [],
  passedOver: { ...passedOver, gone: 1, damaged: 2 },
  end: 'time',
}

describe('erace profile preview', () => {
  const sources = [{ uri: 'http://a.example/' }]
  const interests = { keywords: [{ key: 'java', weight: 4 }] }
  const folder = useCliFolder({
    'java.json': JSON.stringify({ name: 'Java', sources, interests }),
    'two.json': JSON.stringify([
      { name: 'One', sources, interests },
      { name: 'Two', sources, interests },
    ]),
    'wrong.json': JSON.stringify([{ sources: [{ uri: 'x' }], nmae: 1 }]),
  })

  function engineOf(report: Partial<PreviewReport>) {
    const asked: { profiles: readonly ProfileDraft[]; request: PreviewRequest }[] = []
    const previewProfiles = async (_: unknown, profiles: readonly ProfileDraft[], request: PreviewRequest) => {
      asked.push({ profiles, request })
      return profiles.map(({ name }) => ({ name, covered: found, everything: null, tookMs: 7, ...report }))
    }
    return { engine: { previewProfiles }, asked }
  }

  test('shows which archived documents a profile matches', async () => {
    const { engine, asked } = engineOf({})
    const { code, out, err } = await folder.run(['profile', 'preview', 'java.json'], { engine })
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(asked[0]!.request, { documents: 1000, examples: 5 })
    assert.equal(asked[0]!.profiles[0]!.interests.keywords[0]!.key, 'java')
    assert.deepEqual(out.split('\n'), [
      'Java (7 ms)',
      '  in its sources: 2 of the newest 1,000 documents match',
      '  skipped: 1 gone, 2 damaged',
      '  time limit reached after the newest 3,000',
      '',
      '  4  Java ?[2J news',
      '     http://a.example/java@3  2026-11-01 12:00:05Z',
      '     all of java today',
      '',
      '  by host and scope: the archive does not record link depth',
      '',
    ])
  })

  test('says when nothing is archived from the sources yet', async () => {
    const { engine } = engineOf({ covered: nothing, everything: { ...found, passedOver, end: 'count', examples: [] } })
    const { out } = await folder.run(['profile', 'preview', 'java.json'], { engine })
    assert.deepEqual(out.split('\n').slice(1), [
      '  nothing archived from its sources yet',
      '  in the whole archive: 2 of the newest 1,000 documents match',
      '',
    ])
  })

  test('prints a report for each profile as JSON', async () => {
    const { engine, asked } = engineOf({})
    const argv = ['profile', 'preview', 'two.json', '--json', '--last', '20', '--examples', '0']
    const { code, out } = await folder.run(argv, { engine })
    const { file, previews, notes } = JSON.parse(out)
    assert.deepEqual([code, file, notes], [0, 'two.json', []])
    assert.deepEqual(
      previews.map(({ name }: PreviewReport) => name),
      ['One', 'Two'],
    )
    assert.deepEqual(previews[0].covered, found)
    assert.deepEqual(asked[0]!.request, { documents: 20, examples: 0 })
  })

  test('prints matches in bold on a terminal', async () => {
    const { out } = await folder.run(['profile', 'preview', 'java.json'], { engine: engineOf({}).engine, columns: 100 })
    assert.ok(out.includes('all of \u001b[1mjava\u001b[22m today'))
  })

  test('reports all errors at once, without reading the archive', async () => {
    const { engine, asked } = engineOf({})
    const argv = ['profile', 'preview', 'wrong.json', '--last', 'many', '--examples', '101', '--owner', 'a@example.org']
    const { code, err } = await folder.run(argv, { engine })
    assert.deepEqual([code, asked], [2, []])
    for (const pattern of [
      /nmae/,
      /"x" is not an address/,
      /--last: expected a whole number/,
      /--examples: expected a whole number from 0 to 100/,
      /--owner: only valid with/,
    ])
      assert.match(err, pattern)
    const other = await folder.run(['profile', 'validate', 'java.json', '--last', '5'])
    assert.equal(other.code, 2)
    assert.match(other.err, /--last: only valid with preview/)
  })
})
