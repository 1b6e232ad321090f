import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillDelivery } from './kill-delivery.ts'

for (const engine of ['embedded', 'cluster'])
  test(`delivery killed before recording a sent message loses nothing and resends under the same id (${engine})`, async () => {
    const { faults, reports } = await runKillDelivery({ engine, rounds: 3, seed: 4 })
    assert.deepEqual(faults, [])
    const [report] = reports
    assert.deepEqual([report!.rounds, report!.annotations, report!.lost], [3, 9, 0])
    assert.ok(report!.repeats > 0, 'no kill met a message that was not noted')
  })
