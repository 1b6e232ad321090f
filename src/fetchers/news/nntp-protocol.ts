import { hash } from 'node:crypto'
import { AppError, isAppError } from '../../core/errors.ts'
import type { Found, Item, ItemBody, List, Place, Protocol, Secret, Session } from '../../crawl/fetch/protocol.ts'
import { createReadAhead } from '../read-ahead.ts'
import { subjectOf } from './encoded-words.ts'
import type { TlsOptions } from './line-socket.ts'
import { type Article, NntpClient, type Overview } from './nntp-client.ts'
import { articleUrl, type NewsPlace, parseNewsUrl } from './nntp-url.ts'

export type NntpProtocolOptions = {
  /** Number of newest articles read on the first look at a group. */
  newest?: number
  /** Allow sending credentials without TLS to this machine. */
  allowsPlainLoopback?: boolean
  tls?: TlsOptions
}

/** Articles never change. */
const validator = 'article'
/** Number of articles by which a look recognises the numbering of the last one. */
const maxMarks = 8
const windowSize = 1000
/** If articles are sparse, more numbers are requested at once. */
const maxWindow = 64_000
const maxQuestions = 40

/**
 * Newsgroups. Articles are identified by their message ids: numbers differ between servers, and restart when a server is set up again.
 * The cursor has the last number that was looked at, and marks (number and id) of the last articles; if the server has other articles
 * under these numbers, or none of them, the newest articles are listed as on the first look. Articles expire all the time, so missing
 * ones are not reported as gone.
 */
export function createNntpProtocol(options: NntpProtocolOptions = {}): Protocol {
  return {
    schemes: ['nntp', 'nntps', 'news', 'snews'],
    can: { revalidate: true, push: false, depth: false, credentials: 'optional' },
    normalise(url) {
      const { url: group, article } = parseNewsUrl(url)
      return article === null ? group : articleUrl(group, article)!
    },
    async open(place) {
      const news = parseNewsUrl(place.url)
      const secret = secretOf(place.secret)
      const address = await place.resolve(news.host)
      const connect = (): Promise<NntpClient> =>
        NntpClient.open({
          host: news.host,
          address,
          port: news.port,
          isSecure: news.isSecure,
          tls: options.tls,
          connectTimeoutMs: place.limits.connectTimeoutMs,
          stallTimeoutMs: place.limits.stallTimeoutMs,
          signal: place.signal,
          secret,
          allowsPlainSignIn: options.allowsPlainLoopback === true && isLoopback(address),
        })
      return createSession(place, news, await connect(), { connect, newest: options.newest ?? 500 })
    },
    async close() {},
  }
}

type SessionDeps = { connect(): Promise<NntpClient>; newest: number }

