import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import type { GcItem, GcReport } from '../../core/reports/gc-report.ts'
import { useCliFolder } from '../cli.testkit.ts'
import type { Engine, GcRequest } from '../engine.ts'

const none = { versions: 0, bytes: 0 }
const item: GcItem = {
  action: 'remove',
  reason: 'versions',
  source: '.example',
  url: 'http://a.example/\u0007',
  n: 3,
  versionId: 12,
  bytes: 4200,
}
const sample: GcReport = {
  dryRun: true,
  looked: 5000,
  removed: { versions: 40, bytes: 160_000 },
  dropped: { versions: 1, bytes: 2000 },
  reasons: {
    age: none,
    versions: { versions: 40, bytes: 160_000 },
    size: none,
    unwanted: { versions: 1, bytes: 2000 },
  },
  sources: [
    { source: '.example', age: none, versions: { versions: 40, bytes: 160_000 }, size: none, unwanted: none },
    { source: '*', age: none, versions: none, size: none, unwanted: { versions: 1, bytes: 2000 } },
  ],
  kept: { held: 2, shared: 1, damaged: 0, changed: 0 },
  overflow: [{ source: '*', bytes: 7e9, maxBytes: 5e9 }],
  examples: [item],
  files: { rewritten: 0, removed: 0, freedBytes: 0, leftAlone: [] },
  seconds: 2,
  finished: true,
}

describe('erace gc', () => {
  const folder = useCliFolder()

  const engineOf = (report: GcReport, items: GcItem[] = [], requests: GcRequest[] = []): Partial<Engine> => ({
    async gc(request, { onItem, onProgress }) {
      requests.push(request)
      onProgress({ kind: 'looking', looked: 10, going: 2, bytes: 3000 })
      for (const each of items) onItem(each)
      return report
    },
  })

  test('a dry run shows what would be removed, why, and what is kept', async () => {
    const requests: GcRequest[] = []
    const argv = ['gc', '--dry-run', '--retention', 'versions=3']
    const { code, out, err } = await folder.run(argv, { engine: engineOf(sample, [item], requests) })
    assert.equal(code, 0)
    assert.equal(err, '')
    assert.equal(requests[0]?.dryRun, true)
    assert.deepEqual(requests[0]?.config.retention, { kind: 'limits', maxAgeMs: null, maxVersions: 3, maxBytes: null })
    assert.equal(
      out,
      [
        'would remove 40 (160 KB) versions and 1 (2.0 KB) bodies, out of 5,000 versions',
        '  more newer versions than the retention limit      40  160 KB',
        '  no profile needs it: body removed, metadata kept   1  2.0 KB',
        'by source:',
        '  .example: versions           40  160 KB',
        '  all other sources: unwanted   1  2.0 KB',
        '  kept: not yet retrieved by a recipient   2',
        '  kept: other versions share their bodies  1',
        '  all other sources: 7.0 GB must be kept, over the limit of 5.0 GB',
        'the first ones (use --all to list all 41):',
        '  remove  versions    4.2 KB  http://a.example/?@3',
        'nothing changed; 2s',
        '',
      ].join('\n'),
    )
  })

  test('a run reports on the files, and lists those not rewritten', async () => {
    const files = { rewritten: 2, removed: 1, freedBytes: 90_000, leftAlone: [{ file: 'x.warc', message: 'damaged' }] }
    const { out } = await folder.run(['gc'], { engine: engineOf({ ...sample, dryRun: false, files }) })
    assert.match(out, /^removed 40/)
    assert.match(
      out,
      /archive files: 2 rewritten, 1 removed, 90\.0 KB freed\n {2}not rewritten: x\.warc: damaged\n2s\n$/,
    )
  })

  test('--json prints one object, with all items if --all is given', async () => {
    const plain = await folder.run(['gc', '--json'], { engine: engineOf(sample, [item]) })
    assert.deepEqual(JSON.parse(plain.out), sample)
    const items = [item, { ...item, n: 2 }]
    const all = await folder.run(['gc', '--json', '--all'], { engine: engineOf(sample, items) })
    assert.deepEqual(JSON.parse(all.out), { items, ...sample })
    const nothing = await folder.run(['gc', '--json', '--all'], { engine: engineOf(sample) })
    assert.deepEqual(JSON.parse(nothing.out), { items: [], ...sample })
  })

  test('--all lists every item as a line of text in place of the examples', async () => {
    const { out } = await folder.run(['gc', '--all'], { engine: engineOf(sample, [item, { ...item, n: 2 }]) })
    assert.match(out, /^remove {2}versions {4}4\.2 KB {2}http:\/\/a\.example\/\?@3\nremove .*@2\nwould remove/)
    assert.doesNotMatch(out, /the first ones/)
  })

  test('a failure in the middle of a list still gives one JSON object', async () => {
    const engine: Partial<Engine> = {
      async gc(_, { onItem }) {
        onItem(item)
        throw new AppError('store-full', 'the disk is full')
      },
    }
    const { code, out } = await folder.run(['gc', '--all', '--json'], { engine })
    assert.equal(code, 1)
    assert.deepEqual(JSON.parse(out), { items: [item], error: { code: 'store-full', message: 'the disk is full' } })
  })

  test('an interrupted run exits with 130, and a terminal shows its progress', async () => {
    const { code, out, err } = await folder.run(['gc'], {
      engine: engineOf({ ...sample, finished: false }),
      columns: 80,
    })
    assert.equal(code, 130)
    assert.match(out, /interrupted; run it again to continue/)
    assert.match(err, /^\r10 versions checked · 2 to remove · 3\.0 KB\r +\r$/)
  })

  test('reports all usage errors', async () => {
    const { code, err } = await folder.run(['gc', 'now', '--retention', 'age=x,versions=0', '--dryrun'])
    assert.equal(code, 2)
    for (const part of [/now: gc takes no arguments/, /--retention\.age: /, /--retention\.versions: /, /--dry-run/])
      assert.match(err, part)
  })
})
