import type { Clock } from '../../core/clock.ts'
import { AppError, errorCodes, isAppError } from '../../core/errors.ts'

/** Listens to a source until it is closed, or until `onEnd`. `uri` is that of its watch. */
export type ListenTo = (uri: string, heard: { onNews(): void; onEnd(error: Error): void }) => Promise<Listener>

type Listener = { close(): Promise<void> }

export type ListeningDeps = {
  listenTo: ListenTo
  checkNow(watch: number): 'asked' | 'out-already' | 'paused' | 'unknown'
  clock: Clock
  onProblem(message: string, fields: Record<string, unknown>): void
}

/** A source that pushes changes, and the state of the connection to it. */
type Line = {
  uri: string
  listener: Listener | null
  failures: number
  /** Monotonic; no attempt before then. */
  retryAt: number
  /** News came during a check, which may have seen an older state. */
  isMissed: boolean
  isClosed: boolean
}

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 10 * 60_000
/** After permanent errors, above all refused credentials: the source would lock their owner out. */
const SAME_FAILURE_RETRY_MS = 60 * 60_000
/** For sources that can't push, such as a feed without a hub: that seldom changes. */
const UNABLE_RETRY_MS = 24 * 60 * 60_000
const MAX_LINES = 10_000

/**
 * Listens to the sources whose owners ask for push, and has them checked when they announce news. They are checked at their
 * usual times as well: a broken connection delays news but loses none.
 */
export function createListening({ listenTo, checkNow, clock, onProblem }: ListeningDeps) {
  const lines = new Map<number, Line>()
  let isClosing = false

  function ask(watch: number, line: Line): void {
    if (checkNow(watch) === 'out-already') line.isMissed = true
  }

  function fail(watch: number, line: Line, error: unknown): void {
    if (line.isClosed) return
    line.listener = null
    line.retryAt = clock.monotonic() + pauseAfter(error, line.failures)
    line.failures++
    const why = error instanceof Error ? error.message : String(error)
    if (line.failures === 1) onProblem('a source cannot be listened to', { watch, why })
  }

  async function open(watch: number, line: Line): Promise<void> {
    line.retryAt = Number.POSITIVE_INFINITY
    try {
      const listener = await listenTo(line.uri, {
        onNews: () => ask(watch, line),
        onEnd: (error) => fail(watch, line, error),
      })
      if (line.isClosed) return await listener.close()
      line.listener = listener
      line.failures = 0
      // Check now for news from before the connection was open.
      ask(watch, line)
    } catch (error) {
      fail(watch, line, error)
    }
  }

  async function end(watch: number): Promise<void> {
    const line = lines.get(watch)
    if (line === undefined) return
    lines.delete(watch)
    line.isClosed = true
    await line.listener?.close()
  }

  return {
    /** `uri` is null for a watch that is only polled. */
    set(watch: number, uri: string | null): void {
      if (isClosing || lines.get(watch)?.uri === uri) return
      void end(watch)
      if (uri === null || lines.size >= MAX_LINES) return
      lines.set(watch, { uri, listener: null, failures: 0, retryAt: 0, isMissed: false, isClosed: false })
    },
    /** Opens connections that are due. */
    tick(): void {
      const now = clock.monotonic()
      for (const [watch, line] of lines) if (line.listener === null && line.retryAt <= now) void open(watch, line)
    },
    /** Call when a check of the watch is over. */
    checked(watch: number): void {
      const line = lines.get(watch)
      if (line?.isMissed !== true) return
      line.isMissed = false
      ask(watch, line)
    },
    async close(): Promise<void> {
      isClosing = true
      await Promise.all([...lines.keys()].map(end))
    },
  }
}

function pauseAfter(error: unknown, failures: number): number {
  if (isAppError(error, 'not-available')) return UNABLE_RETRY_MS
  if (error instanceof AppError && errorCodes[error.code].retry === 'never') return SAME_FAILURE_RETRY_MS
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 20))
}

export type Listening = ReturnType<typeof createListening>