function createSession(
  { limits }: Place,
  news: NewsPlace,
  first: NntpClient,
  { connect, newest }: SessionDeps,
): Session {
  let client = first
  /** Article numbers in this session, for servers that can't look up articles by id. */
  const numbers = new Map<string, number>()
  const sizes = new Map<string, number>()
  let isInGroup = false
  /** Switched off if the server doesn't find articles by id, or fails. */
  let readsAhead = true
  let last: Promise<unknown> = Promise.resolve()
  /** Articles by id. */
  const ahead = createReadAhead({
    maxBodyBytes: limits.maxBodyBytes,
    sizeOf: async (id) => (readsAhead ? sizes.get(id) : undefined),
    fetch: (ids, maxBytes) => (ids.length === 1 ? articleOf(ids[0]!) : articlesOf(ids, maxBytes)),
  })

  /** Serialises the work of all callers. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  async function ready(): Promise<NntpClient> {
    if (!client.isUsable) {
      client.close('')
      client = await connect()
      isInGroup = false
    }
    return client
  }

  async function lookAtGroup(cursor: Cursor | null): Promise<List> {
    const group = await client.group(news.group)
    if (group === null) throw new AppError('not-found', `the server has no group ${news.group}`)
    isInGroup = true
    const seen = cursor === null ? null : await lookOn(client, group, cursor, limits.maxItems)
    const { found, ...rest } = seen ?? (await lookBack(client, group, Math.min(newest, limits.maxItems)))
    const items: Item[] = []
    let unnamed = 0
    const isListed = new Set<string>()
    for (const { number, id, subject, bytes } of found) {
      if (isListed.has(id)) continue
      isListed.add(id)
      const url = articleUrl(news.url, id)
      if (url === null) {
        unnamed++
        continue
      }
      numbers.set(id, number)
      if (bytes !== null) sizes.set(id, bytes)
      items.push({ url, name: subjectOf(subject), validator })
    }
    ahead.expect([...isListed].filter((id) => numbers.has(id)))
    const left = [rest.left, unnamed === 0 ? '' : `${unnamed} articles without a usable message id`]
    return {
      kind: 'list',
      title: news.group,
      items,
      lists: [],
      isWhole: false,
      cursor: JSON.stringify(rest.cursor),
      hasMore: rest.hasMore,
      left: left.filter(Boolean).join('; '),
    }
  }

  async function lookAtArticle(id: string): Promise<Found> {
    if ((await client.stat(id)) === null) throw missing()
    return { kind: 'item', item: { url: articleUrl(news.url, id)!, name: id, validator } }
  }

  async function articlesOf(ids: readonly string[], maxBytes: number): Promise<Map<string, Source>> {
    try {
      const found = await (await ready()).articles(ids, maxBytes)
      readsAhead = found.some((article) => article !== null)
      return new Map(found.flatMap((article, at) => (article === null ? [] : [[ids[at]!, sourceOf(article)]])))
    } catch (error) {
      if (!isAppError(error, 'protocol-failed')) throw error
      // Reading each by itself will show what is wrong.
      readsAhead = false
      return new Map()
    }
  }

  async function articleOf(id: string): Promise<Map<string, Source>> {
    const server = await ready()
    const found = (await server.article(id, limits.maxBodyBytes)) ?? (await byNumber(server, id, limits.maxBodyBytes))
    return new Map(found === null ? [] : [[id, sourceOf(found)]])
  }

  async function byNumber(server: NntpClient, id: string, maxBytes: number): Promise<Article | null> {
    const number = numbers.get(id)
    if (number === undefined) return null
    if (!isInGroup) isInGroup = (await server.group(news.group)) !== null
    const found = isInGroup ? await server.article(number, maxBytes) : null
    return found?.id === id ? found : null
  }

  return {
    address: first.address,
    look: (cursor) =>
      inTurn(async () => {
        await ready()
        return news.article === null ? await lookAtGroup(parseCursor(cursor)) : await lookAtArticle(news.article)
      }),
    read: (item) =>
      inTurn(async (): Promise<ItemBody> => {
        const { article: id } = parseNewsUrl(item.url)
        if (id === null) throw missing()
        const found = await ahead.read(id)
        if (found === null) throw missing()
        const { body, isCut } = found
        const title = titleOf(body)
        return { type: 'message/rfc822', body, isCut, ...(title === '' ? {} : { title }) }
      }),
    async close() {
      client.close()
    },
  }
}

type Source = Article & { length: number }
const sourceOf = (article: Article): Source => ({
  ...article,
  length: article.isCut ? Number.POSITIVE_INFINITY : article.body.length,
})

const missing = (): AppError => new AppError('not-found', 'the server does not have this article (any more)')

type Mark = [number: number, id: string]
/** `at`: the last number that was looked at; meaningless without marks. */
type Cursor = { at: number; marks: Mark[] }
type Seen = { found: Overview[]; cursor: Cursor; hasMore: boolean; left: string }
type Numbers = { low: number; high: number }

/** The newest articles. */
async function lookBack(client: NntpClient, { low, high }: Numbers, wanted: number): Promise<Seen> {
  let found: Overview[] = []
  let from = high + 1
  let size = Math.max(1, Math.min(wanted, windowSize))
  for (let questions = 0; from > low && found.length < wanted && questions < maxQuestions; questions++) {
    const to = from - 1
    from = Math.max(low, from - size)
    const before = await client.overview(from, to)
    size = nextSize(size, before.length)
    found = [...before, ...found]
  }
  const isCut = from > low || found.length > wanted
  found = found.slice(Math.max(0, found.length - wanted))
  const older = (found[0]?.number ?? from) - low
  return {
    found,
    cursor: { at: high, marks: marksOf(found) },
    hasMore: false,
    left: isCut && older > 0 ? `only the newest ${found.length} articles are read; up to ${older} are older` : '',
  }
}

/** Articles since the last look; null if the numbering isn't that of the cursor. */
async function lookOn(
  client: NntpClient,
  group: Numbers,
  { at: last, marks }: Cursor,
  maxItems: number,
): Promise<Seen | null> {
  const { low, high } = group
  const [firstMark, lastMark] = [marks[0]![0], marks.at(-1)![0]]
  if (high < firstMark) return null
  const known = new Set(marks.map(([, id]) => id))
  const seen: Overview[] = []
  let found: Overview[] = []
  let from = Math.max(low, firstMark)
  let size = windowSize
  for (let questions = 0; from <= high && found.length < maxItems && questions < maxQuestions; questions++) {
    const to = Math.min(high, from + size - 1)
    const more = await client.overview(from, to)
    from = to + 1
    if (questions === 0) {
      // Skip a long gap without articles that was searched before.
      from = Math.max(from, Math.min(last, high) + 1)
      const recognised = recognise(marks, more)
      // The marked articles may all have expired, but they can't be missing among older ones.
      if (recognised === 'others' || (recognised === 'none' && low <= lastMark)) return null
    }
    size = nextSize(size, more.length)
    seen.push(...more)
    found.push(...more.filter(({ id }) => !known.has(digestOf(id))))
  }
  const isOver = found.length > maxItems
  found = found.slice(0, maxItems)
  const at = isOver ? found.at(-1)!.number : from - 1
  const upToHere = seen.filter(({ number }) => number <= at)
  return { found, cursor: { at, marks: marksOf(upToHere, marks) }, hasMore: at < high, left: '' }
}

/** Whether the articles under the marked numbers are still the same. */
function recognise(marks: readonly Mark[], found: readonly Overview[]): 'same' | 'others' | 'none' {
  const ids = new Map(found.map(({ number, id }) => [number, digestOf(id)]))
  const there = marks.filter(([number]) => ids.has(number))
  if (there.length === 0) return 'none'
  return there.every(([number, id]) => ids.get(number) === id) ? 'same' : 'others'
}

const nextSize = (size: number, found: number): number => (found * 4 < size ? Math.min(size * 2, maxWindow) : size)

/** Keeps the previous marks if nothing was found. */
const marksOf = (found: readonly Overview[], before: Mark[] = []): Mark[] =>
  found.length === 0 ? before : found.slice(-maxMarks).map(({ number, id }): Mark => [number, digestOf(id)])

const digestOf = (id: string): string => hash('sha256', id).slice(0, 16)

function parseCursor(text: string): Cursor | null {
  if (text === '') return null
  try {
    const { at, marks } = JSON.parse(text) as Cursor
    const isSound =
      Number.isSafeInteger(at) &&
      Array.isArray(marks) &&
      marks.length > 0 &&
      marks.every((mark) => Array.isArray(mark) && Number.isSafeInteger(mark[0]) && typeof mark[1] === 'string')
    return isSound ? { at, marks } : null
  } catch {
    // Not a valid cursor: treated as the first look.
    return null
  }
}

const maxHeaderBytes = 64 * 1024

/** The subject, with its continuation lines. */
function titleOf(article: Buffer): string {
  const end = article.indexOf('\r\n\r\n')
  const header = article.subarray(0, Math.min(end === -1 ? article.length : end, maxHeaderBytes)).toString('latin1')
  const found = /^subject:[ \t]*(.*(?:\r\n[ \t].*)*)/im.exec(header)?.[1] ?? ''
  return subjectOf(Buffer.from(found.replace(/\r\n/g, ''), 'latin1'))
}

function secretOf(secret: Secret | null): { user: string; password: string } | null {
  if (secret === null) return null
  const { user = '', password = '' } = secret
  if (user === '' && password === '') return null
  if (user === '' || /[\r\n\0]/.test(user + password))
    throw new AppError('sign-in-failed', 'the user or the password has characters that can’t be sent')
  const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
  return { user: bytes(user), password: bytes(password) }
}

const isLoopback = (address: string): boolean => /^(?:127\.|::1$|::ffff:127\.)/i.test(address)
