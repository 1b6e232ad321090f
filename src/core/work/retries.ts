import type { Clock } from '../clock.ts'
import { type ErrorCode, isAppError } from '../errors.ts'

/** Work that has been failing, or waiting for an answer, for more than a few seconds. */
export type Waiting = {
  what: string
  /** Milliseconds since 1970. */
  since: number
  /** Null if nothing has failed: there is no answer yet. */
  code: ErrorCode | null
  reason: string
  /** The waiting code logs every failure itself, immediately. */
  isLogged?: true
}

/** One call that is retried, or one loop that repeats its work. It is idle, in progress, or failing until done. */
export type Track = {
  /** Marks the start of work that should finish soon, so that a late first answer is reported too. */
  begin(): void
  failed(error: unknown): void
  done(): void
}

export type TrackOptions = Pick<Waiting, 'isLogged'>

/**
 * Everything that is being retried in a process. `retry` and every loop that continues after a failure report here; the log, `top` and
 * `/readyz` show it. Threads have their own instance, whose state their process adopts.
 */
export type Retries = {
  track(what: string, options?: TrackOptions): Track
  /** Replaces what this thread reported before. */
  adopt(source: string, waiting: readonly Waiting[]): void
  /** Oldest first. */
  waiting(): Waiting[]
}

const FAILING_MS = 3_000
const LATE_MS = 5_000
/**
 * A loop that still fails does so again within this time, even if a connection has gone silent. Older failures are dropped: the loop has no
 * more work.
 */
const FORGET_MS = 120_000

type Entry = TrackOptions & {
  what: string
  since: number
  startedAt: number
  isAwaited: boolean
  failedAt: number
  error: unknown
}

export function createRetries(clock: Clock): Retries {
  const active = new Set<Entry>()
  const adopted = new Map<string, readonly Waiting[]>()

  return {
    track(what, options = {}) {
      const entry: Entry = { ...options, what, since: 0, startedAt: 0, isAwaited: false, failedAt: 0, error: null }
      const begin = (isAwaited: boolean): void => {
        if (active.has(entry)) return
        Object.assign(entry, { since: clock.now(), startedAt: clock.monotonic(), isAwaited, error: null })
        active.add(entry)
      }
      return {
        begin: () => begin(true),
        failed(error) {
          begin(false)
          entry.failedAt = clock.monotonic()
          entry.error = error
        },
        done: () => void active.delete(entry),
      }
    },
    adopt(source, waiting) {
      if (waiting.length > 0) adopted.set(source, waiting)
      else adopted.delete(source)
    },
    waiting() {
      const now = clock.monotonic()
      for (const entry of active) if (!entry.isAwaited && now - entry.failedAt > FORGET_MS) active.delete(entry)
      const own = [...active].filter(
        ({ startedAt, error }) => now - startedAt >= (error === null ? LATE_MS : FAILING_MS),
      )
      const all = [...own.map(waitingOf), ...[...adopted.values()].flat()].sort((a, b) => a.since - b.since)
      const byName = new Map<string, Waiting>()
      // Merge entries of the same name: the oldest gives the time, one that failed gives the reason.
      for (const each of all) {
        const known = byName.get(each.what)
        if (known === undefined) byName.set(each.what, each)
        else if (known.code === null && each.code !== null) byName.set(each.what, { ...each, since: known.since })
      }
      return [...byName.values()]
    },
  }
}

function waitingOf({ startedAt: _, isAwaited: __, failedAt: ___, error, ...entry }: Entry): Waiting {
  if (error === null) return { ...entry, code: null, reason: 'no answer yet' }
  const reason = error instanceof Error ? error.message : String(error)
  return { ...entry, code: isAppError(error) ? error.code : 'internal', reason }
}

const MAX_DESCRIBED = 400

/** One line with absolute times instead of ages, so that it stays correct; empty if nothing waits. */
export function describeWaiting(waiting: readonly Waiting[]): string {
  const words = waiting.map(({ what, since, reason }) => `${what} since ${timeOf(since)}: ${reason}`)
  return words.join(', ').slice(0, MAX_DESCRIBED)
}

/** For public output: omits the store's own messages, which contain addresses. */
export function describePublicly(waiting: readonly Waiting[]): string[] {
  return waiting.map(({ what, since, code }) => `waiting: ${what} since ${timeOf(since)} (${code ?? 'no answer yet'})`)
}

const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

const LOOK_EVERY_MS = 1_000

/** Polls once a second and passes on what is waiting. Returns a function that stops it. */
export function watchRetries(retries: Pick<Retries, 'waiting'>, onLook: (waiting: Waiting[]) => void): () => void {
  const timer = setInterval(() => onLook(retries.waiting()), LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)
}

export type RetryLogDeps = {
  clock: Clock
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void }
}

const FIRST_PAUSE_MS = 30_000
const LAST_PAUSE_MS = 30 * 60_000
/** How long nothing may wait before recovery is logged: work that just failed may fail again. */
const CALM_MS = 5_000

/**
 * Logs waiting work. The log is
 * - calm: nothing waits, and nothing has for some seconds;
 * - waiting: logs when it begins, when other work waits or fails in another way, and again after increasing pauses. Each combination is
 *   logged once, so work that flaps adds no more lines.
 */
export function createRetryLog({ clock, log }: RetryLogDeps) {
  let told = new Set<string>()
  let since: number | null = null
  let seenAt = 0
  let nextAt = 0
  let pauseMs = FIRST_PAUSE_MS

  function tell(waiting: readonly Waiting[], news: readonly Waiting[]): void {
    const names = waiting.map(({ what }) => what).join(', ')
    const { reason } = news.find(({ code }) => code !== null) ?? news[0]!
    const seconds = Math.round((clock.now() - waiting[0]!.since) / 1000)
    log.warn({ error: reason, seconds }, `waiting for the store: ${names}`)
  }

  return {
    look(all: readonly Waiting[]): void {
      const waiting = all.filter(({ isLogged }) => isLogged !== true)
      const now = clock.monotonic()
      const first = waiting[0]
      if (first === undefined) {
        if (since === null || now - seenAt < CALM_MS) return
        log.info({ seconds: Math.round((clock.now() - (now - seenAt) - since) / 1000) }, 'the store works again')
        since = null
        told = new Set()
        return
      }
      if (since === null) {
        pauseMs = FIRST_PAUSE_MS
        nextAt = now + pauseMs
      }
      since ??= first.since
      seenAt = now
      const news = waiting.filter(({ what, code }) => !told.has(`${what} ${code}`))
      for (const { what, code } of news) told.add(`${what} ${code}`)
      if (news.length === 0 && now < nextAt) return
      tell(waiting, news.length > 0 ? news : waiting)
      if (now < nextAt) return
      pauseMs = Math.min(LAST_PAUSE_MS, 2 * pauseMs)
      nextAt = now + pauseMs
    },
  }
}

export type ProcessRetries = Retries & { end(): void }

/** The retries of a process, with a log. */
export function startRetries(deps: RetryLogDeps): ProcessRetries {
  const retries = createRetries(deps.clock)
  const { look } = createRetryLog(deps)
  return { ...retries, end: watchRetries(retries, look) }
}

/** The retries of a thread. Sends changes to its process. */
export function startThreadRetries(clock: Clock, send: (waiting: readonly Waiting[]) => void): Retries {
  const retries = createRetries(clock)
  let sent = '[]'
  watchRetries(retries, (waiting) => {
    const now = JSON.stringify(waiting)
    if (now === sent) return
    sent = now
    send(waiting)
  })
  return retries
}
