import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import type { Scope, TimeWindow } from '../../../core/profile.ts'
import { createRandom, DAY, HOUR, MINUTE, openScheduler, type Random } from '../scheduler.testkit.ts'
import { serviceLevels } from '../watch.ts'
import { createCoalescer, forwardTouched } from './coalesce.ts'
import { coversPage } from './coverage.ts'
import { type Urd, watchKey } from './urd.ts'

const uri = 'https://www.example.org/news/'

function urdOf(id: number, values: Partial<Urd> = {}): Urd {
  return {
    id,
    watch: 1,
    owner: `user ${id}`,
    level: 'bronze',
    host: 'www.example.org',
    everyMs: HOUR,
    everyMaxMs: DAY,
    depth: 1,
    scope: { kind: 'host' },
    urgency: 1,
    window: null,
    paused: false,
    ...values,
  }
}

const night: TimeWindow = { zone: 'Europe/Athens', days: [1, 2, 3], fromMinute: 60, toMinute: 300 }
const noon: TimeWindow = { zone: 'UTC', days: [7], fromMinute: 660, toMinute: 780 }

describe('URDs of one source', () => {
  test('merge into one watch with the shortest interval, largest depth, and highest level and urgency', () => {
    const coalescer = createCoalescer()
    coalescer.put(urdOf(1, { everyMs: 2 * HOUR, everyMaxMs: 3 * HOUR, depth: 4 }))
    coalescer.put(urdOf(2, { everyMs: MINUTE, level: 'gold', owner: 'ann' }))
    coalescer.put(urdOf(3, { urgency: 5, watch: 2 }))
    coalescer.put(urdOf(4, { urgency: 3, level: 'silver', owner: 'ann' }))
    const watch = coalescer.watch(1)!
    assert.deepEqual(
      { ...watch, reaches: undefined },
      {
        id: 1,
        level: 'gold',
        host: 'www.example.org',
        payers: ['ann', 'user 1'],
        everyMs: MINUTE,
        everyMaxMs: 3 * HOUR,
        urgency: 3,
        windows: null,
        paused: false,
        // Ann counts once, as gold; the other owner is bronze.
        demand: 4.25,
        owners: 3,
        depth: 4,
        reaches: undefined,
      },
    )
    assert.deepEqual(coalescer.size(), { urds: 4, watches: 2 })
  })

  test('combine their windows, or have none if one URD has no window', () => {
    const coalescer = createCoalescer()
    coalescer.put(urdOf(1, { window: night }))
    coalescer.put(urdOf(2, { window: noon }))
    coalescer.put(urdOf(3, { window: { ...night } }))
    assert.deepEqual(coalescer.watch(1)?.windows, [night, noon])
    coalescer.put(urdOf(4))
    assert.equal(coalescer.watch(1)?.windows, null)
  })

  test('combine their scopes, dropping those covered by wider ones', () => {
    const coalescer = createCoalescer()
    const scopes: [Scope, number][] = [
      [{ kind: 'page' }, 0],
      [{ kind: 'path' }, 5],
      [{ kind: 'host' }, 3],
      [{ kind: 'domain' }, 3],
      [{ kind: 'pattern', source: 'sport' }, 1],
      [{ kind: 'pattern', source: 'sport' }, 2],
    ]
    for (const [index, [scope, depth]] of scopes.entries()) coalescer.put(urdOf(index, { scope, depth }))
    assert.deepEqual(coalescer.watch(1)?.reaches, [
      { scope: { kind: 'domain' }, depth: 3 },
      { scope: { kind: 'path' }, depth: 5 },
      { scope: { kind: 'pattern', source: 'sport' }, depth: 2 },
    ])
  })

  test('are returned exactly as they were put', () => {
    const coalescer = createCoalescer()
    const urds = [
      urdOf(1, { window: night, scope: { kind: 'pattern', source: 'a|b' }, paused: true }),
      urdOf(2, { scope: { kind: 'domain' }, level: 'silver' }),
      urdOf(3, { scope: { kind: 'page' } }),
    ]
    for (const urd of urds) coalescer.put(urd)
    assert.deepEqual(
      coalescer.urdsOf(1).sort((a, b) => a.id - b.id),
      urds,
    )
    assert.deepEqual(coalescer.urdsOf(9), [])
  })

  test('are ignored while paused', () => {
    const coalescer = createCoalescer()
    coalescer.put(urdOf(1))
    coalescer.put(urdOf(2, { everyMs: MINUTE }))
    coalescer.pause(2, true)
    assert.equal(coalescer.watch(1)?.everyMs, HOUR)
    coalescer.pause(1, true)
    assert.equal(coalescer.watch(1)?.paused, true)
    coalescer.pause(2, false)
    assert.equal(coalescer.watch(1)?.everyMs, MINUTE)
  })

  test('with an invalid watch id, interval, time zone or pattern are rejected without any change', () => {
    const coalescer = createCoalescer()
    coalescer.put(urdOf(1))
    coalescer.takeTouched()
    const wrong: Partial<Urd>[] = [
      { watch: -4 },
      { everyMs: Number.NaN },
      { window: { ...night, zone: 'Mars/Olympus' } },
      { scope: { kind: 'pattern', source: '(' } },
    ]
    for (const values of wrong) assert.throws(() => coalescer.put(urdOf(1, values)), isAppError)
    assert.deepEqual(coalescer.urdsOf(1), [urdOf(1)])
    assert.deepEqual(coalescer.takeTouched(), [])
  })

  test('with unlimited depth cover links at any distance', () => {
    const coalescer = createCoalescer()
    coalescer.put(urdOf(1, { depth: Number.POSITIVE_INFINITY }))
    assert.ok(
      coalescer.watch(1)!.reaches.some((reach) => coversPage({ ...reach, uri }, { url: `${uri}a`, hops: 1_000_000 })),
    )
  })
})

