import type { Config } from '../../config/config.ts'
import { startThread, type ThreadHost } from '../../core/work/thread-host.ts'
import type { ProtocolAbilities } from './protocols.ts'
import { type ProfileText, type ReadBody, readProfileBody } from './read-profile-body.ts'
import { type Belongings, type ProfileRules, profileRules, withBelongings } from './values/profile-values.ts'

/**
 * Reads untrusted profiles. An expression is validated by building it, and a profile of a few kilobytes can contain
 * expressions that take minutes. So only clearly cheap profiles are read directly; all others are read one at a time in a
 * thread, which is started on demand and terminated when it exceeds the time limit or has been idle for a while.
 */
export type ProfileReading = {
  /** `has`: the channels and credentials that the profile may name. */
  read(body: ProfileBody, has: Belongings): Promise<ReadBody>
}

export type ProfileBody = { form: 'json'; value: unknown } | { form: 'xml'; xml: Uint8Array }

export type ReadingLimits = { timeLimitMs: number; maxWaiting: number; idleMs: number }

const usualLimits: ReadingLimits = { timeLimitMs: 5000, maxWaiting: 50, idleMs: 60_000 }
const entry = new URL('./profile-reading-worker.ts', import.meta.url)
const QUICK_CHARS = 20_000
/** Scopes without an expression to build. */
const plainScopes: ReadonlySet<unknown> = new Set([undefined, null, 'page', 'path', 'host', 'domain'])

export type ReadingData = { config: Config; abilities: ProtocolAbilities }

export type ReadingRequest = { body: ProfileText; has: Belongings }

export function createProfileReading(data: ReadingData, given: Partial<ReadingLimits> = {}): ProfileReading {
  const limits = { ...usualLimits, ...given }
  const rules: ProfileRules = profileRules(data.config, data.abilities)
  let thread: ThreadHost<ReadingRequest> | null = null
  let idle: NodeJS.Timeout | undefined
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  function stop(): void {
    void thread?.terminate()
    thread = null
  }

  async function readInThread(request: ReadingRequest): Promise<ReadBody> {
    clearTimeout(idle)
    if (thread === null || thread.hasEnded()) thread = startThread(entry, { data, isBackground: true })
    const answer = await thread.request<ReadBody>(request, { timeLimitMs: limits.timeLimitMs }).catch(() => null)
    if (answer !== null) idle = setTimeout(stop, limits.idleMs).unref()
    return (
      answer ??
      invalid(`checking the profile took more than ${limits.timeLimitMs} ms; use fewer or simpler expressions`)
    )
  }

  return {
    async read(body, has) {
      const text = textOf(body)
      if (text === null) return invalid('the profile is nested too deeply')
      if (body.form === 'json' && text.form === 'json' && isQuick(body.value, text.text))
        return readProfileBody(text, withBelongings(rules, has))
      if (waiting >= limits.maxWaiting) return invalid('too many profiles are being checked right now; try again')
      waiting++
      const result = last.then(() => readInThread({ body: text, has })).finally(() => waiting--)
      last = result.catch(() => {}) // the next one runs however this one ends
      return result
    },
  }
}

const invalid = (message: string): ReadBody => ({ kind: 'invalid', errors: [{ place: '', message }] })

function textOf(body: ProfileBody): ProfileText | null {
  if (body.form === 'xml') return body
  try {
    return { form: 'json', text: JSON.stringify(body.value) ?? 'null' }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function isQuick(value: unknown, text: string): boolean {
  if (text.length > QUICK_CHARS) return false
  const { sources, interests } = Object(value) as { sources?: unknown; interests?: unknown }
  const { expression, ignore } = Object(interests) as { expression?: unknown; ignore?: unknown }
  if (typeof expression === 'string' && expression.includes('/')) return false
  if (Array.isArray(ignore) && ignore.length > 0) return false
  return (
    !Array.isArray(sources) || sources.every((source) => plainScopes.has((Object(source) as { scope?: unknown }).scope))
  )
}
