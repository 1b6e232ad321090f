import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawlLong } from './crawl.ts'
import { watchLong } from './watch.ts'

function columnsOf({ columns, rows }: { columns: string[]; rows: (string | number)[][] }) {
  return (name: string): number[] => rows.map((row) => Number(row[columns.indexOf(name)]))
}

test('the crawl benchmark takes samples after equal shares of the pages', async () => {
  // Eight pages at a time, each after 100 ms, so that there are many looks before it ends.
  const web = { pages: 300, hosts: 20, pageBytes: 8000, links: 40, seed: 1, latencyMs: 100 }
  const table = await crawlLong({ ...web, fetchers: 8, perHost: 2, threads: 1, samples: 3 })
  const column = columnsOf(table)
  // The last look may come after the end.
  assert.ok(table.rows.length >= 2, `${table.rows.length} samples`)
  for (const [at, pages] of column('pages').entries()) assert.ok(pages >= 99 * (at + 1), `${pages}`)
  assert.ok(column('disk MB').at(-1)! >= 1)
  assert.ok(table.stats.peakRssMb! > 50)
  assert.match(table.notes!.join(' '), /300 of 300 pages.* 300 stored, 0 failed; 0 pages were asked for twice/)
})

test('the watch benchmark simulates hours in seconds: checks sources, stores and matches changes', async () => {
  const sources = 60
  const table = await watchLong({ sources, hosts: 6, changesPerHour: 500, hours: 3, everyHours: 1, speed: 1800 })
  const column = columnsOf(table)
  const sum = (name: string): number => column(name).reduce((total, value) => total + value, 0)
  assert.deepEqual(column('hour'), [1, 2, 3])
  assert.ok(sum('checks') >= 2 * sources, `${sum('checks')} checks`)
  assert.ok(sum('304') > 0)
  assert.ok(sum('new versions') > sources, `${sum('new versions')} versions`)
  assert.ok(sum('annotations') > 0)
  assert.ok(table.stats.checksToExpected! > 0.6)
})
