import { type Clock, systemClock } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import { partitionOf } from '../../../core/url/partition.ts'
import type { Capture, CaptureOutcome, DocumentKey, DocumentStore, KnownDocument } from '../../contracts/documents.ts'
import { unpackLinks } from '../../rules/link-text.ts'
import type { BodyCapture } from '../../rules/versioning.ts'
import { insideKeeper, type RecordKeeper } from '../archive/record-keeper.ts'
import { partsOf, type RecordPart, storedLength } from '../archive/record-parts.ts'
import { MAX_UNSAID_MS } from '../archive/segments.ts'
import { createCitusQuestion } from '../connection/citus-extension.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { arraysOf, byPartition, partitionOfId } from '../connection/row-batch.ts'
import { createBodyRegistry, findOriginals, type KnownBodies } from './documents-bodies.ts'
import { fence, keyArrays, openDocuments, type WritingLease } from './documents-open.ts'
import { createPlan, type PlannedChanges, type Reference } from './documents-plan.ts'
import { type RefillRow, refillColumns } from './documents-state.ts'
import { documentStatements as sql } from './documents-statements.ts'
import { recordStatements, writeChanges } from './documents-write.ts'
import { createHostPlaces } from './host-places.ts'

export type PostgresDocumentsDeps = {
  pool: PostgresPool
  /** Epoch of the lease under which this process holds a partition; any other number if it doesn't. */
  epochOf(partition: number): number
  /** Stores bodies; in the database by default. */
  keeper?: RecordKeeper
  clock?: Clock
}

/** Partitions of a batch written in parallel. */
const MAX_PARALLEL = 4

type Member = { place: number; capture: Capture }
/** Prepared records, with the time of preparation. */
type Prepared = { at: number; records: ReadonlyMap<Capture, RecordPart[]> }
/** Items of one frontier partition (whose lease is needed) that are kept in one archive partition, `place`. */
type Group<T = Member> = { place: number; partition: number; members: T[] }
type Written = {
  outcomes: { place: number; outcome: CaptureOutcome }[]
  changes: PlannedChanges
  /** Whether its bodies are registered, too. */
  isRegistered: boolean
}

/**
 * Records captures in this order:
 *
 * 1. Look up which bodies of the batch are already kept (documents-bodies.ts). The others are compressed, or written to the store outside
 *    of the database, before any transaction begins. Bodies there that turn out not to be needed are garbage.
 * 2. For each partition, one transaction checks the lease, reads, and writes records, versions, documents, tasks. Only the holder of the
 *    lease records, and here one batch after the other, so what was read stays true until the commit. Documents that are kept in another
 *    partition than their host's (host-places.ts) are written under the lease of their host's.
 * 3. Register the new bodies, if step 2 didn't. Under a new lease, also those that the last holder of the partition left unregistered.
 * 4. Check the originals that were referred to once more. The collector first marks what it is about to remove and then looks for
 *    references; so either it sees ours, or we see its mark, and then store the body after all.
 *
 * A process that dies in between leaves at worst a body that isn't registered, or a reference whose version the collector marks as lost;
 * the next capture repairs both. Repeating a batch finds the same bodies and makes no second version.
 */
