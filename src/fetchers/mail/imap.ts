import type { MailboxObject } from 'imapflow'
import { AppError } from '../../core/errors.ts'
import { parseMessage } from '../../core/mail/message.ts'
import { messageUrl, splitMessageUrl } from '../../core/mail/message-url.ts'
import type { Item, List, Listener, Place, Protocol, Session } from '../../crawl/fetch/protocol.ts'
import { createReadAhead } from '../read-ahead.ts'
import { connectImap, type ImapClient } from './imap-client.ts'
import { listenToMailbox } from './imap-listener.ts'
import { type MailOptions, newestMessagesOf } from './mail-options.ts'
import { type MailTarget, parseMailUrl } from './mail-url.ts'
import { bodyOf, digestKey, messageItem } from './message-body.ts'

/**
 * IMAP mailboxes. A mailbox is a list; a message is an item, identified by its Message-ID, so that it stays the same if the server
 * renumbers its messages. Nothing is marked as read, moved or deleted, and messages deleted on the server stay in the archive.
 */
export function createImapProtocol(options: MailOptions = {}): Protocol {
  const listeners = new Set<Listener>()
  return {
    schemes: ['imap', 'imaps'],
    can: { revalidate: true, push: true, depth: false, credentials: 'required' },
    normalise(url) {
      const target = parseMailUrl(url)
      if (target.key?.kind === 'UIDL')
        throw new AppError('url-invalid', 'IMAP messages have ;MID=… or ;SHA256=…; ;UIDL=… is for POP3.')
      return target.url
    },
    async open(place) {
      const target = parseMailUrl(place.url)
      return imapSession(await connectImap(place, target, options), target, place, newestMessagesOf(options))
    },
    async listen(place, heard) {
      const listener = await listenToMailbox(place, parseMailUrl(place.url), options, heard)
      const listed = {
        async close() {
          listeners.delete(listed)
          await listener.close()
        },
      }
      listeners.add(listed)
      return listed
    },
    async close() {
      await Promise.all([...listeners].map((listener) => listener.close()))
    },
  }
}

const batchSize = 200
const headerBytes = 64 * 1024
const maxSameId = 20
const noHeader = Buffer.alloc(0)

type Known = { uid: number; size: number; item: Item }

/** A server says NIL for what a message doesn't have, or has no longer; the library says `false`, against its types. */
const bytesOf = (value: Buffer | false | undefined): Buffer | undefined => (Buffer.isBuffer(value) ? value : undefined)

