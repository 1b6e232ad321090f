import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../core/clock.ts'
import { AppError, isAppError } from '../core/errors.ts'
import type { Found, Item, ItemBody, Place, Protocol, Secret, Session } from '../crawl/fetch/protocol.ts'
import { usePostgres } from '../store/postgres/testkit/postgres.testkit.ts'
import { fails } from './failing.testkit.ts'
import { checkWatched, engines } from './kept-suite.testkit.ts'

/** A protocol, and a server for it that the suite may change. */
export type ProtocolWorld = {
  protocol: Protocol
  /** A list that is empty at first: a folder, a mailbox, a group, a query. Without lists, the item that `put` will create. */
  url: string
  /** A URL on the same server where nothing exists. */
  missingUrl: string
  secret: Secret | null
  /** Credentials that the server refuses. */
  wrongSecret?: Secret
  /** Adds a new item to the list. Its body, when read, contains the text; the name consists of letters only. */
  put(name: string, text: string): Promise<void>
  change?(name: string, text: string): Promise<void>
  remove?(name: string): Promise<void>
  /** Number of bodies, or their bytes, that the server has sent so far, by its own count. */
  moved?(): Promise<number> | number
  /** For protocols that don't resolve hosts themselves: the same with a client whose address guard allows none. */
  behindGuard?(): { protocol: Protocol; close(): Promise<void> }
  close(): Promise<void>
}

/** Features that not every protocol has, or not every server that it is tested with. */
type Feature = 'lists' | 'changes' | 'removals' | 'counts' | 'credentials' | 'hosts' | 'push'

export type SuiteOptions = {
  /** Why the suite can't run here. */
  skip?: string | false
  /** Missing features, and why. The suite tests that they are indeed missing. */
  lacks?: Partial<Record<Feature, string>>
  /** What is truncated at the byte limit: a body, or a list whose bodies come with it, between its items. */
  cuts?: 'bodies' | 'lists'
  /** How its sources are watched. */
  render?: 'http' | 'browser'
}

export type Visit = {
  /** New and changed items. */
  read: { url: string; name: string; body: ItemBody }[]
  /** URLs that were known and no longer exist. */
  gone: string[]
  lists: { url: string; name: string }[]
  left: string
}

/** A place of a world. */
export function placeIn(world: Pick<ProtocolWorld, 'url' | 'secret'>, changes: Partial<Place> = {}): Place {
  return {
    url: world.url,
    secret: world.secret,
    resolve: async () => '127.0.0.1',
    signal: new AbortController().signal,
    limits: { connectTimeoutMs: 20_000, stallTimeoutMs: 20_000, maxBodyBytes: 10_000_000, maxItems: 10_000 },
    clock: systemClock,
    ...changes,
  }
}

/** Visits a place repeatedly, as the engine does: keeps validators and cursor, and reads new and changed items. */
export function createVisitor(world: ProtocolWorld) {
  const kept = new Map<string, string>()
  let cursor = ''

  async function take(session: Session, item: Item, visit: Visit): Promise<void> {
    if (item.validator !== '' && kept.get(item.url) === item.validator) return
    visit.read.push({ url: item.url, name: item.name, body: item.body ?? (await session.read(item)) })
    kept.set(item.url, item.validator)
  }

  return {
    kept,
    async visit(changes: Partial<Place> = {}): Promise<Visit> {
      const visit: Visit = { read: [], gone: [], lists: [], left: '' }
      const session = await world.protocol.open(placeIn(world, changes))
      try {
        for (let hasMore = true; hasMore; ) {
          const found = await session.look(cursor)
          checkFound(found, changes.url ?? world.url)
          if (found.kind === 'item') {
            await take(session, found.item, visit)
            break
          }
          for (const item of found.items) await take(session, item, visit)
          const there = new Set(found.items.map(({ url }) => url))
          if (found.isWhole) visit.gone = [...kept.keys()].filter((url) => !there.has(url))
          for (const url of visit.gone) kept.delete(url)
          visit.lists.push(...found.lists)
          visit.left = found.left
          cursor = found.cursor
          hasMore = found.hasMore
        }
        return visit
      } finally {
        await session.close()
      }
    },
  }
}

