import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import type { Listener, Place } from '../../crawl/fetch/protocol.ts'
import { connectImap, type ImapClient } from './imap-client.ts'
import { abortFailure } from './mail-failure.ts'
import type { MailOptions } from './mail-options.ts'
import type { MailTarget } from './mail-url.ts'

/** Backoff of reconnects; after the last one, the listener gives up. A connection that lasted for `whileMs` resets it. */
const delaysMs = [250, 1000, 5000, 20_000, 60_000]
const whileMs = 60_000
/** Some servers end IDLE by themselves now and then, but none immediately every time. */
const maxShortIdles = 10
/** Silence is normal here; after this long, the server is probed. */
const quietMs = 5 * 60_000

/**
 * Listens for new messages with IDLE. States:
 *
 *     listening ── connection lost ──> waiting ── time over ──> connecting ──> listening (news are assumed: they may have been missed)
 *         │                                                         └── refused, or too many attempts ──> ended (`onEnd`)
 *         └── close() or the signal, from any state ──> closed
 */
export async function listenToMailbox(
  place: Place,
  target: MailTarget,
  options: MailOptions,
  heard: { onNews(): void; onEnd(error: Error): void },
): Promise<Listener> {
  const closing = new AbortController()
  const { signal } = closing
  const stop = (): void => closing.abort()
  let isClosed = false
  place.signal.addEventListener('abort', stop)
  if (place.signal.aborted) stop()
  const patient = { ...place, signal, limits: { ...place.limits, stallTimeoutMs: quietMs } }
  let client = await start()

  async function start(): Promise<ImapClient> {
    const started = await connectImap(patient, target, options)
    try {
      if (!started.flow.capabilities.has('IDLE') && !started.flow.capabilities.has('IMAP4rev2'))
        throw new AppError('protocol-failed', `${target.host} doesn't tell of new messages (no IDLE).`, {
          retry: 'never',
        })
      await started.openMailbox()
    } catch (error) {
      await started.close()
      throw error
    }
    started.flow.on('exists', ({ count, prevCount }) => {
      if (count > prevCount) heard.onNews()
    })
    return started
  }

  /** Resolves when the connection is lost. */
  async function hear(): Promise<void> {
    for (let short = 0; short < maxShortIdles && client.flow.usable; ) {
      const started = place.clock.monotonic()
      const isDone = await client.run((flow) => flow.idle())
      if (isDone === false) break
      short = place.clock.monotonic() - started < 1000 ? short + 1 : 0
    }
    await client.close()
  }

  async function go(): Promise<void> {
    for (let attempt = 0; ; ) {
      const started = place.clock.monotonic()
      await hear()
      if (place.clock.monotonic() - started > whileMs) attempt = 0
      for (let isLost = true; isLost; ) {
        const delayMs = delaysMs[attempt++]
        if (delayMs === undefined) throw new AppError('connect-failed', `The connection to ${target.host} is lost.`)
        await delay(delayMs, undefined, { signal, ref: false })
        isLost = !(await startAgain())
      }
      heard.onNews()
    }
  }

  async function startAgain(): Promise<boolean> {
    try {
      client = await start()
      return true
    } catch (error) {
      if (error instanceof AppError && error.retry === 'later' && !signal.aborted) return false
      throw error
    }
  }

  const ended = go().catch((error: unknown) => {
    place.signal.removeEventListener('abort', stop)
    if (isClosed) return
    if (signal.aborted) heard.onEnd(abortFailure(target.host))
    else heard.onEnd(error instanceof Error ? error : new Error(String(error)))
  })
  return {
    async close() {
      isClosed = true
      stop()
      await client.close()
      await ended
    },
  }
}
