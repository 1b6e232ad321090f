import type { Clock } from '../../../core/clock.ts'
import { AppError, isAppError } from '../../../core/errors.ts'
import type { Source } from '../../../core/profile.ts'
import { credentialsId } from '../../../core/url/access.ts'
import { retry } from '../../../core/work/retry.ts'
import type { Item, List, Place, Protocol, Secret } from '../../../crawl/fetch/protocol.ts'
import type { Secrets } from '../../../crawl/fetch/secrets.ts'
import type { Reach } from './reach.ts'
import { readWebPage, robotsRefusal } from './read-web-page.ts'
import { readContent, screenshotOf, type TriedContent } from './tried-content.ts'
import { failureOf, type TryFailure } from './try-failure.ts'

/**
 * Reads a source once, as a check would, so that its owner sees what would be read. Nothing is stored, not even that credentials
 * failed: a wrong address must not stop the sources they work for.
 *
 * An owner tries one source at a time; a few owners may try concurrently. Connections are opened for each try and closed after it.
 */
export type TrySource = (owner: string, source: Source) => Promise<TriedSource>

export type TriedSource = (TriedContent & { url: string; screenshot?: string; tookMs: number }) | FailedTry
export type FailedTry = TryFailure & { kind: 'failed'; tookMs: number }

export type TrySourceDeps = {
  openReach(): Promise<Reach>
  openSecret: Secrets['open']
  clock: Clock
  limits?: Partial<TryLimits>
}

export type TryLimits = { timeMs: number; atOnce: number }

const usualLimits: TryLimits = { timeMs: 30_000, atOnce: 4 }
const MAX_ITEMS = 20
const MAX_NAME = 300

export function createTrySource({ openReach, openSecret, clock, limits: given }: TrySourceDeps): TrySource {
  const limits = { ...usualLimits, ...given }
  const trying = new Set<string>()

  async function secretOf(owner: string, { credentials }: Source): Promise<Secret | null> {
    if (credentials === '') return null
    const secret = await openSecret(credentialsId(owner, credentials))
    if (secret === null)
      throw new AppError('sign-in-failed', `there are no credentials named ${JSON.stringify(credentials)}`)
    return secret
  }

  async function read(
    source: Source,
    { reach, secret, signal }: { reach: Reach; secret: Secret | null; signal: AbortSignal },
  ): Promise<Omit<Exclude<TriedSource, FailedTry>, 'tookMs'>> {
    const protocol = reach.protocolOf(source.uri, source.render)
    if (protocol === null) {
      const page = await readWebPage(source.uri, { reach, secret })
      return { ...(await readContent(page, source, reach)), url: page.url }
    }
    if (/^https?:/.test(source.uri)) await robotsRefusal(source.uri, reach)
    const { resolve, limits: placeLimits } = reach
    return readByProtocol(protocol, source, reach, {
      ...{ url: source.uri, secret, resolve, signal, clock, limits: placeLimits },
    })
  }

  return async (owner, source) => {
    if (trying.has(owner))
      throw new AppError('too-many-tries', 'you are trying another source already; wait for its result')
    if (trying.size >= limits.atOnce)
      throw new AppError('too-many-tries', 'others are trying their sources right now; try again in a moment')
    trying.add(owner)
    const started = clock.monotonic()
    const tookMs = () => Math.round(clock.monotonic() - started)
    const signal = AbortSignal.timeout(limits.timeMs)
    let reach: Reach | null = null
    try {
      const secret = await secretOf(owner, source)
      reach = await openReach()
      const found = await untilAborted(read(source, { reach, secret, signal }), signal)
      return { ...found, tookMs: tookMs() }
    } catch (error) {
      return { kind: 'failed', ...failureOf(error, source), tookMs: tookMs() }
    } finally {
      await reach?.close()
      trying.delete(owner)
    }
  }
}

/** Not all reading can be aborted; late work fails when its connections are closed. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new AppError('total-timeout', 'reading took too long'))
    signal.addEventListener('abort', late, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late))
  })
}

async function readByProtocol(protocol: Protocol, source: Source, reach: Reach, place: Place) {
  // The crawler may be using all browser pages, but none for long.
  const options = { firstMs: 50, lastMs: 200, signal: place.signal }
  return retry(() => readOnce(protocol, source, reach, place), {
    ...options,
    shouldRetry: (error) => isAppError(error, 'browser-busy'),
  })
}

async function readOnce(protocol: Protocol, source: Source, reach: Reach, place: Place) {
  const session = await protocol.open(place)
  try {
    const found = await session.look('')
    if (found.kind === 'list') return { ...contentOfList(found), url: source.uri }
    const { item } = found
    const { body, type, title, isCut, parts } = item.body ?? (await session.read(item))
    const content = await readContent({ url: item.url, body, contentType: type, isCut }, source, reach)
    const screenshot = screenshotOf(parts ?? [])
    return {
      ...content,
      title: content.title || title || item.name,
      url: item.url,
      ...(screenshot === null ? {} : { screenshot }),
    }
  } finally {
    await session.close()
  }
}

function contentOfList({ title, items, lists, hasMore, left }: List): TriedContent {
  const all = [
    ...lists.slice(0, MAX_ITEMS).map(({ name, url }) => ({ name, url, type: 'list' })),
    ...items.slice(0, MAX_ITEMS).map((item) => ({ ...namedItem(item) })),
  ].slice(0, MAX_ITEMS)
  const count = lists.length + items.length
  return {
    ...{ kind: 'list', title, items: all, count, more: hasMore || count > all.length, left, text: '', feeds: [] },
  }
}

function namedItem({ name, url, body }: Item): TriedContent['items'][number] {
  const type = body?.type.split(';', 1)[0]
  return { name: name.slice(0, MAX_NAME), url, ...(type === undefined ? {} : { type }) }
}
