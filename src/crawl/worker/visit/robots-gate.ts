import type { Clock } from '../../../core/clock.ts'
import { type ErrorCode, isAppError } from '../../../core/errors.ts'
import type { DecodedBody } from '../../../core/http/decode-body.ts'
import { parse } from '../../../core/url/url.ts'
import type { FrontierStore, KeptRobots } from '../../../store/contracts/frontier.ts'
import type { FetchFailure, FetchResponse, FetchResult } from '../../fetch/fetch-result.ts'
import { headerValue, locationOf } from '../../fetch/fetch-result.ts'
import type { Fetcher } from '../../fetch/fetcher.ts'
import { wholeLines } from '../../robots/parse-robots.ts'
import type { RobotsCache } from '../../robots/robots-cache.ts'
import type { RobotsRules } from '../../robots/robots-rules.ts'
import { type RobotsVerdict, rulesFromResponse } from '../../robots/robots-verdict.ts'

/**
 * Robots rules of an origin: from memory, else from the store, else from the host itself. Fetching them replaces one
 * page request, so other hosts do not wait and this one does not get two requests at a time.
 */
export type RobotsGate = {
  /** Rules in memory; null if they must be loaded first. */
  peek(origin: string): RobotsRules | null
  load(origin: string): Promise<RobotsLoad>
}

export type RobotsLoad =
  | { kind: 'kept'; rules: RobotsRules }
  /** Asked the host; `result` is the last answer, which shows the host's health. */
  | { kind: 'asked'; rules: RobotsRules; result: FetchResult }
  /** robots.txt can't be fetched. `moved`: the host answered, with a redirect that led nowhere. */
  | { kind: 'unreachable'; result: FetchResult; moved: boolean }

export type RobotsGateOptions = {
  cache: RobotsCache
  store: Pick<FrontierStore, 'loadRobots' | 'saveRobots'>
  fetcher: Fetcher
  clock: Clock
  /** Removes the content encodings of a body; returns at most `maxBytes`. */
  decode(response: FetchResponse, maxBytes: number): Promise<DecodedBody>
  /** Maximum age of rules before they are fetched again. */
  maxAgeMs: number
}

/** Returns whether robots.txt allows a URL, loading the rules if necessary. */
export function createMayFetch(gate: RobotsGate | null, agent: string): (url: string) => Promise<boolean> {
  return async (url) => {
    if (gate === null) return true
    const { origin } = new URL(url)
    const known = gate.peek(origin)
    const load = known === null ? await gate.load(origin) : { kind: 'kept' as const, rules: known }
    return load.kind !== 'unreachable' && load.rules.isAllowed(agent, url)
  }
}

const MAX_HOPS = 5
const MAX_BYTES = 512 * 1024
const noBytes = new Uint8Array()

