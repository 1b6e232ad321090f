import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import type { KeptTables } from '../../store/contracts/frontier.ts'
import { createHostTables } from './host-tables.ts'

const origin = 'http://a.example'
const DAY_MS = 86_400_000

function createWorld(probeAfter = 8) {
  const kept = new Map<string, KeptTables>()
  const clock = { time: 0, now: () => clock.time }
  const store = {
    loadTables: async (asked: string) => kept.get(asked) ?? null,
    async saveTables(asked: string, tables: KeptTables) {
      kept.set(asked, tables)
    },
  }
  const open = () => createHostTables({ store, clock, probeAfter })
  return { kept, clock, store, open }
}

describe('host tables', () => {
  test('probes a host once, after its first pages', async () => {
    const hosts = createWorld().open()
    await hosts.load(origin)
    const probed = Array.from({ length: 12 }, () => {
      hosts.of(origin)
      return hosts.mayProbe(origin)
    })
    assert.deepEqual(
      probed.map((isProbe, page) => (isProbe ? page + 1 : 0)).filter((page) => page > 0),
      [9],
    )
  })

  test('remembers the result of a probe in the store until it expires', async () => {
    const { open, clock } = createWorld(0)
    const first = open()
    await first.load(origin)
    first.of(origin)
    assert.ok(first.mayProbe(origin))
    await first.note(origin, 'found')
    assert.ok(first.isOffered(origin))
    const second = open()
    assert.equal(await second.load(origin), 'offered')
    assert.equal(second.mayProbe(origin), false)
    clock.time = 8 * DAY_MS
    second.of(origin)
    assert.equal(second.isOffered(origin), false)
    assert.ok(second.mayProbe(origin))
    assert.equal(await open().load(origin), 'unknown')
  })

  test('remembers that a probe found nothing', async () => {
    const { open, kept } = createWorld(0)
    const hosts = open()
    await hosts.note(origin, 'missing')
    assert.equal(kept.get(origin)?.kind, 'none')
    assert.equal(await open().load(origin), 'none')
  })

  test('stops using tables that are wrong, missing or late too often', async () => {
    const offered = async () => {
      const world = createWorld(0)
      const hosts = world.open()
      await hosts.note(origin, 'found')
      return { ...world, hosts }
    }
    const wrong = await offered()
    for (let n = 0; n < 3; n++) await wrong.hosts.note(origin, 'wrong')
    assert.deepEqual([wrong.hosts.isOffered(origin), wrong.kept.get(origin)?.kind], [false, 'wrong'])
    const mostlyRight = await offered()
    for (let n = 0; n < 100; n++) await mostlyRight.hosts.note(origin, 'right')
    for (let n = 0; n < 5; n++) await mostlyRight.hosts.note(origin, 'wrong')
    assert.ok(mostlyRight.hosts.isOffered(origin))
    const missing = await offered()
    for (let n = 0; n < 9; n++) await missing.hosts.note(origin, 'missing')
    assert.equal(missing.hosts.isOffered(origin), false)
    const late = await offered()
    for (let n = 0; n < 19; n++) await late.hosts.note(origin, 'late')
    assert.deepEqual([late.hosts.isOffered(origin), late.kept.get(origin)?.kind], [false, 'offered'])
  })

  test('keeps working if the store is full', async () => {
    const full = async () => {
      throw new AppError('store-full', 'no room')
    }
    const hosts = createHostTables({
      store: { loadTables: full, saveTables: full },
      clock: { now: () => 0 },
      probeAfter: 0,
    })
    assert.equal(await hosts.load(origin), 'unknown')
    await hosts.note(origin, 'found')
    assert.ok(hosts.isOffered(origin))
  })

  test('limits the number of origins in memory', async () => {
    const hosts = createWorld(0).open()
    for (let n = 0; n <= 10_000; n++) await hosts.note(`http://${n}.example`, 'found')
    assert.deepEqual([hosts.isOffered('http://0.example'), hosts.isOffered('http://10000.example')], [false, true])
  })
})