function imapSession(client: ImapClient, target: MailTarget, place: Place, newestMessages: number): Session {
  const { list, mailbox, host } = target
  const { maxBodyBytes, maxItems } = place.limits
  /** UIDs of messages, by URL. */
  const uids = new Map<string, number>()
  const sizes = new Map<string, number>()
  const ahead = createReadAhead({ maxBodyBytes, sizeOf: async (url) => sizes.get(url), fetch: sourcesOf })

  /** The oldest of several messages with the same URL wins. */
  async function itemsOf(wanted: readonly number[]): Promise<Item[]> {
    const known: Known[] = []
    for (let at = 0; at < wanted.length; at += batchSize)
      known.push(...(await headersOf(wanted.slice(at, at + batchSize))))
    const items = new Map<string, Item>()
    for (const { uid, size, item } of known.sort((a, b) => a.uid - b.uid)) {
      if (items.has(item.url)) continue
      uids.set(item.url, uid)
      sizes.set(item.url, size)
      items.set(item.url, item)
    }
    return [...items.values()]
  }

  async function headersOf(batch: readonly number[]): Promise<Known[]> {
    const found = await client.fetch(batch, { size: true, headers: ['message-id', 'subject'] })
    const known: Known[] = []
    const nameless: (Omit<Known, 'item'> & { subject: string })[] = []
    for (const { uid, size = Number.POSITIVE_INFINITY, headers } of found) {
      const { id, subject } = await parseMessage(bytesOf(headers) ?? noHeader)
      if (id === null) nameless.push({ uid, size, subject })
      else known.push({ uid, size, item: messageItem(list, { kind: 'MID', value: id }, subject) })
    }
    const whole = await wholeHeadersOf(nameless.map(({ uid }) => uid))
    for (const { uid, size, subject } of nameless) {
      const header = whole.get(uid)
      if (header !== undefined) known.push({ uid, size, item: messageItem(list, digestKey(header), subject) })
    }
    return known
  }

  async function wholeHeadersOf(batch: readonly number[]): Promise<Map<number, Buffer>> {
    const found = await client.fetch(batch, { bodyParts: [{ key: 'HEADER', start: 0, maxLength: headerBytes }] })
    return new Map(
      found.map(({ uid, headers, bodyParts }) => [
        uid,
        bytesOf(headers) ?? bytesOf(bodyParts?.get('header')) ?? noHeader,
      ]),
    )
  }

  async function sourcesOf(urls: readonly string[], maxBytes: number): Promise<Map<string, Buffer>> {
    const wanted = new Map(urls.map((url) => [uids.get(url)!, url]))
    const found = await client.fetch([...wanted.keys()], { source: { start: 0, maxLength: maxBytes } })
    return new Map(
      found.flatMap(({ uid, source }) => {
        const body = bytesOf(source)
        return body === undefined ? [] : [[wanted.get(uid)!, body]]
      }),
    )
  }

  async function find(url: string): Promise<Item> {
    const { key } = splitMessageUrl(url)
    if (key?.kind === 'MID') {
      // Servers match substrings of the field.
      const found = await client.search({ header: { 'message-id': key.value } })
      for (const item of await itemsOf(found.slice(0, maxSameId))) if (item.url === url) return item
    } else if (key?.kind === 'SHA256') {
      const found = await client.search({ not: { header: { 'message-id': true } } })
      for (const item of await itemsOf(found.slice(-newestMessages))) if (item.url === url) return item
    }
    throw new AppError('not-found', `The message is not in ${mailbox} on ${host} any more.`)
  }

  async function lookAtList(cursor: string): Promise<List> {
    const box = await client.openMailbox()
    const last = readCursor(cursor)
    const isSame = last !== null && last.uidValidity === box.uidValidity
    if (isSame && isUnchanged(last, box)) return listOf([], cursor, false, '')
    const found = isSame
      ? (await client.search({ uid: `${last.uidNext}:*` })).filter((uid) => uid >= last.uidNext)
      : await newest(box, Math.min(newestMessages, maxItems))
    const taken = found.slice(0, maxItems)
    const hasMore = found.length > taken.length
    const items = await itemsOf(taken)
    ahead.expect(items.map(({ url }) => url))
    const uidNext = Math.max(hasMore ? 0 : (box.uidNext ?? 0), (taken.at(-1) ?? 0) + 1, isSame ? last.uidNext : 0)
    const older = isSame ? 0 : Math.max(0, box.exists - taken.length)
    const left =
      older === 0 ? '' : `${older} older messages were left out: the first check takes the newest ${taken.length}.`
    return listOf(items, writeCursor(box, uidNext, hasMore), hasMore, left)
  }

  async function newest(box: MailboxObject, count: number): Promise<number[]> {
    if (box.exists === 0) return []
    return (await client.search({ seq: `${Math.max(1, box.exists - count + 1)}:*` })).slice(-count)
  }

  const listOf = (items: Item[], cursor: string, hasMore: boolean, left: string): List => ({
    ...{ kind: 'list', title: `${mailbox} on ${host}`, items, lists: [], isWhole: false },
    ...{ cursor, hasMore, left },
  })

  return {
    address: client.address,
    async look(cursor) {
      if (target.key === null) return await lookAtList(cursor)
      await client.openMailbox()
      const item = await find(messageUrl(list, target.key))
      return { kind: 'item', item: { ...item, url: target.url } }
    },
    async read(item) {
      const { list: inList, key } = splitMessageUrl(item.url)
      if (inList !== list || key === null) throw new AppError('not-found', `No message of ${mailbox}: ${item.url}`)
      const url = messageUrl(list, key)
      if (client.flow.mailbox === false) await client.openMailbox()
      if (!uids.has(url)) await find(url)
      const source = await ahead.read(url)
      if (source === null) throw new AppError('not-found', `The message is not in ${mailbox} on ${host} any more.`)
      return await bodyOf(item, source, maxBodyBytes)
    },
    close: () => client.close(),
  }
}

/** State of the mailbox; later messages have UIDs from `uidNext`. */
type Cursor = { uidValidity: bigint; uidNext: number; modseq: string }

function readCursor(cursor: string): Cursor | null {
  const found = /^(\d{1,20})\.(\d{1,10})\.(\d{0,20})$/.exec(cursor)
  if (found === null) return null
  return { uidValidity: BigInt(found[1]!), uidNext: Number(found[2]), modseq: found[3]! }
}

/** Without the modseq if there is more to read, since that state isn't fully known yet. */
function writeCursor({ uidValidity, highestModseq }: MailboxObject, uidNext: number, hasMore: boolean): string {
  return `${uidValidity}.${uidNext}.${hasMore ? '' : (highestModseq ?? '')}`
}

/** Some servers don't report the next UID; with CONDSTORE, any change shows in the highest modseq. */
function isUnchanged(last: Cursor, { uidNext, highestModseq }: MailboxObject): boolean {
  return uidNext === last.uidNext || (last.modseq !== '' && last.modseq === String(highestModseq ?? ''))
}