export function createPostgresDocuments({
  pool,
  epochOf,
  keeper = insideKeeper,
  clock = systemClock,
}: PostgresDocumentsDeps): DocumentStore {
  const places = createHostPlaces(pool)
  const isSpread = createCitusQuestion()
  const registry = createBodyRegistry(pool, isSpread)
  const turns = new Map<number, Promise<unknown>>()
  /** By partition: the epoch under which the previous holder's bodies were registered. */
  const seenTo = new Map<number, number>()

  /** Serialises batches of the same partition. */
  async function inTurn<T>(partition: number, work: () => Promise<T>): Promise<T> {
    const before = turns.get(partition)
    const mine = before === undefined ? work() : before.then(work, work)
    turns.set(partition, mine)
    try {
      return await mine
    } finally {
      if (turns.get(partition) === mine) turns.delete(partition)
    }
  }

  /** Bodies are written before the rows that point at them; those must be committed in time, or the bodies count as garbage. */
  async function prepare(captures: readonly Capture[], { originals }: KnownBodies): Promise<Prepared> {
    const chosen = new Map<string, BodyCapture>()
    for (const capture of captures) {
      if (capture.kind !== 'body' || !isLikelyNew(capture)) continue
      const name = capture.digest.toString('hex')
      if (!originals.has(name) && !chosen.has(name)) chosen.set(name, capture)
    }
    const kept = [...chosen.values()]
    const at = clock.now()
    const parts = await keeper.keep(kept.map((capture) => capture.render(null)))
    return { at, records: new Map(kept.map((capture, index) => [capture, parts[index]!])) }
  }

  function refuseLate({ at }: Prepared): void {
    if (clock.now() - at > MAX_UNSAID_MS)
      throw new AppError('store-busy', 'bodies were written so long ago that they may have been collected')
  }

  const leaseOf = (partition: number): WritingLease => ({ partition, epoch: epochOf(partition) })

  async function writeGroup(
    { place, partition, members }: Group,
    known: KnownBodies,
    prepared: Prepared,
  ): Promise<Written> {
    // Read the epoch before anything else: if the lease is still held when all is written, no other process has written in between.
    const lease = leaseOf(partition)
    const local: KnownBodies = { originals: new Map(known.originals), stale: known.stale }
    const spread = await isSpread(pool)
    let release = (): void => {}
    const written = await pool.transaction(async (tx) => {
      const { documents, ids } = await openDocuments(tx, place, lease, members, spread)
      let next = 0
      const plan = createPlan({
        documents,
        nextId: () => ids[next++]!,
        originals: local.originals,
        prepared: prepared.records,
      })
      const outcomes = members.map(({ place, capture }) => ({ place, outcome: plan.record(capture) }))
      const changes = plan.changes()
      refuseLate(prepared)
      release = writeChanges(tx, place, changes, spread)
      const isRegistered = !spread && known.stale.size === 0
      // Last, so that others storing the same bodies only wait for the commit.
      if (isRegistered) registry.registerWithin(tx, changes.bodies)
      return { outcomes, changes, isRegistered }
    })
    release()
    for (const [digest, original] of local.originals) known.originals.set(digest, original)
    return written
  }

  /** Stores the bodies of versions whose originals were removed in the meantime. */
  async function storeAfterAll(references: readonly Reference[]): Promise<void> {
    const gone = new Set(references.map(({ original }) => original))
    for (const { place, partition, members: group } of groupsOf(
      references,
      ({ capture }) => capture.host,
      ({ version }) => partitionOfId(version),
    )) {
      const lease = leaseOf(partition)
      const rows: RefillRow[] = []
      await inTurn(place, () =>
        pool.transaction(async (tx) => {
          await fence(tx, lease)
          const records = group.map(({ record, capture }) => ({ id: record, parts: partsOf(capture.render(null)) }))
          for (const [index, { version, record, capture }] of group.entries()) {
            const length = storedLength(records[index]!.parts)
            const { digest, size, text, textRules } = capture
            rows.push({ id: version, digest, size, text, textRules, original: version, record, length })
          }
          await tx.query(sql.dropRecords, [place, group.map(({ record }) => record)])
          for (const values of recordStatements(records)) await tx.query(sql.insertRecords, [place, ...values])
          await tx.query(sql.refillVersions, [place, ...arraysOf(refillColumns, rows)])
        }),
      )
      const bodies = new Map(rows.map(({ digest, id }) => [digest.toString('hex'), { digest, version: id }]))
      await registry.register([...bodies.values()], gone)
    }
  }

  async function checkReferences(references: readonly Reference[], fresh: ReadonlySet<number>): Promise<void> {
    const elsewhere = references.filter(({ original }) => !fresh.has(original))
    if (elsewhere.length === 0) return
    const alive = await findOriginals(
      pool,
      elsewhere.map(({ original }) => original),
    )
    const broken = elsewhere.filter(({ original }) => !alive.has(original))
    if (broken.length > 0) await storeAfterAll(broken)
  }

  async function seeToLastHolder(partition: number): Promise<void> {
    const epoch = epochOf(partition)
    if (seenTo.get(partition) === epoch) return
    await registry.registerNewest(partition)
    seenTo.set(partition, epoch)
  }

  async function record(captures: readonly Capture[]): Promise<CaptureOutcome[]> {
    const known = await registry.find(digestsOf(captures))
    const prepared = await prepare(captures, known)
    const members = captures.map((capture, place): Member => ({ place, capture }))
    const placeOf = await places.of(captures.map(({ host }) => host))
    const groups = groupsOf(
      members,
      ({ capture }) => capture.host,
      ({ capture }) => placeOf(capture.host),
    )
    // If equal bodies are in several partitions, the second refers to the first, which must be written before.
    const parallel = groups.length > 1 && hasEqualBodies(groups.map((group) => group.members)) ? 1 : MAX_PARALLEL
    const results = await eachInOrder(groups, parallel, (group) =>
      inTurn(group.place, () => writeGroup(group, known, prepared)),
    )
    const written = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const unregistered = written.flatMap(({ changes, isRegistered }) =>
      isRegistered ? changes.unregistered : [...changes.bodies, ...changes.unregistered],
    )
    await registry.register(unregistered, known.stale)
    for (const { place, partition } of groups) if (place === partition) await seeToLastHolder(partition)
    await checkReferences(
      written.flatMap(({ changes }) => changes.references),
      new Set(written.flatMap(({ changes }) => changes.bodies.map(({ version }) => version))),
    )
    for (const result of results) if (result.status === 'rejected') throw result.reason
    const outcomes: CaptureOutcome[] = []
    for (const { place, outcome } of written.flatMap((each) => each.outcomes)) outcomes[place] = outcome
    return outcomes
  }

  async function find(keys: readonly DocumentKey[]): Promise<(KnownDocument | null)[]> {
    const found = keys.map((): KnownDocument | null => null)
    const placeOf = await places.of(keys.map(({ host }) => host))
    const groups = byPartition(keys.keys(), (place) => placeOf(keys[place]!.host))
    await Promise.all(
      [...groups].map(async ([partition, group]) => {
        const asked = keyArrays(group.map((place) => keys[place]!))
        for (const { place, ...row } of await pool.query<KnownRow>(sql.find, [partition, ...asked]))
          found[group[place - 1]!] = knownOf(row)
      }),
    )
    return found
  }

  return {
    record: async (captures) => (captures.length === 0 ? [] : record(captures)),
    find,
    async links(known) {
      const links = known.map((): string[] => [])
      const asked = [...known.keys()].filter((place) => known[place]!.versionId !== 0)
      const groups = byPartition(asked, (place) => partitionOfId(known[place]!.versionId))
      await Promise.all(
        [...groups].map(async ([partition, group]) => {
          const ids = group.map((place) => known[place]!.versionId)
          for (const { place, list } of await pool.query<{ place: number; list: string }>(sql.links, [partition, ids]))
            links[group[place - 1]!] = unpackLinks(list, known[group[place - 1]!]!.url)
        }),
      )
      return links
    },
  }
}