/** Invariants of everything that is found. */
function checkFound(found: Found, listUrl: string): void {
  const items = found.kind === 'item' ? [found.item] : found.items
  const urls = [...items, ...(found.kind === 'item' ? [] : found.lists)].map(({ url }) => url)
  assert.equal(new Set(urls).size, urls.length, 'two entries have the same URL')
  for (const url of urls) {
    assert.equal(URL.parse(url)?.href, url, 'a URL is as the standard serialises it')
    assert.doesNotMatch(url, /\p{Cc}/u)
  }
  for (const { url, name } of items) {
    assert.ok(url.startsWith(listUrl), `${url} does not begin with ${listUrl}`)
    assert.doesNotMatch(name, /\p{Cc}/u)
  }
}

/** The contract of `Protocol`, for one implementation. */
export function testProtocol(name: string, open: () => Promise<ProtocolWorld>, options: SuiteOptions = {}): void {
  const { skip = false, lacks = {}, cuts = 'bodies', render = 'http' } = options
  const has = (feature: Feature): boolean => lacks[feature] === undefined
  const withWorld = (work: (world: ProtocolWorld) => Promise<void>) => async () => {
    const world = await open()
    try {
      await work(world)
    } finally {
      await world.protocol.close()
      await world.close()
    }
  }
  const promises = (promise: string, work: (world: ProtocolWorld) => Promise<void>): void => {
    test(promise, { timeout: 120_000 }, withWorld(work))
  }
  /** Only if all the features are present. */
  const promisesWith = (
    needed: readonly Feature[],
    promise: string,
    work: (world: ProtocolWorld) => Promise<void>,
  ): void => {
    if (needed.every(has)) promises(promise, work)
  }

  describe(`${name} as a protocol`, { skip }, () => {
    usePostgres()

    for (const [feature, reason] of Object.entries(lacks))
      promises(`has no ${feature}: ${reason}`, (world) => missing[feature as Feature](world))

    promises('names its schemes in lower case, and normalises URLs', async ({ protocol, url }) => {
      assert.ok(protocol.schemes.length > 0)
      for (const scheme of protocol.schemes) assert.match(scheme, /^[a-z][a-z0-9+.-]*$/)
      assert.ok(protocol.schemes.includes(url.slice(0, url.indexOf(':'))))
      const once = protocol.normalise(url)
      assert.equal(once, url, 'the world has its URL in this spelling')
      assert.equal(protocol.normalise(once), once)
      assert.equal(protocol.normalise(url.replace(/^[a-z]+/, (scheme) => scheme.toUpperCase())), once)
    })

    promises('rejects URLs with control characters', async ({ protocol, url }) => {
      for (const text of [`${url}\r\nNOOP`, `${url}\n`, `${url}a\0b`, `${url}\u007f`])
        assert.throws(
          () => protocol.normalise(text),
          (error) => isAppError(error, 'url-invalid'),
        )
    })

    promisesWith(['lists'], 'finds no items in an empty list', async (world) => {
      const { read, gone } = await createVisitor(world).visit()
      assert.deepEqual({ read, gone }, { read: [], gone: [] })
    })

    promisesWith(['lists'], 'reads all items on the first visit, and none on the second', async (world) => {
      await world.put('one', 'words of the first')
      await world.put('two', 'words of the second')
      const visitor = createVisitor(world)
      const first = await visitor.visit()
      assert.equal(first.read.length, 2)
      assert.ok(findRead(first, 'words of the first').url !== findRead(first, 'words of the second').url)
      for (const { body } of first.read) {
        assert.match(body.type, /^[a-z]+\/[a-z0-9.+-]+(?:; ?[a-z]+=\S+)*$/i)
        assert.equal(body.isCut, false)
      }
      const second = await visitor.visit()
      assert.deepEqual(second.gone, [])
      if (world.protocol.can.revalidate) assert.deepEqual(second.read, [])
    })

    promisesWith(['lists', 'counts'], 'does not transfer known bodies again', async (world) => {
      await world.put('one', 'words of the first')
      const visitor = createVisitor(world)
      await visitor.visit()
      const first = await world.moved!()
      assert.ok(first > 0)
      await visitor.visit()
      assert.equal(await world.moved!(), first)
      await world.put('two', 'words of the second')
      await visitor.visit()
      assert.ok((await world.moved!()) > first)
    })

    promisesWith(['lists'], 'reads only the new item', async (world) => {
      await world.put('one', 'words of the first')
      const visitor = createVisitor(world)
      await visitor.visit()
      await world.put('two', 'words of the second')
      const { read, gone } = await visitor.visit()
      assert.ok(findRead({ read }, 'words of the second'))
      if (world.protocol.can.revalidate) assert.equal(read.length, 1)
      assert.deepEqual(gone, [])
    })

    promises('finds items with the same URLs and validators in another session', async (world) => {
      await world.put('one', 'words of the first')
      if (has('lists')) await world.put('two', 'words of the second')
      const [some, others] = [createVisitor(world), createVisitor(world)]
      await some.visit()
      await others.visit()
      assert.deepEqual(new Map([...some.kept].sort()), new Map([...others.kept].sort()))
    })

    promisesWith(['changes'], 'reads a changed item again, at the same URL', async (world) => {
      await world.put('one', 'words of the first')
      if (has('lists')) await world.put('two', 'words of the second')
      const visitor = createVisitor(world)
      const { url } = findRead(await visitor.visit(), 'words of the first')
      await world.change!('one', 'other words altogether')
      const { read, gone } = await visitor.visit()
      assert.equal(findRead({ read }, 'other words altogether').url, url)
      if (world.protocol.can.revalidate) assert.equal(read.length, 1)
      assert.deepEqual(gone, [])
    })

    promisesWith(['lists', 'removals'], 'reports a removed item as gone', async (world) => {
      await world.put('one', 'words of the first')
      await world.put('two', 'words of the second')
      const visitor = createVisitor(world)
      const { url } = findRead(await visitor.visit(), 'words of the first')
      await world.remove!('one')
      const { gone } = await visitor.visit()
      assert.deepEqual(gone, [url])
    })

    promises('reports a missing URL', async (world) => {
      const visitor = createVisitor(world)
      await fails(world, () => visitor.visit({ url: world.missingUrl }), 'not-found')
    })

    if (cuts === 'bodies')
      promises('truncates bodies at the size limit, and reports it', async (world) => {
        await world.put('long', 'many words '.repeat(2000))
        const limits = { ...placeIn(world).limits, maxBodyBytes: 100 }
        const { read } = await createVisitor(world).visit({ limits })
        assert.equal(read.length, 1)
        assert.ok(read[0]!.body.body.length <= 100)
        assert.equal(read[0]!.body.isCut, true)
      })
    else
      promises('truncates lists between items at the size limit, and reports it', async (world) => {
        await world.put('one', 'words of the first')
        const visitor = createVisitor(world)
        await visitor.visit()
        await world.put('two', 'words of the second')
        await world.put('long', 'many words '.repeat(2000))
        const limits = { ...placeIn(world).limits, maxBodyBytes: 1000 }
        const { read, gone, left } = await visitor.visit({ limits })
        assert.deepEqual(
          read.map(({ body }) => [body.body.includes('words of the second'), body.isCut]),
          [[true, false]],
        )
        assert.match(left, /1000 bytes/)
        assert.deepEqual(gone, [])
        assert.equal((await visitor.visit()).read.length, 1, 'the long one is read when there is room for it')
        const none = { ...limits, maxBodyBytes: 10 }
        await fails(world, () => createVisitor(world).visit({ limits: none }), 'query-refused')
      })

    promisesWith(['lists'], 'stops at the item limit, and reports that there are more', async (world) => {
      for (const name of ['one', 'two', 'three']) await world.put(name, `words of ${name}`)
      const limits = { ...placeIn(world).limits, maxItems: 2 }
      const session = await world.protocol.open(placeIn(world, { limits }))
      const found = await session.look('')
      await session.close()
      assert.ok(found.kind === 'list')
      assert.equal(found.items.length, 2)
      assert.ok(found.hasMore || found.left !== '', 'it says that there is more')
      assert.ok(!found.isWhole, 'what is beyond the limit is not gone')
    })

    promises('stops when the visit is aborted', async (world) => {
      await world.put('one', 'words of the first')
      const visitor = createVisitor(world)
      await fails(world, () => visitor.visit({ signal: AbortSignal.abort() }))
      const ended = new AbortController()
      const visit = visitor.visit({ signal: ended.signal })
      ended.abort()
      await fails(world, () => visit)
      // The aborted visit doesn't affect the next one.
      assert.equal((await visitor.visit()).read.length, 1)
    })

    promisesWith(['hosts'], 'does not connect to addresses refused by the guard', async (world) => {
      await world.put('one', 'words of the first')
      if (world.behindGuard !== undefined) {
        const { protocol, close } = world.behindGuard()
        await fails(world, () => createVisitor({ ...world, protocol }).visit(), 'address-refused')
        return close()
      }
      const asked: string[] = []
      const resolve = async (host: string): Promise<string> => {
        asked.push(host)
        throw new AppError('address-refused', 'a private address')
      }
      await fails(world, () => createVisitor(world).visit({ resolve }), 'address-refused')
      assert.ok(asked.length > 0)
    })

    promisesWith(['credentials'], 'reports wrong credentials without quoting them', async (world) => {
      await world.put('one', 'words of the first')
      assert.equal((await createVisitor(world).visit()).read.length, 1)
      const secret = world.wrongSecret!
      await fails({ ...world, secret }, () => createVisitor(world).visit({ secret }), 'sign-in-failed')
    })

    promisesWith(['push'], 'is notified of a new item', async (world) => {
      assert.ok(world.protocol.can.push)
      const { promise: news, resolve: onNews, reject: onEnd } = Promise.withResolvers<void>()
      const listener = await world.protocol.listen!(placeIn(world), { onNews, onEnd })
      await world.put('one', 'words of the first')
      await news
      assert.equal((await createVisitor(world).visit()).read.length, 1)
      await listener.close()
      await listener.close()
    })

    promises('can be closed twice', async (world) => {
      await world.put('one', 'words of the first')
      const session = await world.protocol.open(placeIn(world))
      await session.look('')
      await session.close()
      await session.close()
      await world.protocol.close()
      await world.protocol.close()
    })

    for (const engine of engines)
      promises(`stores and reports each item once, on the ${engine.name} store`, async (world) => {
        const { protocol, url, secret, put, change, remove } = world
        const protocols = () => ({ others: [protocol], browser: protocol })
        await checkWatched(engine, {
          ...{ url, secret, render, protocols, put, hasLists: has('lists') },
          ...{ change, remove: has('lists') ? remove : undefined },
        })
      })
  })
}

/** Tests that a feature is missing, as the options say. */
const missing: Record<Feature, (world: ProtocolWorld) => Promise<void>> = {
  async lists(world) {
    await world.put('one', 'words of the first')
    const { url } = findRead(await createVisitor(world).visit(), 'words of the first')
    assert.equal(url, world.url)
  },
  changes: async ({ change }) => assert.equal(change, undefined),
  removals: async ({ remove }) => assert.equal(remove, undefined),
  counts: async ({ moved }) => assert.equal(moved, undefined),
  credentials: async ({ wrongSecret }) => assert.equal(wrongSecret, undefined),
  async hosts(world) {
    await world.put('one', 'words of the first')
    const resolve = async (host: string): Promise<string> => assert.fail(`${host} is asked for`)
    assert.equal((await createVisitor(world).visit({ resolve })).read.length, 1)
  },
  async push({ protocol }) {
    assert.equal(protocol.can.push, false)
    assert.equal(protocol.listen, undefined)
  },
}

function findRead({ read }: Pick<Visit, 'read'>, text: string): Visit['read'][number] {
  const found = read.filter(({ body }) => body.body.includes(text))
  assert.equal(found.length, 1, `one item has the text ${JSON.stringify(text)}`)
  return found[0]!
}
