import { hash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { parseMessage } from '../../core/mail/message.ts'
import { type MessageKey, messageUrl, splitMessageUrl } from '../../core/mail/message-url.ts'
import type { Item, List, Place, Protocol, Session } from '../../crawl/fetch/protocol.ts'
import { createReadAhead } from '../read-ahead.ts'
import { type MailOptions, newestMessagesOf } from './mail-options.ts'
import { type MailTarget, parseMailUrl } from './mail-url.ts'
import { bodyOf, keyOfHeader, messageItem } from './message-body.ts'
import { connectPop3, type Pop3Client } from './pop3-client.ts'

/**
 * POP3 mailboxes. Messages are identified by the server's ids (UIDL), or by their Message-ID if it has none. They stay on the server, and
 * messages deleted there stay in the archive. POP3 has no push.
 */
export function createPop3Protocol(options: MailOptions = {}): Protocol {
  return {
    schemes: ['pop3', 'pop3s'],
    can: { revalidate: true, push: false, depth: false, credentials: 'required' },
    normalise: (url) => parseMailUrl(url).url,
    async open(place) {
      const target = parseMailUrl(place.url)
      return pop3Session(await connectPop3(place, target, options), target, place, newestMessagesOf(options))
    },
    async close() {},
  }
}

const headerBytes = 64 * 1024
/** Messages whose subject is fetched with the list, at a round trip each; the others get it when they are read. */
const maxNamed = 20
/** Number of last known messages in the cursor; several, since the newest may have been deleted. */
const maxAnchors = 30
/** Line length of encoded attachments. */
const usualLineBytes = 78

/** A message of this connection, and its subject if it was fetched. */
type Entry = { number: number; key: MessageKey; subject: string | null }

function pop3Session(client: Pop3Client, target: MailTarget, place: Place, newestMessages: number): Session {
  const { list, host } = target
  const { maxBodyBytes, maxItems } = place.limits
  /** Message numbers by URL. */
  const numbers = new Map<string, number>()
  let sizes: Map<number, number> | null = null
  const ahead = createReadAhead({ maxBodyBytes, sizeOf, fetch: sourcesOf })

  async function byHeader(number: number): Promise<Entry | null> {
    const header = await client.top(number, 0, headerBytes)
    if (header === null) return null
    const message = await parseMessage(header.body)
    return { number, key: keyOfHeader(message, header.body), subject: message.subject }
  }

  /** Newest first. Without UIDL, each costs a round trip. */
  async function* entries(): AsyncGenerator<Entry> {
    const ids = await client.ids()
    if (ids !== null) {
      for (const { number, id } of ids.reverse()) yield { number, key: { kind: 'UIDL', value: id }, subject: null }
      return
    }
    sizes = await client.sizes()
    for (const number of [...sizes.keys()].sort((a, b) => b - a).slice(0, newestMessages)) {
      const entry = await byHeader(number)
      if (entry === null)
        throw new AppError('protocol-failed', `${host} has neither UIDL nor TOP: its messages can't be told apart.`, {
          retry: 'never',
        })
      yield entry
    }
  }

  async function lookAtList(cursor: string): Promise<List> {
    const known = readCursor(cursor)
    const fresh: Entry[] = []
    let isKnown = false
    for await (const entry of entries()) {
      isKnown = known.size > 0 && known.has(anchorOf(entry.key))
      if (isKnown) break
      fresh.push(entry)
    }
    const total = fresh.length
    // Without a known message, it is the first look, or the mailbox was replaced.
    if (!isKnown) fresh.splice(Math.min(newestMessages, maxItems))
    const taken = fresh.reverse().slice(0, maxItems)
    const items = await itemsOf(taken)
    ahead.expect(items.map(({ url }) => url))
    const older = isKnown ? 0 : total - taken.length
    return {
      kind: 'list',
      title: `Mailbox on ${host}`,
      items,
      lists: [],
      isWhole: false,
      cursor: writeCursor([...(isKnown ? known : []), ...taken.map(({ key }) => anchorOf(key))]),
      hasMore: fresh.length > taken.length,
      left:
        older === 0 ? '' : `${older} older messages were left out: the first check takes the newest ${taken.length}.`,
    }
  }

  async function itemsOf(taken: readonly Entry[]): Promise<Item[]> {
    const items = new Map<string, Item>()
    for (const [index, { number, key, subject }] of taken.entries()) {
      const url = messageUrl(list, key)
      if (items.has(url)) continue
      numbers.set(url, number)
      const isNamed = subject === null && client.hasTop && index >= taken.length - maxNamed
      const name = subject ?? (isNamed ? (await byHeader(number))?.subject : `Message ${key.value}`)
      items.set(url, messageItem(list, key, name ?? ''))
    }
    return [...items.values()]
  }

  async function find(key: MessageKey): Promise<Item> {
    if (key.kind === 'UIDL') {
      for await (const entry of entries()) if (isSame(entry.key, key)) return (await itemsOf([entry]))[0]!
    } else {
      const all = [...(await client.sizes()).keys()].sort((a, b) => b - a)
      for (const number of all.slice(0, newestMessages)) {
        const entry = await byHeader(number)
        if (entry !== null && isSame(entry.key, key)) return (await itemsOf([entry]))[0]!
      }
    }
    throw new AppError('not-found', `The message is not on ${host} any more.`)
  }

  async function sizeOf(url: string): Promise<number | undefined> {
    sizes ??= await client.sizes()
    return sizes.get(numbers.get(url)!)
  }

  async function sourcesOf(urls: readonly string[], maxBytes: number): Promise<Map<string, Buffer>> {
    const [only] = urls
    const isLong = urls.length === 1 && ((await sizeOf(only!)) ?? 0) > 2 * maxBytes
    const start = isLong ? await startOf(numbers.get(only!)!, maxBytes) : null
    if (start !== null) return new Map([[only!, start]])
    const wanted = urls.map((url) => numbers.get(url)!)
    const found = await client.retrieve(wanted, maxBytes)
    return new Map(found.flatMap((message, at) => (message === null ? [] : [[urls[at]!, message.body]])))
  }

  /** The first lines of a message that is too long, as there is no other way to stop the server. Null if they were too few. */
  async function startOf(number: number, maxBytes: number): Promise<Buffer | null> {
    if (!client.hasTop) return null
    const start = await client.top(number, Math.ceil(maxBytes / usualLineBytes) + 1000, maxBytes)
    return start?.isCut ? start.body : null
  }

  return {
    address: client.address,
    async look(cursor) {
      if (target.key === null) return await lookAtList(cursor)
      return { kind: 'item', item: { ...(await find(target.key)), url: target.url } }
    },
    async read(item) {
      const { list: inList, key } = splitMessageUrl(item.url)
      if (inList !== list || key === null) throw new AppError('not-found', `No message of ${host}: ${item.url}`)
      const url = messageUrl(list, key)
      if (!numbers.has(url)) await find(key)
      const source = await ahead.read(url)
      if (source === null) throw new AppError('not-found', `The message is not on ${host} any more.`)
      return await bodyOf(item, source, maxBodyBytes)
    },
    close: () => client.close(),
  }
}

const isSame = (one: MessageKey, other: MessageKey): boolean => one.kind === other.kind && one.value === other.value

const anchorOf = ({ kind, value }: MessageKey): string => hash('sha256', `${kind}=${value}`).slice(0, 12)

/** Digests of the last known messages, oldest first. */
const readCursor = (cursor: string): ReadonlySet<string> => new Set(cursor.match(/[0-9a-f]{12}/g) ?? [])

const writeCursor = (anchors: readonly string[]): string => anchors.slice(-maxAnchors).join('.') || 'empty'
