import { hash } from 'node:crypto'
import type { Offer, QueuedRequest } from '../../core/request.ts'
import type { WalkPage, WalkStep, WalkStore } from '../../store/contracts/walks.ts'

/**
 * Random walks with restarts (Mercator 5.3). A walker visits a page, follows one of its links, each with the same probability, and so on.
 * From time to time, and whenever there is no link to follow, it restarts at a random page of the seed set, which grows by the pages
 * visited.
 *
 * A walker is one request in the frontier: its priority is the walker's number and its hops are the number of its step. The store
 * decides and keeps the next step before the next request is offered, so a step is made only once even if the process dies. A page that
 * was visited before in this run is answered from the archive.
 */
export type Walk = {
  /** The first requests of all walkers; the same ones when a walk is resumed. */
  begin(seeds: readonly Offer[]): Promise<Offer[]>
  /** The request after this one. `links` are all links that may be followed, without repetitions. */
  next(request: QueuedRequest, links: readonly Offer[], visit: Visit): Promise<Offer[]>
}

/** `visited`: the page was read. `redirect`: it leads on, without a choice. `nothing`: it could not be read. */
export type Visit = 'visited' | 'redirect' | 'nothing'

export type WalkOptions = {
  store: WalkStore
  run: number
  walkers: number
  /** Probability that a walk restarts instead of following a link. */
  restart: number
  from: WalkStep['from']
  random: WalkRandom
}

/** A random number in [0, 1) for each purpose of each step. */
export type WalkRandom = (walker: number, step: number, purpose: 'restart' | 'page' | 'link') => number

/** Steps are numbered over all walkers; see `Offer.visit`. */
export const MAX_WALKERS = 64

export function createWalk({ store, run, walkers, restart, from, random }: WalkOptions): Walk {
  function offerOf(
    page: WalkPage,
    walker: number,
    step: number,
    { parent, depth }: Pick<Offer, 'parent' | 'depth'>,
    check: Offer['check'],
  ): Offer {
    const { url, host, fp } = page
    const visit = step * MAX_WALKERS + walker
    return { url, host, fp, parent, depth, hops: step, redirects: 0, priority: walker, visit, check }
  }

  const record = createTogether((steps: readonly WalkStep[]) => store.record(run, steps))

  return {
    async begin(seeds) {
      const [first] = seeds
      if (first === undefined) return []
      await store.addSeeds(run, seeds)
      const { depth, check } = first
      const offers: Offer[] = []
      for (let walker = 0; walker < walkers; walker++) {
        const chance = random(walker, 0, 'page')
        const start = { walker, step: 0, visited: null, next: null, chance, from, isDeadEnd: false }
        const page = await record(start)
        if (page !== null) offers.push(offerOf(page, walker, 1, { parent: '', depth }, check))
      }
      return offers
    },
    async next(request, links, visit) {
      const { priority: walker, hops: step, check } = request
      const isDeadEnd = links.length === 0
      const restarts = visit !== 'redirect' && (isDeadEnd || random(walker, step, 'restart') < restart)
      const link = restarts ? undefined : links[Math.floor(random(walker, step, 'link') * links.length)]
      const { host, fp, url } = request
      const page = await record({
        ...{ walker, step, from, isDeadEnd },
        visited: visit === 'visited' ? { host, fp, url } : null,
        next: link === undefined ? null : { host: link.host, fp: link.fp, url: link.url },
        chance: random(walker, step, 'page'),
      })
      if (page === null) return []
      const { depth } = request
      const next = offerOf(page, walker, step + 1, { parent: link === undefined ? '' : url, depth }, check)
      return [link === undefined ? next : { ...next, redirects: link.redirects }]
    },
  }
}

type Waiting<In, Out> = { given: In; resolve(value: Out): void; reject(error: unknown): void }

/** Batches all calls of one event-loop turn. */
function createTogether<In, Out>(work: (given: readonly In[]) => Promise<Out[]>): (given: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = []

  async function call(): Promise<void> {
    const calls = waiting
    waiting = []
    try {
      const values = await work(calls.map(({ given }) => given))
      for (const [at, { resolve }] of calls.entries()) resolve(values[at]!)
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
  }

  return (given) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ given, resolve, reject }) === 1) queueMicrotask(call)
    })
}

/** Deterministic for a given seed; with 0, different each time. */
export function createWalkRandom(seed: number): WalkRandom {
  if (seed === 0) return () => Math.random()
  return (walker, step, purpose) =>
    hash('sha256', `${seed} ${walker} ${step} ${purpose}`, 'buffer').readUIntBE(0, 6) / 2 ** 48
}
