import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nodeOf, snapshotOf } from './top.testkit.ts'
import { ratesOf, rowsOf, type TopView, topLines, topReport } from './top-screen.ts'

const LEASE_MS = 15_000

function viewOf(parts: Partial<TopView> = {}): TopView {
  return {
    before: null,
    snapshot: snapshotOf(),
    leaseMs: LEASE_MS,
    size: { columns: 80, rows: 24 },
    colour: false,
    selected: 0,
    message: '',
    help: false,
    ...parts,
  }
}

describe('erace top screen', () => {
  test('shows the cluster and its nodes in 80 columns and 24 lines', () => {
    const lost = nodeOf({ id: 'm9-1-ffffff', name: 'm9', seenMsAgo: 192_000, partitions: 0 })
    const lines = topLines(viewOf({ snapshot: snapshotOf({ nodes: [nodeOf(), lost], freePartitions: 3 }) }))
    assert.equal(lines.length, 24)
    assert.deepEqual(lines.slice(0, 6), [
      'erace top  2 nodes, 1 lost  run 3 running  leader m2-9-012345',
      '12.3 pages/s  3 unassigned partitions',
      'queue 1,234,567  hosts 4,321  to process 12  seen 9,000,000',
      '  NODE       ROLE   STATE    PART PAGES/S   FLY  QUEUE ERRORS  REF  MEMORY   LAG',
      '> m1         worker running    64    12.3    40    12k      3    1  210 MB  0.4s',
      '  m9         worker lost        0     0.0     0    12k      3    1  210 MB 3m12s',
    ])
    assert.deepEqual(lines.slice(-2), ['m1-7-abcdef', 'q quit  ? help  j/k select  d drain  p pause'.padEnd(80)])
  })

  test('lists hosts that hold a large share of the queue', () => {
    const heavyHosts = [
      { host: 'large.example', queued: 600 },
      { host: 'evil\u001b[2J.example', queued: 200 },
      { host: 'small.example', queued: 40 },
    ]
    const heavy = topLines(viewOf({ snapshot: snapshotOf({ queued: 900, heavyHosts }) }))
    assert.match(heavy[3]!, /^longest queues: {2}large\.example 600 {2}evil\S*\.example 200$/)
    assert.ok(!heavy.join('').includes('\u001b'))
    const even = topLines(viewOf({ snapshot: snapshotOf({ queued: 90_000, heavyHosts }) }))
    assert.ok(!even.join('\n').includes('longest queues'))
  })

  test('shows host, PID and last error of each node on wide terminals', () => {
    const node = nodeOf({ stats: { lastError: 'connect ECONNREFUSED' } })
    const lines = topLines(viewOf({ snapshot: snapshotOf({ nodes: [node] }), size: { columns: 160, rows: 10 } }))
    assert.match(lines[3]!, /HOST:PID .* LAST ERROR$/)
    assert.match(lines[4]!, /m1\.example:7 .* connect ECONNREFUSED$/)
  })

  for (const columns of [1, 20, 40, 60, 79, 80, 100, 131, 132, 300])
    test(`never exceeds ${columns} columns or the number of rows`, () => {
      const nodes = Array.from({ length: 50 }, (_, n) => nodeOf({ id: `${n}`, name: 'x'.repeat(n * 3) }))
      for (const rows of [1, 3, 5, 8, 24])
        for (const help of [false, true]) {
          const size = { columns, rows }
          const lines = topLines(viewOf({ snapshot: snapshotOf({ nodes, paused: true }), size, selected: 40, help }))
          assert.ok(lines.length <= rows)
          assert.ok(lines.every((line) => line.length <= columns))
        }
    })

  test('always shows the selected node', () => {
    const nodes = Array.from({ length: 100 }, (_, n) => nodeOf({ id: `${n}`, name: `node${n}` }))
    for (const selected of [0, 1, 50, 98, 99]) {
      const lines = topLines(viewOf({ snapshot: snapshotOf({ nodes }), selected }))
      assert.ok(
        lines.some((line) => line.startsWith(`> node${selected} `)),
        String(selected),
      )
      assert.equal(lines.filter((line) => /^[> ] node/.test(line)).length, 18)
    }
  })

  test('replaces control characters in node reports', () => {
    const evil = '\u001b[2J\u009b31m\u202e\r\n\u0007'
    const node = nodeOf({ id: `id${evil}`, name: `name${evil}`, host: evil, role: evil as 'worker' })
    node.stats = { lastError: `error${evil}`, perSecond: 'many', queued: null, rssBytes: Number.NaN, failed: {} }
    const snapshot = snapshotOf({ nodes: [node], leader: `leader${evil}` })
    for (const columns of [80, 200]) {
      const text = topLines(viewOf({ snapshot, size: { columns, rows: 24 } })).join('')
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u)
      assert.match(text, /error\?/)
    }
    assert.doesNotMatch(topReport(snapshot, LEASE_MS).replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
  })

  test('uses colours only when enabled', () => {
    const isColoured = (colour: boolean) => topLines(viewOf({ colour })).some((line) => line.includes('\u001b'))
    assert.deepEqual([isColoured(true), isColoured(false)], [true, false])
  })

  test('explains a paused or throttled crawl, and how to start the first node', () => {
    assert.match(topLines(viewOf({ snapshot: snapshotOf({ paused: true }) })).join('\n'), /^PAUSED: press p/m)
    assert.match(topLines(viewOf({ snapshot: snapshotOf({ held: true }) })).join('\n'), /^THROTTLED: /m)
    const empty = topLines(viewOf({ snapshot: snapshotOf({ nodes: [], run: null, leader: '' }), selected: -1 })).join(
      '\n',
    )
    assert.match(empty, /0 nodes {2}no run yet {2}no leader/)
    assert.match(empty, /start one with erace worker --store …/)
  })

  test('shows a message in place of the key hints', () => {
    assert.equal(topLines(viewOf({ message: 'drain m1? (y/n)' })).at(-1), 'drain m1? (y/n)'.padEnd(80))
  })
})