function groupsOf<T>(items: Iterable<T>, hostOf: (item: T) => string, placeOf: (item: T) => number): Group<T>[] {
  return [...byPartition(items, placeOf)].flatMap(([place, kept]) =>
    [...byPartition(kept, (item) => partitionOf(hostOf(item)))].map(([partition, members]) => ({
      ...{ place, partition, members },
    })),
  )
}

type KnownRow = Omit<KnownDocument, 'digest' | 'text' | 'linkKeys'> & {
  place: number
  digest: Buffer
  text: Buffer | null
  linkKeys: Buffer
}

function knownOf({ digest, text, linkKeys, ...row }: Omit<KnownRow, 'place'>): KnownDocument {
  return {
    ...row,
    digest: new Uint8Array(digest),
    text: text === null ? null : new Uint8Array(text),
    linkKeys: new Uint8Array(linkKeys),
  }
}

function digestsOf(captures: readonly Capture[]): Buffer[] {
  const digests = new Map<string, Buffer>()
  for (const capture of captures)
    if (capture.kind === 'body') digests.set(capture.digest.toString('hex'), capture.digest)
  return [...digests.values()]
}

/** Whether a body not kept yet will probably be stored. Pages with the same visible text, or cut off by a timeout, mostly aren't. */
function isLikelyNew({ sameTextAs, differsFrom = 0, truncated }: BodyCapture): boolean {
  return (sameTextAs === 0 || differsFrom > 0) && truncated !== 'time'
}

/** Whether a body occurs in more than one of the groups. */
function hasEqualBodies(groups: Iterable<readonly Member[]>): boolean {
  const met = new Set<string>()
  for (const group of groups) {
    const digests = digestsOf(group.map(({ capture }) => capture)).map((digest) => digest.toString('hex'))
    if (digests.some((digest) => met.has(digest))) return true
    for (const digest of digests) met.add(digest)
  }
  return false
}

/**
 * Runs `work` on a few items at a time, started in order. Waits for all, so that nothing is still running when the caller sees a
 * failure.
 */
async function eachInOrder<T, R>(
  items: readonly T[],
  parallel: number,
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = []
  let next = 0
  const runner = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++)
      [results[index]] = (await Promise.allSettled([work(items[index]!)])) as [PromiseSettledResult<R>]
  }
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, runner))
  return results
}
