import type { HttpAnswer, HttpSender, SendOutcome } from './channel-agent.ts'
import { oneLine } from './render/message.ts'

const MAX_ANSWER = 300

/** What an answer means: most receivers mean the same by a status. */
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

export function answerText({ status, text }: HttpAnswer): string {
  const line = oneLine(text, MAX_ANSWER)
  return line === '' ? `status ${status}` : `status ${status}: ${line}`
}

const MAX_WAIT_MS = 7 * 86_400_000

/** Seconds or a date; 0 for neither. */
export function retryAfterMs(value: string | undefined, now: number): number {
  if (value === undefined) return 0
  const ms = /^\s*\d{1,9}\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? 0 : Math.min(MAX_WAIT_MS, Math.max(0, ms))
}

export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' } as const

type Sending = { url: string; body: unknown; method?: 'POST' | 'PUT'; headers?: Record<string, string> }

/** Most services take JSON at an address. */
export async function postJson(
  http: HttpSender,
  { url, body, method = 'POST', headers = {} }: Sending,
  now: number,
): Promise<SendOutcome> {
  return outcomeOf(
    await http({ url, method, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) }),
    now,
  )
}