describe('erace top figures', () => {
  test('derive node states from heartbeats, orders and reports', () => {
    const stateOf = (parts: Parameters<typeof nodeOf>[0], paused = false) =>
      rowsOf(snapshotOf({ nodes: [nodeOf(parts)], paused }), LEASE_MS)[0]!.state
    assert.equal(stateOf({}), 'running')
    assert.equal(stateOf({ seenMsAgo: 5_000 }), 'behind')
    assert.equal(stateOf({ seenMsAgo: 15_001, draining: true }), 'lost')
    assert.equal(stateOf({ draining: true }, true), 'draining')
    assert.equal(stateOf({}, true), 'paused')
    assert.equal(stateOf({ role: 'serve' }, true), 'running')
    assert.equal(stateOf({ stats: { paused: 1 } }), 'paused')
    assert.equal(stateOf({ stats: null as never }), 'running')
  })

  test('derive byte and error rates from two snapshots, ignoring nodes that joined or left', () => {
    const stats = (bytes: number, failed: number, perSecond = 10) => ({ bytes, failed, perSecond })
    const before = snapshotOf({
      nodes: [
        nodeOf({ id: 'a', startedMsAgo: 10_000, seenMsAgo: 900, stats: stats(1_000, 5) }),
        nodeOf({ id: 'gone', stats: stats(9e9, 99) }),
      ],
    })
    const after = snapshotOf({
      nodes: [
        nodeOf({ id: 'a', startedMsAgo: 15_000, seenMsAgo: 900, stats: stats(11_000, 10) }),
        nodeOf({ id: 'new', startedMsAgo: 1_000, seenMsAgo: 10, stats: stats(5e9, 50) }),
        nodeOf({ id: 'lost', seenMsAgo: 60_000, stats: stats(5e9, 50) }),
      ],
    })
    assert.deepEqual(ratesOf(before, after, LEASE_MS), { pages: 20, bytes: 2_000, errors: 1 })
    assert.deepEqual(ratesOf(null, after, LEASE_MS), { pages: 20, bytes: null, errors: null })
    assert.deepEqual(ratesOf(after, after, LEASE_MS), { pages: 20, bytes: 0, errors: 0 })
  })
})
