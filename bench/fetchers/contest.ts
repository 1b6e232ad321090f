import { AppError } from '../../src/core/errors.ts'
import type { Place, Protocol } from '../../src/crawl/fetch/protocol.ts'
import { placeOf, type TestPlace } from '../../src/fetchers/db/place.testkit.ts'

/** Totals of reading everything once. */
export type Read = { items: number; bytes: number }

/** A fetcher and plain clients that read the same data from the same server. */
export type Contest = {
  name: string
  items: number
  ours(): Promise<Read>
  /** Plain clients by name; the fastest counts. */
  plain: Readonly<Record<string, () => Promise<Read>>>
}

/** Contests on one server, or the reason why they can't be held here. */
export type Arena = { contests: readonly Contest[]; close(): Promise<void> } | { missing: string }

export type Timed = { perSecond: number; bytes: number }
export type ContestResult = {
  contest: Contest
  ours: Timed
  plain: readonly (Timed & { name: string })[]
}

/** Reads everything at a URL as the crawler does: opens a session, then reads the list and each item in turn. */
export async function readAll(protocol: Protocol, url: string, given: TestPlace = {}): Promise<Read> {
  const place: Place = placeOf(protocol.normalise(url), given)
  const session = await protocol.open(place)
  const read = { items: 0, bytes: 0 }
  try {
    for (let cursor = ''; ; ) {
      const found = await session.look(cursor)
      for (const item of found.kind === 'item' ? [found.item] : found.items) {
        const { body } = item.body ?? (await session.read(item))
        read.items++
        read.bytes += body.length
      }
      if (found.kind === 'item' || !found.hasMore) return read
      cursor = found.cursor
    }
  } finally {
    await session.close()
  }
}

/** Contestants take turns, in reverse order every other round; the best round of each counts. */
export async function hold(contest: Contest, rounds: number): Promise<ContestResult> {
  const best = new Map<string, Timed>()
  const contestants = Object.entries({ erace: contest.ours, ...contest.plain })
  for (let round = 0; round < rounds; round++)
    for (const [name, work] of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const timed = await time(contest, name, work)
      if (timed.perSecond > (best.get(name)?.perSecond ?? 0)) best.set(name, timed)
    }
  const plain = Object.keys(contest.plain).map((name) => ({ name, ...best.get(name)! }))
  return { contest, ours: best.get('erace')!, plain: plain.sort((a, b) => b.perSecond - a.perSecond) }
}

async function time(contest: Contest, name: string, work: () => Promise<Read>): Promise<Timed> {
  const startedAt = performance.now()
  const { items, bytes } = await work()
  const seconds = (performance.now() - startedAt) / 1000
  if (items !== contest.items)
    throw new AppError('internal', `${contest.name}: ${name} read ${items} items, not ${contest.items}`)
  return { perSecond: items / seconds, bytes }
}
