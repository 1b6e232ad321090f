import { systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { ImportProgress } from '../../core/reports/import-report.ts'
import { retry } from '../../core/work/retry.ts'
import {
  type ImportKind,
  type ImportSource,
  type ImportState,
  type ImportTarget,
  importKinds,
} from '../../store/contracts/import.ts'

const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 5_000
/** How long to wait for an unavailable database. The same command continues later. */
const MAX_AWAY_MS = 60_000

export type ImportHooks = {
  onProgress(progress: ImportProgress): void
  /** Aborted when it should end cleanly; the same command continues later. */
  signal: AbortSignal
}

export type ImportParts = { source: ImportSource; target: ImportTarget; hooks: ImportHooks }

/** Copies the missing rows, then derives sequences and counters from them. Returns early when the signal aborts. */
export async function copyRows(parts: ImportParts, begun: ImportState): Promise<ImportState> {
  const { source, target } = parts
  const step = createStepper()
  let mark = begun
  while (mark.phase === 'copying') {
    const before: ImportState = mark
    mark = await copyKind(parts, mark, step)
    if (mark.kind === before.kind && mark.phase === 'copying') return mark
  }
  if (mark.phase !== 'settling') return mark
  const after = step(mark, { phase: 'checking', kind: importKinds[0], after: null, rows: 0 })
  await insist(parts, () => target.settle(source.facts(), mark, after), after)
  return after
}

/** The mark of the next kind when this one is complete; a mark of the same kind when it was interrupted. */
async function copyKind(parts: ImportParts, begun: ImportState, step: Stepper): Promise<ImportState> {
  const { source, target, hooks } = parts
  const { kind } = begun
  const total = source.count(kind)
  const load = async (after: ImportState['after']) => {
    const { rows, after: end } = await source.read(kind, after, { content: true })
    return { packed: await target.pack(kind, rows), count: rows.length, end }
  }
  let mark = begun
  let next = load(mark.after)
  for (;;) {
    const { packed, count, end } = await next
    if (hooks.signal.aborted) return mark
    if (end !== null) {
      // The next batch is read while this one is written.
      next = load(end)
      next.catch(() => {})
    }
    const rows = mark.rows + count
    const progress = end === null ? nextAfter(kind) : { after: end, rows }
    const before = mark
    const after = step(before, { ...progress, bytes: before.bytes + packed.bytes })
    await insist(parts, () => packed.write(before, after), after)
    mark = after
    hooks.onProgress({ what: kindLabels[kind], done: rows, total: Math.max(total, rows) })
    if (end === null) return mark
  }
}

/** Where to continue when a kind is complete. */
function nextAfter(kind: ImportKind): Partial<ImportState> {
  const following = importKinds[importKinds.indexOf(kind) + 1]
  return following === undefined ? { phase: 'settling' } : { kind: following, after: null, rows: 0 }
}

export type Stepper = (mark: ImportState, changes: Partial<ImportState>) => ImportState

/** The next mark, with the time that has passed since the last one. */
export function createStepper(): Stepper {
  let before = systemClock.monotonic()
  return (mark, changes) => {
    const now = systemClock.monotonic()
    const ms = Math.round(mark.ms + now - before)
    before = now
    return { ...mark, ms, ...changes, n: mark.n + 1 }
  }
}

/**
 * Retries idempotent work while the database is unavailable. A write that succeeded although its answer was lost is recognised by its
 * mark.
 */
export async function insist<T>(
  { target, hooks }: Pick<ImportParts, 'target' | 'hooks'>,
  work: () => Promise<T>,
  written?: ImportState,
): Promise<T | undefined> {
  const startedAt = systemClock.monotonic()
  const isLong = (): boolean => systemClock.monotonic() - startedAt > MAX_AWAY_MS
  return retry(
    async (attempt) => {
      const isThere = attempt > 1 && written !== undefined && (await target.mark())?.n === written.n
      return isThere ? undefined : work()
    },
    {
      firstMs: FIRST_WAIT_MS,
      lastMs: MAX_WAIT_MS,
      signal: hooks.signal,
      shouldRetry: (error) => isAway(error) && !isLong(),
    },
  )
}

const isAway = (error: unknown): boolean =>
  isAppError(error, 'store-unreachable') || isAppError(error, 'store-unavailable')

/** Labels of the kinds of rows, for users. */
export const kindLabels: Record<ImportKind, string> = {
  runs: 'runs',
  accounts: 'accounts',
  sessions: 'sessions',
  tokens: 'tokens',
  failures: 'failed sign-ins',
  credentials: 'credentials for sources',
  watches: 'watches',
  crawls: 'crawls of the service',
  profiles: 'profiles',
  urds: 'sources of profiles',
  checks: 'checks of watches',
  hosts: 'hosts',
  seen: 'links seen',
  queue: 'requests queued',
  robots: 'robots.txt',
  documents: 'documents',
  links: 'lists of links',
  versions: 'versions',
  bodies: 'known bodies',
  tasks: 'annotation tasks',
  reached: 'documents reached by watches',
  prices: 'prices',
  noise: 'noise of documents',
  unmuted: 'undone mutings',
  holds: 'holds',
  annotations: 'annotations',
  also_at: 'other URLs of near-duplicates',
  channels: 'delivery channels',
  outbox: 'deliveries in the outbox',
  messages: 'messages sent or on their way',
  stories: 'near-duplicates',
  story_bands: 'keys of near-duplicates',
  story_splits: 'pages split from each other',
}
