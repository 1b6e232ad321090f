import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { noCheck, type Offer, type QueuedRequest, UNLIMITED_DEPTH } from '../../core/request.ts'
import { defaultOptions } from '../../store/conformance/engine.testkit.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { createWalk, createWalkRandom } from './walk.ts'

const PAGES = 200
const RESTART = 0.15
const WALKERS = 50

/** Links favour pages with small numbers; every ninth page is a dead end, and all can be reached from 0. */
function makeGraph(): number[][] {
  const random = createWalkRandom(7)
  return Array.from({ length: PAGES }, (_, page) => {
    if (page % 9 === 8) return []
    const links = new Set([(page + 1) % PAGES, (page + 2) % PAGES])
    const count = 1 + Math.floor(random(page, 0, 'link') * 8)
    for (let n = 0; n < count; n++) links.add(Math.floor(random(page, n, 'page') ** 3 * PAGES))
    return [...links]
  })
}

/** Stationary distribution of a walk, by power iteration. Restarts go to each page of `restarts` with equal probability. */
function stationary(graph: readonly number[][], restarts: readonly number[]): number[] {
  let now = new Array<number>(PAGES).fill(1 / PAGES)
  for (let round = 0; round < 300; round++) {
    const next = new Array<number>(PAGES).fill(0)
    let restarting = 0
    for (const [page, links] of graph.entries()) {
      const leaving = links.length === 0 ? now[page]! : RESTART * now[page]!
      restarting += leaving
      for (const link of links) next[link]! += (now[page]! - leaving) / links.length
    }
    for (const page of restarts) next[page]! += restarting / restarts.length
    now = next
  }
  return now
}

const offerOf = (page: number): Offer => ({
  ...{ url: `http://a.example/${page}`, host: 'a.example', fp: BigInt(page), parent: '', depth: UNLIMITED_DEPTH },
  ...{ hops: 0, redirects: 0, priority: 0, check: noCheck },
})

type Walked = { visits: number[]; steps: number; restarts: number; deadEnds: number }

/** The walk itself, on a real store; only the pages are made up. */
async function walk(
  graph: readonly number[][],
  from: 'given' | 'visited',
  steps: number,
  seeds: readonly number[],
): Promise<Walked> {
  const system = await sqliteEngine.create(defaultOptions)
  try {
    await system.open(1)
    const stores = sqliteEngine.openStores(system)
    const store = stores.walks
    const random = createWalkRandom(18)
    const walker = createWalk({ store, run: 1, walkers: WALKERS, restart: RESTART, from, random })
    let requests = await walker.begin(seeds.map(offerOf))
    for (let made = 0; made < steps; made += WALKERS) {
      const next = requests.map((offer) => {
        const request: QueuedRequest = { ...offer, hostId: 1, seq: 1, attempts: 0 }
        return walker.next(request, graph[Number(offer.fp)]!.map(offerOf), 'visited')
      })
      requests = (await Promise.all(next)).flat()
    }
    const { steps: made, restarts, deadEnds } = await store.stats(1, 0)
    const visits = new Array<number>(PAGES).fill(0)
    for (const { url, visits: times } of await store.visits(1, 1, PAGES + 1))
      visits[Number(url.split('/').at(-1))] = times
    stores.close()
    return { visits, steps: made, restarts, deadEnds }
  } finally {
    await system.destroy()
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Total variation distance: 0 for equal distributions, 1 for disjoint ones. */
function distance(visits: readonly number[], expected: readonly number[]): number {
  const total = sum(visits)
  return sum(visits.map((times, page) => Math.abs(times / total - expected[page]!))) / 2
}

function chiSquare(visits: readonly number[], expected: readonly number[]): number {
  const total = sum(visits)
  return sum(visits.map((times, page) => (times - total * expected[page]!) ** 2 / (total * expected[page]!)))
}

describe('a random walk', () => {
  const graph = makeGraph()
  const all = Array.from({ length: PAGES }, (_, page) => page)

  test('of 100,000 steps from one seed visits pages according to the stationary distribution', async () => {
    const expected = stationary(graph, all)
    const { visits, steps, restarts, deadEnds } = await walk(graph, 'visited', 100_000, [0])
    assert.equal(steps, 100_000)
    assert.equal(sum(visits), 100_000)
    // By chance alone, 100,000 independent draws of 200 pages have a distance of about 0.016.
    assert.ok(distance(visits, expected) < 0.025, `total variation ${distance(visits, expected)}`)
    // With 199 degrees of freedom; steps of a walk are not independent, so it may be somewhat more.
    const chi = chiSquare(visits, expected)
    assert.ok(chi < 1.6 * (PAGES - 1), `chi-square ${chi}`)
    const inDeadEnds = sum(visits.filter((_, page) => graph[page]!.length === 0))
    assert.equal(deadEnds, inDeadEnds)
    const rate = restarts / (steps - deadEnds)
    assert.ok(Math.abs(rate - RESTART) < 0.005, `restarts ${rate}`)
    // The same measures reject other distributions.
    assert.ok(
      distance(
        visits,
        all.map(() => 1 / PAGES),
      ) > 0.2,
    )
    assert.ok(chiSquare(visits, stationary(graph, [0])) > 20 * PAGES)
  })

  test('that restarts only at its seeds follows the corresponding stationary distribution', async () => {
    const seeds = [3, 50, 120]
    const expected = stationary(graph, seeds)
    const { visits } = await walk(graph, 'given', 20_000, seeds)
    assert.ok(distance(visits, expected) < 0.05, `total variation ${distance(visits, expected)}`)
    assert.ok(distance(visits, stationary(graph, all)) > 0.1)
  })
})
