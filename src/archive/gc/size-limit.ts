import type { GcOverflow } from '../../core/reports/gc-report.ts'
import type { CollectableVersion } from '../../store/contracts/collection.ts'
import { compareAge, judge, type Pool, type Pools, type SizeCutoff } from './verdict.ts'

/**
 * Finds, for each pool with a size limit, the moment up to which superseded versions have to go. One walk over all versions sums up
 * what stays by age and number, and what may go by the time it was superseded. If the sum exceeds the limit, a second walk looks at
 * the short span in which the limit is reached. Memory is bounded: if that span has more versions than can be remembered, further
 * walks continue after the oldest of them.
 */
export type SizeLimits = {
  readonly cutoffs: readonly (SizeCutoff | null)[]
  readonly overflow: readonly GcOverflow[]
}

export type VersionWalk = (visit: (version: CollectableVersion, pool: Pool) => void) => Promise<void>

export type SizeRoom = { spans: number; remembered: number }
const ample: SizeRoom = { spans: 32_768, remembered: 100_000 }

type Candidate = { supersededAt: number; versionId: number; bytes: number }
type Limited = {
  pool: Pool
  maxBytes: number
  /** Bytes left, as far as known. */
  bytes: number
  ages: AgeHistogram
  cutoff: SizeCutoff | null
  /** The limit is reached between the cut-off and here. */
  spanEnd: number
  oldest: ReturnType<typeof createOldest>
}

export async function findSizeLimits(
  pools: Pools,
  walk: VersionWalk,
  now: number,
  room: SizeRoom = ample,
): Promise<SizeLimits> {
  const limited = limitedPools(pools, room)
  const byPool = new Map(limited.map((entry) => [entry.pool.index, entry]))
  if (limited.length > 0) {
    await walk((version, pool) => {
      const entry = byPool.get(pool.index)
      if (entry !== undefined) sumUp(entry, version, now)
    })
  }
  let waiting = new Set(limited.filter(findSpan))
  while (waiting.size > 0) {
    await walk((version, pool) => {
      const entry = byPool.get(pool.index)
      if (entry !== undefined && waiting.has(entry)) lookClosely(entry, version, now)
    })
    waiting = new Set([...waiting].filter(moveCutoff))
  }
  return {
    cutoffs: pools.all.map(({ index }) => byPool.get(index)?.cutoff ?? null),
    overflow: limited
      .filter(({ bytes, maxBytes }) => bytes > maxBytes)
      .map(({ pool, bytes, maxBytes }) => ({ source: pool.source, bytes, maxBytes })),
  }
}

function limitedPools({ all }: Pools, { spans, remembered }: SizeRoom): Limited[] {
  const found = all.flatMap((pool) => {
    const maxBytes = pool.retention.kind === 'limits' ? pool.retention.maxBytes : null
    return maxBytes === null ? [] : [{ pool, maxBytes }]
  })
  const share = (whole: number): number => Math.max(Math.min(whole, 100), Math.floor(whole / Math.max(1, found.length)))
  return found.map((entry) => ({
    ...entry,
    bytes: 0,
    ages: createAgeHistogram(share(spans)),
    cutoff: null,
    spanEnd: 0,
    oldest: createOldest(share(remembered)),
  }))
}

/** Bytes of a version left after age and number; `mayGo` if the size limit may still remove it. */
function remains(version: CollectableVersion, { pool }: Limited, now: number): { bytes: number; mayGo: boolean } {
  const { kind } = judge(version, pool.retention, null, now)
  // A body that others refer to may have to stay, so its removal is not counted on.
  if (kind !== 'stays' && !version.shared) return { bytes: 0, mayGo: false }
  const mayGo = !version.current && version.pinnedBy === null && !version.shared && version.supersededAt !== null
  return { bytes: version.bytes, mayGo: mayGo && version.bytes > 0 }
}

