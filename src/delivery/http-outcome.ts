import { documentText } from '../core/text/document-text.ts'
import type { AgentTools, HttpAnswer, HttpRequest, SendOutcome } from './channel-agent.ts'
import { oneLine } from './render/lines.ts'

const MAX_ANSWER = 300

/** The outcome for a response status, as most receivers use it. */
export function outcomeOf(answer: HttpAnswer, now: number): SendOutcome {
  const { status } = answer
  const said = answerText(answer)
  if (status >= 200 && status < 300) return { kind: 'delivered', answer: said }
  if (status >= 300 && status < 400) return { kind: 'never', reason: `${said}; redirects are not followed` }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(answer.headers.get('retry-after'), now)
    return { kind: 'later', reason: said, ...(afterMs > 0 && { afterMs }) }
  }
  return { kind: 'never', reason: said }
}

export function answerText(answer: HttpAnswer): string {
  const { status } = answer
  const line = oneLine(readable(answer), MAX_ANSWER)
  return line === '' ? `status ${status}` : `status ${status}: ${line}`
}

/** The readable text of a response: proxies answer with whole HTML pages, of which only the visible text matters. */
function readable({ headers, text }: HttpAnswer): string {
  const isPage = /^\s*text\/html\b/i.test(headers.get('content-type') ?? '') || /^\s*<(?:!doctype )?html\b/i.test(text)
  if (!isPage) return text
  const shown = documentText(Buffer.from(text), { contentType: 'text/html; charset=utf-8' }) || text
  // Most repeat their title as a heading.
  return shown.slice(0, MAX_ANSWER * 4).replace(/^(.{3,100}?) \1/, '$1')
}

const MAX_WAIT_MS = 7 * 86_400_000

/** Parses Retry-After (seconds or a date); 0 if it is neither. */
export function retryAfterMs(value: string | undefined, now: number): number {
  if (value === undefined) return 0
  const ms = /^\s*\d{1,9}\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? 0 : Math.min(MAX_WAIT_MS, Math.max(0, ms))
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' } as const

/** Sends a request. A failed request resolves to an outcome, too. */
export async function exchange(
  { http, clock }: Pick<AgentTools, 'http' | 'clock'>,
  request: HttpRequest,
  understood: (answer: HttpAnswer, now: number) => SendOutcome = outcomeOf,
): Promise<SendOutcome> {
  let answer: HttpAnswer
  try {
    answer = await http(request)
  } catch (error) {
    return { kind: 'later', reason: failureText(error) }
  }
  return understood(answer, clock.now())
}

/** Error message for a network failure; some errors have none of their own. */
export function failureText(error: unknown): string {
  const { name = '', code = '', message = '' } = error as { name?: string; code?: string; message?: string }
  if (name === 'TimeoutError' || /^UND_ERR_(?:HEADERS|BODY|CONNECT)_TIMEOUT$/.test(code)) return 'no answer in time'
  return oneLine(message || String(code) || 'the connection failed', MAX_ANSWER)
}

type Sending = { url: string; body: unknown; method?: 'POST' | 'PUT'; headers?: Record<string, string> }

/** Sends JSON, as most services expect it. */
export function postJson(
  tools: Pick<AgentTools, 'http' | 'clock'>,
  { url, body, method = 'POST', headers = {} }: Sending,
  understood?: (answer: HttpAnswer, now: number) => SendOutcome,
): Promise<SendOutcome> {
  return exchange(
    tools,
    { url, method, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) },
    understood,
  )
}