test('watch keys are equal for the same kind and URI, and differ between kinds', () => {
  assert.equal(watchKey('web', uri), watchKey('web', uri))
  assert.notEqual(watchKey('web', uri), watchKey('files', uri))
})

test('every profile change reaches the scheduler', () => {
  const coalescer = createCoalescer()
  const { scheduler, takeIds, finish, clock } = openScheduler()
  const forward = () => forwardTouched(coalescer, scheduler)
  coalescer.put(urdOf(1))
  coalescer.put(urdOf(2, { watch: 2 }))
  forward()
  for (const id of takeIds()) finish(id)
  assert.deepEqual(coalescer.takeTouched(), [])

  // A source changes: the old watch goes, the new one is checked at once.
  coalescer.put(urdOf(1, { watch: 3 }))
  forward()
  assert.deepEqual(takeIds(), [3])
  assert.equal(scheduler.snapshot(1), undefined)

  // A second owner of a known source wants it every minute.
  clock.advance(2 * MINUTE)
  coalescer.put(urdOf(7, { watch: 2, everyMs: MINUTE }))
  forward()
  assert.deepEqual(takeIds(), [2])

  coalescer.remove(7)
  coalescer.pause(2, true)
  forward()
  finish(2)
  assert.equal(scheduler.snapshot(2)?.state, 'paused')
  coalescer.remove(2)
  forward()
  assert.equal(scheduler.snapshot(2), undefined)
})

const scopes: Scope[] = [
  { kind: 'page' },
  { kind: 'path' },
  { kind: 'host' },
  { kind: 'domain' },
  { kind: 'pattern', source: '[13]\\.html$' },
  { kind: 'pattern', source: 'sport|news' },
]

function randomUrd(random: Random, id: number): Urd {
  return urdOf(id, {
    watch: 1 + random.below(4),
    owner: random.of(['ann', 'bob', 'eve']),
    level: random.of(serviceLevels),
    everyMs: (1 + random.below(9)) * MINUTE,
    depth: random.below(4),
    scope: random.of(scopes),
    window: random.of([null, night, noon]),
    paused: random.chance(0.2),
  })
}

test('after random changes to URDs, a merged watch covers a page exactly if an active URD does', () => {
  const urls = [uri, `${uri}1.html`, `${uri}2.html`, 'https://www.example.org/sport/3.html', 'https://example.org/']
  for (let seed = 1; seed <= 30; seed++) {
    const random = createRandom(seed)
    const coalescer = createCoalescer()
    const model = new Map<number, Urd>()
    for (let step = 0; step < 300; step++) {
      const id = random.below(40)
      const known = model.get(id)
      if (random.chance(0.6)) {
        const urd = randomUrd(random, id)
        coalescer.put(urd)
        model.set(id, urd)
      } else if (random.chance(0.5)) {
        coalescer.remove(id)
        model.delete(id)
      } else if (known !== undefined) {
        coalescer.pause(id, !known.paused)
        model.set(id, { ...known, paused: !known.paused })
      }
      const watch = 1 + random.below(4)
      const page = { url: random.of([...urls, 'https://other.example/news/1.html']), hops: random.below(4) }
      const active = [...model.values()].filter((urd) => urd.watch === watch && !urd.paused)
      const isCovered = active.some((urd) => coversPage({ ...urd, uri }, page))
      const merged = coalescer.watch(watch)
      assert.equal(merged?.owners ?? 0, active.length)
      if (merged === undefined || active.length === 0) continue
      assert.equal(
        merged.reaches.some((reach) => coversPage({ ...reach, uri }, page)),
        isCovered,
      )
      assert.equal(merged.everyMs, Math.min(...active.map(({ everyMs }) => everyMs)))
    }
    assert.equal(coalescer.size().urds, model.size)
  }
})
