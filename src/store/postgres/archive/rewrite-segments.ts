import { AppError, isAppError } from '../../../core/errors.ts'
import type { GcFiles } from '../../../core/reports/gc-report.ts'
import { partitionCount } from '../../../core/url/partition.ts'
import type { ObjectBackend, Pack, Segment } from '../../contracts/object-backend.ts'
import { type MoveDeps, moveOutOfPacks } from './move-records.ts'
import { PACK_BYTES, packKey, placedCodings } from './record-parts.ts'
import type { MeasuredSegment, SegmentCatalogue } from './segments.ts'

/**
 * Frees the space of records that no row points at any more. Packs (files, objects) without live records are removed; those of which more
 * than half is dead are emptied first: their live records are rewritten elsewhere. Only segments that have been closed for a while are
 * considered, so that every row that points into them is visible.
 */
export type RewriteSegmentsOptions = MoveDeps & {
  backend: ObjectBackend
  segments: SegmentCatalogue
  onRewrite(progress: { file: number; files: number; freedBytes: number }): void
}

const MAX_DEAD = 0.5
/** Minimum dead share of a segment; below it, its packs aren't examined. */
const MIN_DEAD = 0.05
const SEGMENTS_AT_ONCE = 500
const MAX_LEFT_ALONE = 100
/** Maximum per run; the next run continues. */
const MAX_PACKS = 20_000

export const useStatement = `SELECT substring(bytes FOR ${PACK_BYTES}) AS pack, count(*) AS records,
    sum(('x' || encode(substring(bytes FROM 21 FOR 4), 'hex'))::bit(32)::bigint)::bigint AS bytes
    FROM records WHERE partition = $1::smallint AND coding IN (${placedCodings.join(', ')}) GROUP BY 1`

type Use = { pack: Buffer; records: number; bytes: number }

/** Rewrites the segments of all backends. Segments of dead writers are closed first. */
export async function rewriteAllSegments(
  backends: readonly ObjectBackend[],
  options: Omit<RewriteSegmentsOptions, 'backend'>,
): Promise<GcFiles> {
  await options.segments.closeAbandoned()
  const all: GcFiles = { rewritten: 0, removed: 0, freedBytes: 0, leftAlone: [] }
  for (const backend of backends) {
    const { rewritten, removed, freedBytes, leftAlone } = await rewriteSegments({ ...options, backend })
    all.rewritten += rewritten
    all.removed += removed
    all.freedBytes += freedBytes
    all.leftAlone.push(...leftAlone)
  }
  return all
}

export async function rewriteSegments(options: RewriteSegmentsOptions): Promise<GcFiles> {
  const { backend, segments, signal, onRewrite } = options
  const report: GcFiles = { rewritten: 0, removed: 0, freedBytes: 0, leftAlone: [] }
  // List the segments before measuring their use: records written in between are in other segments.
  const settled = await allSettled(segments, backend)
  if (settled.length === 0) return report
  const living = await measure(options)
  const wasted = await findWasted(options, settled, living, report)
  const emptied = wasted.flatMap(({ going }) => going).filter(({ key }) => living.packs.has(key))
  if (emptied.length > 0) {
    const moved = await moveOutOfPacks(
      options,
      emptied.map(({ key }) => Buffer.from(key, 'hex')),
    )
    report.freedBytes -= moved.bytes
  }
  // Records that couldn't be read, or that others changed at the same moment, stay.
  const now = emptied.length === 0 ? living : await measure(options)
  for (const [index, { segment, packs, going }] of wasted.entries()) {
    if (signal.aborted) break
    onRewrite({ file: index, files: wasted.length, freedBytes: Math.max(0, report.freedBytes) })
    let gone = 0
    for (const { pack, bytes, key } of going) {
      if (now.packs.has(key)) continue
      await backend.removePack(segment, pack)
      report.freedBytes += bytes
      if (living.packs.has(key)) report.rewritten++
      else report.removed++
      gone++
    }
    if (gone === packs && liveOf(segment, now) === 0) await segments.remove(segment.id)
  }
  onRewrite({ file: wasted.length, files: wasted.length, freedBytes: Math.max(0, report.freedBytes) })
  return { ...report, freedBytes: Math.max(0, report.freedBytes) }
}

type Going = Pack & { key: string }
type Wasted = { segment: Segment; packs: number; going: Going[] }

/** Packs that are empty or worth emptying. */
async function findWasted(
  { backend, signal }: RewriteSegmentsOptions,
  settled: readonly MeasuredSegment[],
  living: Living,
  report: GcFiles,
): Promise<Wasted[]> {
  const wasted: Wasted[] = []
  let count = 0
  for (const segment of settled) {
    if (signal.aborted || count >= MAX_PACKS) break
    if (segment.bytes > 0 && deadOf(segment, living) <= segment.bytes * MIN_DEAD) continue
    try {
      const packs = await backend.packs(segment)
      if (packs.length === 0 && liveOf(segment, living) > 0)
        throw new AppError('record-damaged', `nothing of it is at ${backend.address}, but records lie in it`)
      const going = packs
        .map((pack): Going => ({ ...pack, key: packKey(segment.id, pack.pack).toString('hex') }))
        // A compressed segment is one file; its records count with their uncompressed size.
        .filter(({ bytes, key }) =>
          isWasted(segment.state === 'compressed' ? segment.bytes : bytes, living.packs.get(key)),
        )
      if (going.length > 0 || packs.length === 0) wasted.push({ segment, packs: packs.length, going })
      count += going.length
    } catch (error) {
      if (!isAppError(error) || report.leftAlone.length >= MAX_LEFT_ALONE) throw error
      report.leftAlone.push({ file: segment.name, message: error.message })
    }
  }
  return wasted
}

const isWasted = (bytes: number, living = 0): boolean => living === 0 || bytes - living > bytes * MAX_DEAD

async function allSettled(segments: SegmentCatalogue, { kind }: ObjectBackend): Promise<MeasuredSegment[]> {
  const all: MeasuredSegment[] = []
  for (;;) {
    const some = await segments.settled(kind, all.at(-1)?.id ?? 0, SEGMENTS_AT_ONCE)
    all.push(...some)
    if (some.length < SEGMENTS_AT_ONCE) return all
  }
}

type Living = { packs: Map<string, number>; segments: Map<string, number> }

/** Live bytes (that rows point at), by pack and by segment. */
async function measure({ pool }: MoveDeps): Promise<Living> {
  const living: Living = { packs: new Map(), segments: new Map() }
  const add = (sums: Map<string, number>, key: string, bytes: number) => sums.set(key, (sums.get(key) ?? 0) + bytes)
  for (let partition = 0; partition < partitionCount; partition++)
    for (const { pack, bytes } of await pool.query<Use>(useStatement, [partition])) {
      add(living.packs, pack.toString('hex'), bytes)
      add(living.segments, pack.subarray(0, 8).toString('hex'), bytes)
    }
  return living
}

const liveOf = ({ id }: Segment, { segments }: Living): number =>
  segments.get(packKey(id, 0).subarray(0, 8).toString('hex')) ?? 0

const deadOf = (segment: MeasuredSegment, living: Living): number => segment.bytes - liveOf(segment, living)
