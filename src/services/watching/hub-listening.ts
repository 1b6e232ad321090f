import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { readFeed } from '../../core/feed/read-feed.ts'
import { headerList } from '../../crawl/fetch/fetch-result.ts'
import type { Secret } from '../../crawl/fetch/protocol.ts'
import { createWebSub, type SendForm, type WebSub, type WebSubDeps } from '../../fetchers/news/websub.ts'
import type { Reach } from '../sources/trying/reach.ts'
import { readWebPage, type WebPage } from '../sources/trying/read-web-page.ts'
import { RobotsRefusal } from '../sources/trying/try-failure.ts'
import type { ListenTo } from './listening.ts'

type Heard = Parameters<ListenTo>[1]
type Listener = Awaited<ReturnType<ListenTo>>

/** The listeners of a topic, and whether its hub has confirmed the subscription. */
type Topic = { heard: Set<Heard>; agreed: PromiseWithResolvers<void> }

export type HubListeningDeps = {
  /** Public address of this server for hubs; '' if unknown. */
  publicUrl: string
  openReach(): Promise<Reach>
  /** Resolves when the server accepts requests: hubs call back before they confirm. */
  isServing: Promise<void>
  clock: Clock
  shared?: WebSubDeps['shared']
}

const RENEW_EVERY_MS = 60_000
const MAX_HUBS = 3
const MAX_REDIRECTS = 3
/** Only the status of a hub's answer matters. */
const MAX_ANSWER_BYTES = 16 << 10

/** Listens to feeds and other pages that name a hub (WebSub). Nothing is stored: after a restart, all are subscribed to again. */
export function createHubListening({ publicUrl, openReach, isServing, clock, shared }: HubListeningDeps) {
  const topics = new Map<string, Topic>()
  let opening: Promise<Reach> | null = null
  let renewals: NodeJS.Timeout | null = null
  const reaching = (): Promise<Reach> => {
    opening ??= openReach()
    return opening
  }

  const webSub = createWebSub({
    ...{ publicUrl: publicUrl.replace(/\/+$/, ''), clock },
    ...(shared && { shared }),
    send: async (hub, form) => createSendForm(await reaching())(hub, form),
    onNews(topic) {
      for (const each of topics.get(topic)?.heard ?? []) each.onNews()
    },
    onActive: (topic) => topics.get(topic)?.agreed.resolve(),
    onEnd: forget,
  })

  function forget(name: string, error: AppError): void {
    const topic = topics.get(name)
    if (topic === undefined) return
    remove(name)
    topic.agreed.reject(error)
    for (const each of topic.heard) each.onEnd(error)
  }

  function remove(name: string): void {
    topics.delete(name)
    if (topics.size > 0 || renewals === null) return
    clearInterval(renewals)
    renewals = null
  }

  function add(name: string): Topic {
    const topic: Topic = { heard: new Set(), agreed: Promise.withResolvers() }
    // Waiters handle the rejection; there may be none left.
    topic.agreed.promise.catch(() => {})
    topics.set(name, topic)
    renewals ??= setInterval(() => void webSub.renew(), RENEW_EVERY_MS).unref()
    return topic
  }

  async function leave(name: string, topic: Topic, heard: Heard): Promise<void> {
    topic.heard.delete(heard)
    if (topic.heard.size > 0 || topics.get(name) !== topic) return
    remove(name)
    // If this fails, the hub learns it from the answer to its next call.
    await webSub.unsubscribe(name).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
    })
  }

  async function read(url: string, secret: Secret | null): Promise<WebPage> {
    try {
      return await readWebPage(url, { reach: await reaching(), secret })
    } catch (error) {
      if (error instanceof RobotsRefusal) throw new AppError('not-available', "robots.txt doesn't allow this page")
      throw error
    }
  }

  async function listen({ url, secret }: { url: string; secret: Secret | null }, heard: Heard): Promise<Listener> {
    if (publicUrl === '')
      throw new AppError('not-available', "hubs can't call this server: its public address (server.url) isn't set")
    await isServing
    const { hubs, self } = offerOf(await read(url, secret))
    if (hubs.length === 0) throw new AppError('not-available', 'this page names no hub that tells of its news')
    const topic = topics.get(self) ?? add(self)
    // A failure is the outcome of this call at first; `onEnd` reports only later ones.
    const early: Heard = { onNews: heard.onNews, onEnd() {} }
    topic.heard.add(early)
    try {
      await subscribeToAny(webSub, hubs, self)
      await topic.agreed.promise
    } catch (error) {
      topic.heard.delete(early)
      if (topic.heard.size === 0 && topics.get(self) === topic) remove(self)
      throw error
    }
    early.onEnd = heard.onEnd
    return { close: () => leave(self, topic, early) }
  }

  return {
    listen,
    /** For the route that hubs call. */
    webSub: { verify: webSub.verify, deliver: webSub.deliver },
    relayed: webSub.relayed,
    async close(): Promise<void> {
      if (renewals !== null) clearInterval(renewals)
      await (await opening)?.close()
    },
  }
}

export type HubListening = ReturnType<typeof createHubListening>

async function subscribeToAny(webSub: WebSub, hubs: readonly string[], topic: string): Promise<void> {
  for (const [index, hub] of hubs.slice(0, MAX_HUBS).entries()) {
    try {
      return await webSub.subscribe(hub, topic)
    } catch (error) {
      if (index === Math.min(hubs.length, MAX_HUBS) - 1) throw error
    }
  }
}

function createSendForm({ fetch }: Pick<Reach, 'fetch'>): SendForm {
  return async (hub, form) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    let url = hub
    for (let hops = 0; ; hops++) {
      const result = await fetch({
        ...{ url, headers, body: Buffer.from(form), anyType: true, maxBodyBytes: MAX_ANSWER_BYTES },
      })
      if (result.kind === 'failed') throw new AppError(result.code, `the hub can't be reached: ${result.message}`)
      const { status, rawHeaders } = result
      const target = URL.parse(headerList(rawHeaders, 'location') ?? '', url)?.href
      if ((status !== 307 && status !== 308) || target === undefined || hops === MAX_REDIRECTS) return status
      url = target
    }
  }
}

/** The hubs of a page and its topic URL. Headers take precedence, as the WebSub recommendation requires. */
export function offerOf({ url, body, contentType, rawHeaders }: WebPage): { hubs: string[]; self: string } {
  const links = linksOf(headerList(rawHeaders, 'link') ?? '', url)
  const feed = readFeed(body, { contentType, url })
  const hubs = [...links.filter(({ rel }) => rel === 'hub').map(({ href }) => href), ...(feed?.hubs ?? [])]
  const self = links.find(({ rel }) => rel === 'self')?.href ?? feed?.self
  return { hubs: [...new Set(hubs.filter((hub) => /^https?:/i.test(hub)))], self: self || url }
}

/** Parses `<https://hub.example/>; rel="hub", …` (RFC 8288) into one link per relation. */
function linksOf(header: string, base: string): { href: string; rel: string }[] {
  return [...header.slice(0, 16_384).matchAll(/<([^<>]*)>((?:[^",<]|"[^"]*")*)/g)].flatMap(
    ([, target = '', parameters = '']) => {
      const href = URL.parse(target.trim(), base)?.href
      const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? []
      const rels = (quoted ?? bare ?? '').toLowerCase().split(/\s+/)
      return href === undefined ? [] : rels.map((rel) => ({ href, rel }))
    },
  )
}
