import type { Secret } from './callers.ts'
import { busyCodes } from './findings.ts'
import { type CallerName, nameOf, type World } from './operations.ts'
import { type FuzzRequest, looselyDecoded } from './requests.ts'
import type { Answer } from './wire.ts'

/** The fault of an answer; null if it is correct. */
export function faultOfAnswer(
  request: FuzzRequest,
  answer: Answer,
  { secrets, world }: { secrets(): Secret[]; world: World },
): string | null {
  if (answer.kind === 'hang') return `no answer after ${Math.round(answer.tookMs)} ms: ${answer.received}`
  if (answer.kind === 'closed')
    return request.mayClose ? null : `closed without an answer: ${answer.error} ${answer.received}`
  const { status, headers, body } = answer
  const text = body.toString()
  const shown = `${status} ${text.slice(0, 300)}`
  if (status < 200) return `an unusual status: ${shown}`
  if (request.method === 'HEAD') return status >= 500 ? `an error: ${shown}` : null
  if (status >= 400) {
    const code = codeOf(text)
    if (code === null || !headers.get('content-type')?.startsWith('application/json'))
      return `an error in no documented form: ${shown}`
    if (status >= 500 && !(status === 503 && busyCodes.has(code))) return `an error: ${shown}`
  } else if (headers.get('content-type')?.startsWith('application/json') && status !== 304 && !isJson(text))
    return `not JSON: ${shown}`
  return undocumented(request, status, world) ?? leak(request, text, headers, secrets())
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The code of an error in the documented format; null for anything else. */
export function codeOf(text: string): string | null {
  if (!isJson(text)) return null
  const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
  return typeof error?.code === 'string' && typeof error.message === 'string' ? error.code : null
}

function undocumented(request: FuzzRequest, status: number, world: World): string | null {
  if (status >= 400 || status === 304 || !reaches(request, world)) return null
  const { operation } = request
  const { statuses } = world.operations.find((each) => nameOf(each) === operation)!
  return statuses.includes(String(status)) ? null : `the status ${status} of ${operation} is not documented`
}

/** False if a mutation leads the request to another operation, about which its answer says nothing. */
export function reaches({ operation, target, method }: FuzzRequest, { operations }: World): boolean {
  const found = operations.find((each) => nameOf(each) === operation)!
  const pattern = new RegExp(`^${found.path.replaceAll(/\{\w+\}/g, '[^/?]+').replaceAll('.', '\\.')}(\\?|$)`)
  return method === found.method && pattern.test(target)
}

const accountOf = (caller: CallerName): string => caller.split('-', 1)[0]!

/** Paths that show administrators data of all users. */
const administration = /\/(users|crawl|hosts|nodes|events)/

/** A secret of another account in the answer that the request itself does not contain; null if there is none. */
function leak(
  { caller, target, body }: FuzzRequest,
  text: string,
  headers: ReadonlyMap<string, string>,
  secrets: readonly Secret[],
): string | null {
  const account = accountOf(caller)
  if (account === 'root' && administration.test(target)) return null
  const once = looselyDecoded(target)
  const all = `${text}\n${[...headers.values()].join('\n')}`
  for (const { owner, text: secret } of secrets) {
    if (owner === account || !all.includes(secret)) continue
    const isEchoed =
      [target, once, looselyDecoded(once)].some((each) => each.includes(secret)) || body?.includes(secret)
    if (!isEchoed) return `shows ${account} what belongs to ${owner}: ${secret}`
  }
  return null
}
