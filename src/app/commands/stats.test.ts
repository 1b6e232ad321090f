import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { goneWith, pageWith } from '../../archive/export/export.testkit.ts'
import type { StatsReport } from '../../core/reports/stats-report.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { type CommandTarget, createPostgresTarget, createSqliteTarget } from '../engines/targets.testkit.ts'

usePostgres()

const day = 86_400_000
const at = Date.UTC(2026, 0, 1)
const english =
  'The whales that pass by the lighthouse are counted by the keepers of the island, and it is known to all that they were seen from the cliffs. '
const german =
  'Die Wale werden von den Wärtern auf der Insel gezählt, und es ist nicht bekannt, ob sie auch bei Nacht an dem Leuchtturm vorbeiziehen oder nicht'

/** A seed, pages one and two links away, one that changes daily, two equal ones, two nearly equal ones, one that is gone. */
function* captures(): Generator<Capture> {
  const seed = 'http://a.example/'
  const nginx = { headers: ['Server', 'nginx/1.25 (Debian)'], at }
  yield {
    ...pageWith('a.example', '/', `<p>${english.repeat(8)}`, { ...nginx, links: [`${seed}1`, `${seed}2`] }),
    parent: '',
  }
  yield {
    ...pageWith('a.example', '/1', `<p>${english.repeat(8)} today`, { ...nginx, links: [`${seed}2`] }),
    parent: seed,
  }
  yield { ...pageWith('a.example', '/2', `<p>${german}`, { at }), parent: `${seed}1` }
  yield { ...pageWith('b.example', '/x', '<p>equal', { at }), parent: 'http://unknown.example/' }
  yield { ...pageWith('b.example', '/y', '<p>equal', { at }), parent: seed }
  yield { ...pageWith('b.example', '/gone', '<p>for a while', { at }), parent: seed }
  yield goneWith('b.example', '/gone', at + day)
  for (let n = 1; n <= 4; n++)
    yield { ...pageWith('b.example', '/news', `<p>number ${n}`, { at: at + (n * day) / 2 }), parent: seed }
}

function rowsOf({ tables }: StatsReport, id: string): Record<string, number> {
  const { rows } = tables.find((table) => table.id === id)!
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]))
}

describe('erace stats', () => {
  let targets: CommandTarget[] = []
  before(async () => {
    targets = [await createSqliteTarget(captures()), await createPostgresTarget(captures())]
  })
  after(async () => {
    for (const target of targets) await target.destroy()
  })

  test('counts the same on a data folder and on a shared store', async () => {
    for (const target of targets) {
      const report = (await target.run(['stats', '--json'])).json() as unknown as StatsReport
      const { documents, kept, hosts, sample, duplicates, interrupted } = report
      assert.deepEqual(
        { documents, kept, hosts, sample, duplicates, interrupted },
        {
          ...{ documents: 7, kept: 6, hosts: 2, sample: { read: 6, of: 6 }, interrupted: false },
          duplicates: { exact: 1, near: 1, compared: 3 },
        },
        target.name,
      )
      assert.deepEqual(rowsOf(report, 'hosts'), { 'b.example': 4, 'a.example': 3 })
      assert.deepEqual(rowsOf(report, 'distances'), { 0: 1, 1: 4, 2: 1 })
      assert.deepEqual(rowsOf(report, 'mediaTypes'), { 'text/html': 6 })
      assert.deepEqual(rowsOf(report, 'servers'), { nginx: 2, 'not named': 4 })
      assert.deepEqual(rowsOf(report, 'languages'), { en: 2, de: 1, unknown: 3 })
      assert.deepEqual(rowsOf(report, 'versions'), { 1: 5, '3–4': 1 })
      assert.deepEqual(rowsOf(report, 'changes'), { 'checked once': 5, 'daily to hourly': 1 })
      assert.deepEqual(rowsOf(report, 'outDegrees'), { 0: 4, 1: 1, 2: 1 })
      assert.deepEqual(rowsOf(report, 'inDegrees'), { 1: 1, 2: 1 })
    }
  })

  test('reads only a sample with --sample, and reports its size', async () => {
    const { json } = await targets[0]!.run(['stats', '--json', '--sample', '2'])
    const { sample, documents } = json() as unknown as StatsReport
    assert.equal(documents, 7)
    assert.ok(sample.read < 6, `${sample.read} read`)
  })

  test('prints tables, and writes a self-contained HTML page without overwriting another', async () => {
    const [target] = targets
    const { code, out } = await target!.run(['stats', '--html', 'stats.html'])
    assert.equal(code, 0)
    assert.match(out, /Media types \(current versions\)\n {2}text\/html +6 +100\.0 %/)
    const page = readFileSync(join(target!.out, 'stats.html'), 'utf8')
    assert.match(page, /<rect width="66\.7"/)
    assert.doesNotMatch(page, /<script|https?:\/\//)
    const again = await target!.run(['stats', '--html', 'stats.html'])
    assert.equal(again.code, 2)
    assert.match(again.err, /already exists; use --force/)
  })
})
