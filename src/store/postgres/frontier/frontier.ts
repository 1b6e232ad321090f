import { AppError, isAppError } from '../../../core/errors.ts'
import { type Offer, type QueuedRequest, queuedRequest } from '../../../core/request.ts'
import { hostKey, partitionOf } from '../../../core/url/partition.ts'
import type { Track } from '../../../core/work/retries.ts'
import type { ClusterEvents } from '../../contracts/cluster/events.ts'
import type { PartitionGrant } from '../../contracts/cluster/partition-leases.ts'
import type { FrontierCounts, FrontierStore, KeptRobots, KeptTables, OfferCounts } from '../../contracts/frontier.ts'
import { addCounts, addWatch, noCounts } from '../../rules/offers.ts'
import { putResults } from '../cluster/schedule.ts'
import { createCitusQuestion } from '../connection/citus-extension.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { fence } from '../documents/documents-open.ts'
import { noteDropped } from './dropped-links.ts'
import { createArrivals, groupByHost } from './frontier-arrivals.ts'
import {
  type CompletionShare,
  completionValues,
  createKnownLinks,
  type OfferParcel,
  offerValues,
  raiseValues,
  shareOut,
  sortOffers,
} from './frontier-offers.ts'
import { createHeldPartitions, findWaitingHosts, type HeldPartition, partitionOfId } from './frontier-partitions.ts'
import {
  addFacts,
  type CompletionAnswer,
  type FrontierFacts,
  frontierReads,
  frontierStatements,
  type GiveUpAnswer,
  type OfferAnswer,
  type QueueRow,
  requestOfRow,
  stateOfTuple,
} from './frontier-rows.ts'

/**
 * The frontier of one shard on PostgreSQL: the partitions it currently holds. Any process may offer to any partition; only the holder
 * hands out and settles requests, under the epoch of its lease.
 *
 * The holder learns of requests that others queue when it is woken (NOTIFY) or polls. Until then they aren't handed out either, so that no
 * request comes through both `next` and `onArrival`.
 */
export type PostgresFrontier = FrontierStore & {
  /** Adds granted partitions. Their hosts may have requests queued: call `hosts`. */
  add(grants: readonly PartitionGrant[]): Promise<void>
  /** Drops partitions that are given back or lost. Resolves when no work on them is in progress any more. */
  drop(partitions: readonly number[]): Promise<void>
  holds(hostId: number): boolean
  /** Polls for requests that others have queued; also done every `pollEveryMs`. */
  look(): Promise<void>
}

export type PostgresFrontierOptions = {
  pool: PostgresPool
  events: ClusterEvents | null
  run: number
  /** Maximum number of URLs accepted per host in one run. */
  maxUrlsPerHost: number
  /** Size of the cache of known links. */
  knownLinks?: number
  /** 0 for never. */
  pollEveryMs?: number
  /** Called when the database says that this shard no longer holds these partitions. */
  onLost?(partitions: readonly number[]): void
  /** Records that polls are failing. */
  track?: Track
}

const KNOWN_LINKS = 262_144
const POLL_EVERY_MS = 2_000
/** Below any priority. */
const FIRST = -(2 ** 52)

