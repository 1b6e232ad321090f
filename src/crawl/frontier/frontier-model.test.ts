import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Offer } from '../../core/request.ts'
import { batchOf, offerOf } from '../../store/conformance/samples.testkit.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import { answered, nextTurn, openField, type Taken } from './frontier.testkit.ts'

/**
 * A random life of a frontier: offers, takes, releases, settles, restarts and kills in any order, over a store whose
 * answers come late and in any order. In every case, each URL ends exactly once, no request is in flight twice at
 * a time, and no host is asked before its delay has passed.
 */
const DELAY_MS = 100

function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return { below: (n: number): number => Math.floor(next() * n), chance: (p: number): boolean => next() < p }
}

type Random = ReturnType<typeof createRandom>

/** Delays the answers to reads by a few turns; they reflect the state at the time of the read. */
function slowed(store: FrontierStore, random: Random): FrontierStore {
  const late = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer
    for (let turns = random.below(4); turns > 0; turns--) await nextTurn()
    return value
  }
  return {
    ...store,
    next: (...query) => late(store.next(...query)),
    hosts: async (...query) => late(store.hosts(...query).then((found) => found.map((state) => ({ ...state })))),
  }
}

async function live(seed: number, rises = false): Promise<void> {
  const random = createRandom(seed)
  const perHost = 1 + random.below(2)
  const field = await openField({
    perHost,
    maxHostQueues: 1 + random.below(6),
    bufferRows: 1 + random.below(60),
    rules: { delayMs: DELAY_MS },
    rises,
    through: (store) => slowed(store, random),
  })
  const order = random.below(3)
  const accepted = new Set<string>()
  const ended = new Set<string>()
  const out = new Map<string, Taken & { freeBefore: number }>()
  let released: Taken[] = []
  /** The earliest time at which a host may be asked again. */
  const free = new Map<string, number>()
  let level = 0
  let killedAt = 0

  function someOffers(): Offer[] {
    level++
    return Array.from({ length: random.below(40) }, () => {
      const priority = order === 0 ? level : order === 1 ? -level : random.below(10)
      const rising = rises ? ({ rises: 'sum', priority: -random.below(5) } as const) : {}
      const link = offerOf(field.hostOf(random.below(7)), `/${random.below(80)}`, { priority, ...rising })
      accepted.add(link.url)
      return link
    })
  }

  const leaveAlone = (host: string): void => void free.set(host, field.clock.now() + DELAY_MS)

  function take(): void {
    const taken = field.frontier.take()
    if (taken === null) return
    const { url, host } = taken.request
    assert.ok(!ended.has(url), `${url} had ended`)
    assert.ok(!out.has(url), `${url} is out already`)
    assert.ok(!released.some(({ request }) => request.url === url), `${url} is not settled yet`)
    assert.ok((free.get(host) ?? 0) <= field.clock.now(), `${host} is asked too soon`)
    out.set(url, { ...taken, freeBefore: free.get(host) ?? 0 })
    if (perHost > 1) leaveAlone(host)
  }

  function release(): void {
    const taken = [...out.values()][random.below(out.size)]
    if (taken === undefined) return
    out.delete(taken.request.url)
    if (random.chance(0.1)) {
      free.set(taken.request.host, taken.freeBefore) // no request was sent
      field.frontier.putBack(taken.hostQueue, taken.request)
      return
    }
    field.frontier.release(taken.hostQueue, answered)
    leaveAlone(taken.request.host)
    released.push(taken)
  }

  async function settle(offers: Offer[]): Promise<void> {
    const batch = released
    released = []
    const again = batch.filter(() => random.chance(0.1))
    const done = batch.filter((taken) => !again.includes(taken))
    for (const { request } of done) ended.add(request.url)
    const { removed } = await field.store.settle(
      batchOf({
        offers,
        done: done.map(({ request }) => request),
        again: again.map(({ request }) => ({ ...request, attempts: request.attempts + 1 })),
        hosts: field.frontier.changedClocks(field.lease),
      }),
    )
    assert.equal(removed, batch.length)
    for (const { hostQueue, request } of batch) field.frontier.completed(hostQueue, request)
  }

  async function restart(): Promise<void> {
    const how = random.chance(0.5) ? 'kill' : 'close'
    if (how === 'close' && field.clock.now() < killedAt + DELAY_MS) return // the pause after a kill is not kept
    if (how === 'kill') {
      killedAt = field.clock.now()
      // Requests in flight may reach their hosts until now.
      for (const { request } of [...out.values(), ...released]) leaveAlone(request.host)
      out.clear()
      released = []
    } else {
      while (out.size > 0) release()
      await settle([])
    }
    await field.restart(how)
  }

  async function step(offering: boolean): Promise<void> {
    const dice = random.below(100)
    if (dice < 40) take()
    else if (dice < 60) release()
    else if (dice < 70) await settle(offering && random.chance(0.5) ? someOffers() : [])
    else if (dice < 74 && offering) await field.offer(someOffers())
    else if (dice < 90) field.clock.advance(random.below(2 * DELAY_MS))
    else if (dice > 90) await nextTurn()
    else if (random.chance(offering ? 0.8 : 0.1)) await restart()
  }

  try {
    for (let n = 0; n < 400; n++) await step(true)
    for (let n = 0; field.store.counts().queued > 0; n++) {
      assert.ok(n < 60_000, `${field.store.counts().queued} requests were never handed out`)
      await step(false)
    }
    assert.deepEqual([...ended].sort(), [...accepted].sort())
  } finally {
    await field.destroy()
  }
}

describe('frontier under random operations', () => {
  for (let seed = 1; seed <= 12; seed++) test(`finishes each URL exactly once (seed ${seed})`, () => live(seed))
  for (let seed = 21; seed <= 28; seed++)
    test(`finishes each URL exactly once while priorities rise (seed ${seed})`, () => live(seed, true))
})