export function createRobotsGate({ cache, store, fetcher, clock, decode, maxAgeMs }: RobotsGateOptions): RobotsGate {
  const loading = new Map<string, Promise<RobotsLoad>>()
  /** Origins whose rules serve one request even if they expire before it: a long delay must not mean fetching them for ever. */
  const justAsked = new Set<string>()

  function remember(origin: string, kept: KeptRobots): RobotsRules {
    const response =
      kept.kind === 'disallow-all' ? 'unreachable' : { status: kept.kind === 'rules' ? 200 : 404, body: kept.body }
    const verdict = rulesFromResponse(response)
    cache.set(origin, { ...verdict, expiresInMs: kept.expiresAt - clock.now() })
    return verdict.rules
  }

  async function ask(origin: string): Promise<RobotsLoad> {
    const kept = await store.loadRobots(origin)
    if (kept !== null && kept.expiresAt > clock.now()) {
      return { kind: 'kept', rules: remember(origin, kept) }
    }
    const { result: answer, moved } = await fetchFollowing(`${origin}/robots.txt`)
    const read = await readWhole(answer)
    const { result } = read
    const verdict = judge(read)
    // An unreachable robots.txt forbids everything (RFC 9309, 2.3.1.4), but that is not stored: it is fetched again with
    // the next request, and its failures make the host rest.
    if (verdict.kind === 'disallow-all') return { kind: 'unreachable', result, moved }
    const expiresInMs = Math.min(verdict.expiresInMs, maxAgeMs)
    const body = verdict.kind === 'rules' ? read.body : noBytes
    await save(origin, { kind: verdict.kind, body, expiresAt: clock.now() + expiresInMs })
    cache.set(origin, { ...verdict, expiresInMs })
    justAsked.add(origin)
    return { kind: 'asked', rules: verdict.rules, result }
  }

  /** Rules that can't be stored now are fetched again after a restart; a full disk must not end the crawl here. */
  async function save(origin: string, robots: KeptRobots): Promise<void> {
    try {
      await store.saveRobots(origin, robots)
    } catch (error) {
      if (!isAppError(error) || error.retry === 'never') throw error
    }
  }

  async function fetchFollowing(start: string): Promise<{ result: FetchResult; moved: boolean }> {
    let url = start
    for (let hops = 0; ; hops++) {
      const result = await fetcher.fetch({ url, anyType: true, maxBodyBytes: MAX_BYTES + 1 })
      const location =
        result.kind === 'response' && result.status >= 300 && result.status < 400
          ? locationOf(result.rawHeaders)
          : undefined
      const target = location === undefined ? null : parse(location.trim(), url)
      if (target === null || !/^https?:$/.test(target.protocol) || hops === MAX_HOPS) {
        return { result, moved: hops > 0 }
      }
      url = target.href
    }
  }

  /**
   * Missing lines may be the ones that forbid: a file that broke off, came too slowly or can't be decoded is a failure, not
   * half a file. Bytes beyond the limit are not read, and a line that it cuts in two is left out.
   */
  async function readWhole(result: FetchResult): Promise<{ result: FetchResult; body: Uint8Array }> {
    if (result.kind !== 'response') return { result, body: noBytes }
    if (result.truncated === 'time')
      return { result: failureOf(result, 'total-timeout', 'robots.txt came too slowly'), body: noBytes }
    // The body of any other status is not a robots.txt.
    if (result.status < 200 || result.status >= 300) return { result, body: noBytes }
    const decoded = await decode(result, MAX_BYTES + 1)
    if (decoded.kind === 'failed') return { result: failureOf(result, decoded.code, decoded.message), body: noBytes }
    const isLong = result.truncated === 'length' || decoded.body.length > MAX_BYTES
    if (decoded.truncated && !isLong)
      return { result: failureOf(result, 'decode-failed', 'robots.txt broke off'), body: noBytes }
    return { result, body: isLong ? wholeLines(decoded.body.subarray(0, MAX_BYTES)) : decoded.body }
  }

  function judge({ result, body }: { result: FetchResult; body: Uint8Array }): RobotsVerdict {
    if (result.kind !== 'response') return rulesFromResponse('unreachable')
    const maxAge = /max-age=(\d+)/i.exec(headerValue(result.rawHeaders, 'cache-control') ?? '')?.[1]
    return rulesFromResponse(
      { status: result.status, body },
      { maxAgeSeconds: maxAge === undefined ? null : Number(maxAge) },
    )
  }

  return {
    peek(origin) {
      const found = cache.get(origin)
      const isFirst = justAsked.delete(origin)
      return found.kind === 'fresh' || (found.kind === 'expired' && isFirst) ? found.rules : null
    },
    load(origin) {
      const known = loading.get(origin)
      if (known !== undefined) return known
      const asking = ask(origin).finally(() => loading.delete(origin))
      loading.set(origin, asking)
      return asking
    },
  }
}

function failureOf({ address, totalMs }: FetchResponse, code: ErrorCode, message: string): FetchFailure {
  return { kind: 'failed', code, message, retry: 'later', address, totalMs }
}
