import type { CheckStore } from '../../contracts/cluster-events.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { addWatch } from '../frontier/frontier-counts.ts'
import { type KnownLinks, type OfferParcel, offerValues, sortOffers } from '../frontier/frontier-offers.ts'
import type { OfferAnswer } from '../frontier/frontier-rows.ts'
import { frontierReads } from '../frontier/frontier-statements.ts'
import { leaderLost } from '../leases/leader.ts'
import { schedulerRole } from './check-results.ts'

const places = Array.from({ length: 21 }, (_, at) => `$${at + 3}`).join(', ')

/** The role is held until the offers are written: whoever leads next finds them in the queue, or they are refused. */
const fencedOffer = `SELECT frontier_offer(${places}) AS answer
  FROM (SELECT 1 FROM leaders WHERE name = $1 AND epoch = $2 FOR KEY SHARE) fence`

/** Checks belong to no run; partitions that are in a later one stay there. */
const RUN = 1
/** Requests of watches are not counted against it. */
const MAX_URLS_PER_HOST = Number.MAX_SAFE_INTEGER
const nothingKnown: KnownLinks = { has: () => false, add: () => {} }

/** The way of errands into the frontier. Each partition has its own statement, so they may get there in part; whoever goes on looks what is queued. */
export function createPostgresChecks(pool: PostgresPool): CheckStore {
  async function send(epoch: number, parcel: OfferParcel, counts: Map<number, number>): Promise<boolean> {
    const values = [schedulerRole, epoch, ...offerValues(parcel, RUN, MAX_URLS_PER_HOST)]
    const [row] = await pool.query<{ answer: OfferAnswer }>(fencedOffer, values)
    if (row === undefined) throw leaderLost(schedulerRole)
    const { accepted } = row.answer.offered
    for (const n of accepted) addWatch(counts, parcel.offers[n - 1]!.check.watch, 1)
    return accepted.length > 0
  }

  return {
    async offer(leaderEpoch, offers) {
      const { parcels } = sortOffers(offers, nothingKnown)
      const counts = new Map<number, number>()
      const woken = new Set<number>()
      const results = await Promise.allSettled(
        parcels.map(async (parcel) => {
          if (await send(leaderEpoch, parcel, counts)) woken.add(parcel.partition)
        }),
      )
      // Not waited for: they would find it by themselves.
      if (woken.size > 0) pool.query(frontierReads.wake, [[...woken]]).catch(() => {})
      for (const result of results) if (result.status === 'rejected') throw result.reason
      return counts
    },
  }
}