function sumUp(entry: Limited, version: CollectableVersion, now: number): void {
  const { bytes, mayGo } = remains(version, entry, now)
  entry.bytes += bytes
  if (mayGo) entry.ages.add(version.supersededAt!, bytes)
}

/** Sets the cut-off before the span in which the limit is reached. False if no closer look is needed. */
function findSpan(entry: Limited): boolean {
  const excess = entry.bytes - entry.maxBytes
  if (excess <= 0) return false
  const span = entry.ages.reach(excess)
  entry.bytes -= span?.bytesBefore ?? entry.ages.total
  entry.cutoff = { supersededAt: (span?.from ?? Number.POSITIVE_INFINITY) - 1, versionId: Number.POSITIVE_INFINITY }
  entry.spanEnd = span?.to ?? 0
  return span !== null
}

function lookClosely(entry: Limited, version: CollectableVersion, now: number): void {
  const { supersededAt, id: versionId } = version
  if (supersededAt === null || supersededAt >= entry.spanEnd) return
  if (compareAge(supersededAt, versionId, entry.cutoff!) <= 0) return
  const { bytes, mayGo } = remains(version, entry, now)
  if (mayGo) entry.oldest.offer({ supersededAt, versionId, bytes })
}

/** Moves the cut-off to where the rest fits. True if more versions have to be looked at. */
function moveCutoff(entry: Limited): boolean {
  const { oldest, maxBytes } = entry
  for (const candidate of oldest.take()) {
    if (entry.bytes <= maxBytes) return false
    entry.bytes -= candidate.bytes
    entry.cutoff = candidate
  }
  return entry.bytes > maxBytes && oldest.hasForgotten()
}

/** Remembers the oldest candidates offered. */
function createOldest(limit: number) {
  let kept: Candidate[] = []
  let hasForgotten = false
  const trim = (): void => {
    kept.sort((a, b) => compareAge(a.supersededAt, a.versionId, b))
    hasForgotten ||= kept.length > limit
    kept = kept.slice(0, limit)
  }
  return {
    offer(candidate: Candidate): void {
      kept.push(candidate)
      if (kept.length >= 2 * limit) trim()
    },
    /** Yields the candidates from the oldest on, and forgets them. */
    *take(): Generator<Candidate> {
      trim()
      const taken = kept
      kept = []
      yield* taken
    },
    /** Whether a candidate was dropped for lack of room since the last call. */
    hasForgotten(): boolean {
      const answer = hasForgotten
      hasForgotten = false
      return answer
    },
  }
}

/** Bytes by the time they were superseded, in spans that widen to keep their number bounded. */
type AgeHistogram = {
  add(at: number, bytes: number): void
  /**
   * The span in which the oldest bytes reach a sum, and the bytes before it. Null if all together don't reach it;
   * then `total` is less.
   */
  reach(sum: number): { from: number; to: number; bytesBefore: number } | null
  readonly total: number
}

const MAX_SPANS = 32_768

function createAgeHistogram(maxSpans = MAX_SPANS): AgeHistogram {
  let spans = new Map<number, number>()
  let spanMs = 1
  let total = 0

  function widen(): void {
    spanMs *= 2
    const wider = new Map<number, number>()
    for (const [span, bytes] of spans) {
      const half = Math.floor(span / 2)
      wider.set(half, (wider.get(half) ?? 0) + bytes)
    }
    spans = wider
  }

  return {
    get total() {
      return total
    },
    add(at, bytes) {
      const span = Math.floor(at / spanMs)
      spans.set(span, (spans.get(span) ?? 0) + bytes)
      total += bytes
      while (spans.size > maxSpans) widen()
    },
    reach(sum) {
      let bytesBefore = 0
      for (const span of [...spans.keys()].sort((a, b) => a - b)) {
        const bytes = spans.get(span)!
        if (bytesBefore + bytes >= sum) return { from: span * spanMs, to: (span + 1) * spanMs, bytesBefore }
        bytesBefore += bytes
      }
      return null
    },
  }
}
