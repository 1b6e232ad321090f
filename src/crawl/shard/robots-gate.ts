import type { Clock } from '../../core/clock.ts'
import { parse } from '../../core/url.ts'
import type { FrontierStore, KeptRobots } from '../../store/frontier.ts'
import type { FetchResult } from '../fetch/fetch-result.ts'
import { headerValue } from '../fetch/fetch-result.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { RobotsCache } from '../robots/robots-cache.ts'
import type { RobotsRules } from '../robots/robots-rules.ts'
import { type RobotsVerdict, rulesFromResponse } from '../robots/robots-verdict.ts'

/**
 * Robots rules of an origin: from memory, else from the store, else from the host itself. Fetching them takes the place
 * of one page request, so other hosts are not held up and this one is not asked twice at a time.
 */
export type RobotsGate = {
  /** Rules that are at hand; null when they must be loaded first. */
  peek(origin: string): RobotsRules | null
  load(origin: string): Promise<RobotsLoad>
}

export type RobotsLoad =
  | { kind: 'kept' }
  /** Asked the host; `result` is its last answer, from which the host's health can be told. */
  | { kind: 'asked'; result: FetchResult }

export type RobotsGateOptions = {
  cache: RobotsCache
  store: FrontierStore
  fetcher: Fetcher
  clock: Clock
  decode(result: FetchResult & { kind: 'response' }): Promise<Uint8Array>
}

const MAX_HOPS = 5
const MAX_BYTES = 512 * 1024

export function createRobotsGate({ cache, store, fetcher, clock, decode }: RobotsGateOptions): RobotsGate {
  const loading = new Map<string, Promise<RobotsLoad>>()

  function remember(origin: string, kept: KeptRobots): void {
    const response =
      kept.kind === 'disallow-all'
        ? 'unreachable'
        : { status: kept.kind === 'rules' ? 200 : 404, body: Buffer.from(kept.text) }
    cache.set(origin, { ...rulesFromResponse(response), expiresInMs: kept.expiresAt - clock.now() })
  }

  async function ask(origin: string): Promise<RobotsLoad> {
    const kept = await store.loadRobots(origin)
    if (kept !== null && kept.expiresAt > clock.now()) {
      remember(origin, kept)
      return { kind: 'kept' }
    }
    const result = await fetchFollowing(`${origin}/robots.txt`)
    const { verdict, text } = await judge(result)
    // A host that can't say forbids everything (RFC 9309, 2.3.1.4), but that is no verdict to keep: it is asked again with
    // the next request, and its failures make it rest.
    if (verdict.kind !== 'disallow-all') {
      await store.saveRobots(origin, { kind: verdict.kind, text, expiresAt: clock.now() + verdict.expiresInMs })
      cache.set(origin, verdict)
    }
    return { kind: 'asked', result }
  }

  async function fetchFollowing(start: string): Promise<FetchResult> {
    let url = start
    for (let hops = 0; ; hops++) {
      const result = await fetcher.fetch({ url, anyType: true, maxBodyBytes: MAX_BYTES })
      const location =
        result.kind === 'response' && result.status >= 300 && result.status < 400
          ? headerValue(result.rawHeaders, 'location')
          : undefined
      const target = location === undefined ? null : parse(location, url)
      if (target === null || !/^https?:$/.test(target.protocol) || hops === MAX_HOPS) return result
      url = target.href
    }
  }

  async function judge(result: FetchResult): Promise<{ verdict: RobotsVerdict; text: string }> {
    if (result.kind !== 'response') return { verdict: rulesFromResponse('unreachable'), text: '' }
    const body = await decode(result)
    const maxAge = /max-age=(\d+)/i.exec(headerValue(result.rawHeaders, 'cache-control') ?? '')?.[1]
    const verdict = rulesFromResponse(
      { status: result.status, body },
      { maxAgeSeconds: maxAge === undefined ? null : Number(maxAge) },
    )
    return { verdict, text: verdict.kind === 'rules' ? Buffer.from(body).toString('utf8') : '' }
  }

  return {
    peek(origin) {
      const found = cache.get(origin)
      return found.kind === 'fresh' ? found.rules : null
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
