import { systemClock } from '../../core/clock.ts'
import type { Found, List, Place, Protocol, ProtocolLimits, Secret } from '../../crawl/fetch/protocol.ts'

export type TestPlace = { limits?: Partial<ProtocolLimits>; secret?: Secret | null; signal?: AbortSignal }

const usual: ProtocolLimits = {
  connectTimeoutMs: 10_000,
  stallTimeoutMs: 20_000,
  maxBodyBytes: 1024 * 1024,
  maxItems: 10_000,
}

export function placeOf(url: string, { limits, secret = null, signal }: TestPlace = {}): Place {
  return {
    url,
    secret,
    resolve: async () => '127.0.0.1',
    signal: signal ?? new AbortController().signal,
    limits: { ...usual, ...limits },
    clock: systemClock,
  }
}

/** As in the engine: normalises the URL, opens a session, and looks once. */
export async function lookAt(protocol: Protocol, url: string, given: TestPlace = {}): Promise<List> {
  const session = await protocol.open(placeOf(protocol.normalise(url), given))
  try {
    return asList(await session.look(''))
  } finally {
    await session.close()
  }
}

export function asList(found: Found): List {
  if (found.kind !== 'list') throw new Error('expected a list')
  return found
}

export const bodyOf = (list: List, at = 0): string => list.items[at]!.body!.body.toString('utf8')