export function createPostgresFrontier(options: PostgresFrontierOptions): PostgresFrontier {
  const { pool, events, run, maxUrlsPerHost } = options
  const partitions = createHeldPartitions()
  const arrivals = createArrivals({ pool, partitions, run })
  const knownLinks = createKnownLinks(options.knownLinks ?? KNOWN_LINKS)
  const isSpread = createCitusQuestion()
  const listening = new Map<number, () => void>()
  /** Counts of failed calls that succeeded in some partitions; reported with the next successful call. */
  let untold = noCounts()

  let looking: Promise<void> | null = null
  /** The next poll finds what can't be read now; a permanent failure is thrown. */
  const laterThen = (error: unknown): void => {
    if (!isAppError(error) || error.retry === 'never') throw error
    options.track?.failed(error)
  }
  const lookQuietly = (held?: HeldPartition): void => {
    if (held !== undefined) return void arrivals.look(held).catch(laterThen)
    looking ??= arrivals
      .lookAround()
      .then(() => options.track?.done(), laterThen)
      .finally(() => {
        looking = null
      })
  }
  const everyMs = options.pollEveryMs ?? POLL_EVERY_MS
  const timer = everyMs > 0 ? setInterval(lookQuietly, everyMs).unref() : null

  function forget(partition: number, epoch?: number): HeldPartition | undefined {
    const dropped = partitions.drop(partition, epoch)
    if (dropped === undefined) return undefined
    listening.get(partition)?.()
    listening.delete(partition)
    return dropped
  }

  /** Runs work that the fence may refuse; drops the partition if its lease is lost. */
  async function fenced<T>(held: HeldPartition, work: () => Promise<T>): Promise<T> {
    try {
      return await partitions.inTurn(held, work)
    } catch (error) {
      if (isAppError(error, 'lease-lost') && forget(held.partition, held.epoch) !== undefined)
        options.onLost?.([held.partition])
      throw error
    }
  }

  async function send(parcel: OfferParcel): Promise<OfferCounts> {
    const held = partitions.get(parcel.partition)
    const call = async (): Promise<OfferAnswer> => {
      const values = offerValues(parcel, run, maxUrlsPerHost)
      const [row] = await pool.query<{ answer: OfferAnswer }>(frontierStatements.offer, values)
      return row!.answer
    }
    if (held === undefined) {
      const answer = await call()
      await raise(parcel, answer)
      return countOffers(parcel, answer.offered)
    }
    return partitions.inTurn(held, async () => {
      const answer = await call()
      const states = new Map(answer.offered.hosts.map((tuple) => [tuple[1], stateOfTuple(tuple)]))
      const rows = answer.offered.accepted.map((n): QueuedRequest => {
        const offer = parcel.offers[n - 1]!
        const hostId = states.get(offer.host)!.id
        return queuedRequest(offer, { hostId, seq: answer.before + n, attempts: 0 })
      })
      const byId = new Map([...states.values()].map((state) => [state.id, state]))
      await arrivals.takeIn(held, answer, groupByHost(rows, byId))
      await arrivals.tellRaised(held, await raise(parcel, answer))
      return countOffers(parcel, answer.offered)
    })
  }

  /** Raises the priority of rows already queued. If this fails, they only come later. */
  async function raise(
    parcel: OfferParcel,
    { before, offered }: OfferAnswer,
  ): Promise<(QueueRow & { host: number })[]> {
    const isNew = new Set([...offered.accepted, ...offered.limited])
    const known = parcel.offers.map((_, at) => at + 1).filter((n) => !isNew.has(n))
    const values = raiseValues(parcel, { fresh: offered.accepted, known, before })
    return values === null ? [] : pool.query<QueueRow & { host: number }>(frontierStatements.raise, values)
  }

  function countOffers(parcel: OfferParcel, { accepted, limited }: OfferAnswer['offered']): OfferCounts {
    const counts = noCounts()
    const refused = new Set(limited)
    for (const [at, offer] of parcel.offers.entries()) {
      const times = parcel.times[at]!
      if (refused.has(at + 1)) counts.limited += times
      else {
        counts.known += times
        knownLinks.add(offer, parcel.keys[at]!)
      }
    }
    counts.accepted = accepted.length
    counts.known -= accepted.length
    for (const n of accepted) addWatch(counts.watches, parcel.offers[n - 1]!.check.watch, 1)
    return counts
  }

  async function offerAll(offers: readonly Offer[]): Promise<OfferCounts> {
    const sorted = sortOffers(offers, knownLinks)
    const counts = { ...noCounts(), known: sorted.known }
    const foreign = new Set<number>()
    const results = await Promise.allSettled(
      sorted.parcels.map(async (parcel) => {
        const answer = await send(parcel)
        addCounts(counts, answer)
        if (answer.accepted > 0 && partitions.get(parcel.partition) === undefined) foreign.add(parcel.partition)
      }),
    )
    // Not awaited: the holders also find new rows by polling.
    if (foreign.size > 0) pool.query(frontierReads.wake, [[...foreign]]).catch(() => {})
    throwFailure(results, counts)
    return counts
  }

  function throwFailure(
    results: readonly PromiseSettledResult<unknown>[],
    achieved: OfferCounts & { removed?: number },
  ) {
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined) return
    untold.removed += achieved.removed ?? 0
    addCounts(untold, achieved)
    throw failed.reason
  }

  function tellAll(counts: OfferCounts): OfferCounts & { removed: number } {
    const all = addCounts({ ...untold }, counts)
    untold = noCounts()
    return all
  }

  async function complete({ partition, epoch }: HeldPartition, share: CompletionShare): Promise<CompletionAnswer> {
    const [first, ...values] = completionValues(partition, run, share)
    const [row] = (await isSpread(pool))
      ? await pool.transaction(async (tx) => {
          await fence(tx, { partition, epoch })
          return tx.query<{ answer: CompletionAnswer }>(frontierStatements.complete, [first, ...values])
        })
      : await pool.query<{ answer: CompletionAnswer }>(frontierStatements.settle, [first, epoch, ...values])
    return row!.answer
  }

  async function settleOne(held: HeldPartition, share: CompletionShare): Promise<OfferCounts & { removed: number }> {
    return fenced(held, async () => {
      const answer = await complete(held, share)
      const bySeq = new Map(share.again.map((request) => [request.seq, request]))
      const rows = answer.moved.map(([was, seq]) => ({ ...bySeq.get(was)!, seq })).sort((a, b) => a.seq - b.seq)
      const states = new Map(answer.hosts.map((tuple) => [tuple[0], stateOfTuple(tuple)]))
      await arrivals.takeIn(held, answer, groupByHost(rows, states))
      const counts = { ...noCounts(), removed: answer.gone + answer.moved.length }
      for (const [watch, n] of answer.watches) addWatch(counts.watches, watch, -n)
      return counts
    })
  }

  return {
    holds: (hostId) => partitions.ofHost(hostId) !== undefined,
    recoveredOf: (hostId) => partitions.ofHost(hostId)?.recovered === true,
    async add(grants) {
      if (grants.length === 0) return
      const numbers = grants.map(({ partition }) => partition)
      const rows = await pool.query<FrontierFacts>(frontierReads.facts, [numbers])
      const old = rows.filter((row) => row.run < run).map(({ partition }) => partition)
      const begun = old.length === 0 ? [] : await pool.query<FrontierFacts>(frontierReads.beginRun, [old, run])
      const facts = new Map([...rows, ...begun].map((row) => [row.partition, row]))
      for (const grant of grants) {
        const held = partitions.add(grant, facts.get(grant.partition)!)
        if (events === null || listening.has(held.partition)) continue
        listening.set(
          held.partition,
          events.listen(`frontier_${held.partition}`, (payload) =>
            lookQuietly(payload === null ? undefined : partitions.get(held.partition)),
          ),
        )
      }
    },
    async drop(numbers) {
      await Promise.all(numbers.map((partition) => forget(partition)?.turn))
    },
    look: () => arrivals.lookAround(),
    offer: async (offers) => {
      const { removed: _, ...counts } = tellAll(await offerAll(offers))
      return counts
    },
    async settle(batch) {
      const offered = await offerAll(batch.offers)
      const shares = shareOut(batch)
      const lost: number[] = []
      const settled = { ...offered, removed: 0 }
      const results = await Promise.allSettled(
        [...shares].map(async ([partition, share]) => {
          const held = partitions.get(partition)
          try {
            if (held === undefined) throw lostPartition(partition)
            const counts = await settleOne(held, share)
            settled.removed += counts.removed
            addCounts(settled, counts)
          } catch (error) {
            if (!isAppError(error, 'lease-lost')) throw error
            lost.push(partition)
          }
        }),
      )
      throwFailure(results, settled)
      if (lost.length > 0 && lost.length === shares.size) {
        throwFailure([{ status: 'rejected', reason: lostPartition(...lost) }], settled)
      }
      const counts = tellAll(settled)
      counts.removed += settled.removed
      return lost.length === 0 ? counts : { ...counts, lost }
    },
    hosts: (limit, except) => findWaitingHosts({ pool, run, partitions: partitions.all(), limit, except }),
    async next(hostId, after, limit) {
      const held = partitions.ofHost(hostId)
      if (held === undefined) return []
      const values = [held.partition, hostId, after?.priority ?? FIRST, after?.seq ?? 0, held.told, limit]
      const rows = await pool.query<QueueRow & { name: string }>(frontierStatements.next, values)
      return rows.map((row) => requestOfRow(row, hostId, row.name))
    },
    async giveUp(hostId, newsOf = () => []) {
      const held = partitions.ofHost(hostId)
      if (held === undefined) throw lostPartition(partitionOfId(hostId))
      return fenced(held, async () => {
        const values = [held.partition, held.epoch, run, hostId]
        const { answer, watches } = await pool.transaction(async (tx) => {
          const [row] = await tx.query<{ answer: GiveUpAnswer | null }>(frontierStatements.giveUp, values)
          const went = new Map<number, number>()
          for (const [watch, n] of row?.answer?.watches ?? []) addWatch(went, watch, -n)
          await putResults(tx, newsOf(went))
          return { answer: row?.answer ?? null, watches: went }
        })
        if (answer === null) return { dropped: 0, watches }
        await arrivals.takeIn(held, answer, [])
        return { dropped: answer.gone, watches }
      })
    },
    noteDropped: (drops) => noteDropped(pool, run, drops),
    async watches() {
      const rows = await pool.query<{ watch: number; n: number }>(frontierReads.watches, [partitions.numbers()])
      return new Map(rows.map(({ watch, n }) => [watch, n]))
    },
    async loadRobots(origin) {
      const [row] = await pool.query<{ kind: KeptRobots['kind']; body: Buffer; expires_at: number }>(
        frontierStatements.robots,
        [partitionOfOrigin(origin), origin],
      )
      return row === undefined ? null : { kind: row.kind, body: row.body, expiresAt: row.expires_at }
    },
    async saveRobots(origin, { kind, body, expiresAt }) {
      const values = [partitionOfOrigin(origin), origin, kind, body, Math.round(expiresAt)]
      await pool.query(frontierStatements.saveRobots, values)
    },
    async loadTables(origin) {
      const [row] = await pool.query<KeptTables>(frontierStatements.tables, [partitionOfOrigin(origin), origin])
      return row ?? null
    },
    async saveTables(origin, { kind, expiresAt }) {
      const values = [partitionOfOrigin(origin), origin, kind, Math.round(expiresAt)]
      await pool.query(frontierStatements.saveTables, values)
    },
    counts() {
      const counts: FrontierCounts = { queued: 0, seen: 0, hosts: 0, givenUp: 0 }
      for (const { facts } of partitions.all()) addFacts(counts, facts, run)
      return counts
    },
    onArrival: arrivals.listen,
    async close() {
      if (timer !== null) clearInterval(timer)
      await Promise.all([looking, ...partitions.numbers().map((partition) => forget(partition)?.turn)])
    },
  }
}

function lostPartition(...partitions: number[]): AppError {
  return new AppError('lease-lost', `not held any more: partition ${partitions.join(', ')}`)
}

/** `origin` is `http://host:port`. */
function partitionOfOrigin(origin: string): number {
  return partitionOf(hostKey(`${origin}/`))
}
