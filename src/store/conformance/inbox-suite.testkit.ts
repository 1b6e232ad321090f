import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import type { SearchQuery } from '../../core/search-query/query.ts'
import type { AccountStore } from '../contracts/accounts/accounts.ts'
import type { Annotation, AnnotationDraft, AnnotationStore } from '../contracts/annotations.ts'
import type { ChannelStore } from '../contracts/channels.ts'
import type { CollectionStore } from '../contracts/collection.ts'
import type { CredentialStore } from '../contracts/credentials.ts'
import type { DeliveryStore } from '../contracts/deliveries.ts'
import type { InboxFilter, InboxStore } from '../contracts/inbox.ts'
import { draftOf, kept, nothing } from './annotations-suite.testkit.ts'
import { type OpenShard, openOne, type StoreEngine, withSystem } from './engine.testkit.ts'
import { alsoAtOf } from './stories-suite.testkit.ts'

type InboxStores = {
  accounts: AccountStore
  inbox: InboxStore
  annotations: AnnotationStore
  channels: ChannelStore
  credentials: CredentialStore
  deliveries: DeliveryStore
  collection: CollectionStore
}

export type InboxPlace = InboxStores & { shard: OpenShard; host: string; open(): InboxStores }

export function withInbox(engine: StoreEngine, work: (place: InboxPlace) => Promise<void>): () => Promise<void> {
  return withSystem(engine, {}, async (system) => {
    const shard = await openOne(system)
    const opened: { close(): void }[] = []
    const open = () => {
      const { close, ...stores } = engine.openStores(system)
      opened.push({ close })
      return stores
    }
    try {
      await work({ ...open(), shard, host: system.hostOf(0, 0), open })
    } finally {
      for (const { close } of opened) close()
    }
  })
}

export type Told = Partial<AnnotationDraft> & { path?: string; host?: string }

/** Adds an annotation for each draft, of a new version of the page at its path. Default owner and profile: `ann` and `p`. */
export async function tell(place: InboxPlace, drafts: readonly Told[]): Promise<Annotation[]> {
  const told: Annotation[] = []
  for (const [n, { path = `/page${n}`, host = place.host, ...parts }] of drafts.entries()) {
    const [version] = await kept({ shard: place.shard, host }, [path], `body ${n} ${JSON.stringify(parts)}`)
    const draft = draftOf(version!.documentId, version!.id, { at: 1_000 + n, ...parts })
    told.push(...(await place.annotations.commit({ ...nothing, annotations: [draft] })))
  }
  return told
}

function queryOf(text: string): SearchQuery {
  const parsed = parseSearchQuery(text)
  assert.ok(parsed.kind === 'query', text)
  return parsed.query
}

const textOf = (text: string): Pick<AnnotationDraft, 'summary'> => ({ summary: { text, marks: [] } })

/** What every engine promises about listing and searching an inbox. */
export function inboxSuite(engine: StoreEngine): void {
  const place = (work: (place: InboxPlace) => Promise<void>) => withInbox(engine, work)
  const all = { before: null, limit: 100 }
  const idsOf = async (
    inbox: InboxStore,
    owner: string,
    filter: InboxFilter,
    page = all as { before: number | null; limit: number },
  ) => (await inbox.list(owner, filter, page)).map(({ id }) => id)

  describe(`inbox lists (${engine.name})`, () => {
    test(
      'an annotation is listed as committed, unread, with the URLs of its near-duplicates',
      place(async (where) => {
        const { inbox, annotations } = where
        const [one, two] = await tell(where, [{ path: '/a' }, { path: '/b', profile: 'q' }])
        const also = alsoAtOf(one!.id, { ...two!, id: two!.versionId })
        await annotations.commit({ ...nothing, alsoAt: [also] })
        const unmarked = { read: false, starred: false, archived: false }
        const expected = [
          { ...two!, ...unmarked },
          { ...one!, alsoAt: [two!.url], ...unmarked },
        ]
        for (const store of [inbox, where.open().inbox])
          assert.deepEqual(await store.list('ann', { state: 'unread' }, all), expected)
        assert.deepEqual(await inbox.find('ann', one!.id), expected[1])
        const given = [two!.id, 999_999, one!.id, two!.id]
        assert.deepEqual(await annotations.findAll(given), [two!, { ...one!, alsoAt: [two!.url] }, two!])
        assert.deepEqual(await annotations.findAll([]), [])
        assert.equal(await inbox.find('ann', two!.id + 1), null)
      }),
    )

    test(
      'a silent annotation is listed as read',
      place(async (where) => {
        const [item] = await tell(where, [{ path: '/a', silent: true }])
        assert.deepEqual(await idsOf(where.inbox, 'ann', { state: 'unread' }), [])
        assert.deepEqual(await idsOf(where.inbox, 'ann', { state: 'all' }), [item!.id])
        const { unread, all: listed } = await where.inbox.counts('ann')
        assert.deepEqual([unread, listed], [0, 1])
      }),
    )

    test(
      'annotations of other owners are never returned',
      place(async (where) => {
        const { inbox } = where
        const [mine, theirs] = await tell(where, [
          { path: '/a', owner: 'ann' },
          { path: '/a', owner: 'Ann', profile: 'q' },
        ])
        for (const query of [
          undefined,
          'ïdea',
          '-nothing',
          'title OR idea',
          `-site:none.example`,
          'o416e6e',
          'after:1970',
        ]) {
          const filter: InboxFilter = { state: 'all', ...(query === undefined ? {} : { query: queryOf(query) }) }
          const expected = query === 'o416e6e' ? [] : [mine!.id]
          assert.deepEqual(await idsOf(inbox, 'ann', filter), expected, query)
          assert.deepEqual(await idsOf(inbox, 'nobody', filter), [], query)
        }
        assert.deepEqual(await idsOf(inbox, 'ann', { state: 'all', profile: 'q' }), [])
        assert.equal(await inbox.find('ann', theirs!.id), null)
        const arrived = await inbox.arrivals('ann', { after: 0, limit: 9 })
        assert.deepEqual(
          arrived.map(({ id }) => id),
          [mine!.id],
        )
        assert.deepEqual(
          (await inbox.counts('ann')).profiles.map(({ profile }) => profile),
          ['p'],
        )
        assert.equal((await inbox.counts('nobody')).all, 0)
      }),
    )

    test(
      'lists can be filtered by state, profile and urgency, and paged',
      place(async (where) => {
        const { inbox } = where
        const told = await tell(
          where,
          Array.from({ length: 8 }, (_, n) => ({ profile: n % 2 === 0 ? 'p' : 'q', urgency: n })),
        )
        const ids = told.map(({ id }) => id)
        const at = (...places: number[]) => places.map((n) => ids[n]!)
        await inbox.mark('ann', at(0, 1, 7), { read: true })
        await inbox.mark('ann', at(1, 2), { starred: true })
        await inbox.mark('ann', at(2, 3), { archived: true })
        const list = (filter: InboxFilter, page = all as { before: number | null; limit: number }) =>
          idsOf(inbox, 'ann', filter, page)
        assert.deepEqual(await list({ state: 'unread' }), at(6, 5, 4))
        assert.deepEqual(await list({ state: 'all' }), at(7, 6, 5, 4, 1, 0))
        assert.deepEqual(await list({ state: 'starred' }), at(2, 1))
        assert.deepEqual(await list({ state: 'archived' }), at(3, 2))
        assert.deepEqual(await list({ state: 'all', profile: 'q' }), at(7, 5, 1))
        assert.deepEqual(await list({ state: 'unread', profile: 'q' }), at(5))
        assert.deepEqual(await list({ state: 'archived', profile: 'x' }), [])
        assert.deepEqual(await list({ state: 'all', urgency: 5 }), at(7, 6, 5))
        assert.deepEqual(await list({ state: 'all', profile: 'p', urgency: 4 }), at(6, 4))
        assert.deepEqual(await list({ state: 'all', upTo: ids[5]! }), at(5, 4, 1, 0))
        assert.deepEqual(await list({ state: 'all' }, { before: ids[6]!, limit: 2 }), at(5, 4))
        assert.deepEqual(await list({ state: 'all', upTo: ids[4]! }, { before: ids[6]!, limit: 2 }), at(4, 1))
        assert.deepEqual(await list({ state: 'all', upTo: ids[6]! }, { before: ids[4]!, limit: 9 }), at(1, 0))
        assert.deepEqual(await list({ state: 'all', profile: 'q' }, { before: ids[5]!, limit: 9 }), at(1))
      }),
    )

    test(
      'arrivals after an id are listed oldest first, including archived ones',
      place(async (where) => {
        const { inbox } = where
        const ids = (await tell(where, [{}, { muted: true }, { owner: 'bob' }, {}, {}])).map(({ id }) => id)
        const arrivals = async (after: number, limit: number) =>
          (await inbox.arrivals('ann', { after, limit })).map(({ id, archived, read }) => [id, archived, read])
        assert.deepEqual(await arrivals(ids[0]!, 2), [
          [ids[1], true, true],
          [ids[3], false, false],
        ])
        assert.deepEqual(await arrivals(ids[3]!, 9), [[ids[4], false, false]])
        assert.deepEqual(await arrivals(ids[4]!, 9), [])
      }),
    )

    test(
      'each document of an owner is listed once, last annotated first',
      place(async (where) => {
        const { inbox } = where
        const given = [
          { path: '/a' },
          { path: '/b' },
          { path: '/a', profile: 'q' },
          { path: '/c', owner: 'bob' },
          { path: '/d', muted: true },
        ]
        const [a, b, again, c, d] = await tell(where, given)
        const documents = async (before: number | null, limit: number) =>
          (await inbox.documents('ann', { before, limit })).map(({ annotation, documentId }) => [
            annotation,
            documentId,
          ])
        const expected = [d!, again!, b!].map(({ id, documentId }) => [id, documentId])
        assert.deepEqual(await documents(null, 9), expected)
        assert.deepEqual(await documents(d!.id, 1), expected.slice(1, 2))
        assert.deepEqual(await documents(b!.id, 9), [])
        const asked = [a!, b!, c!, d!].map(({ documentId }) => documentId)
        assert.deepEqual(await inbox.documentsOf('ann', [...asked, 999_999]), new Set([asked[0], asked[1], asked[3]]))
        assert.deepEqual(await inbox.documentsOf('ann', []), new Set())
      }),
    )
  })

  describe(`inbox search (${engine.name})`, () => {
    const texts: Told[] = [
      {
        title: 'Harbour news',
        ...textOf('The ferry to Piräus sails again'),
        host: 'www.one.example',
        path: '/ships/1',
      },
      { title: 'Weather', ...textOf('Storm; the ferry stays in the harbour'), host: 'one.example', path: '/weather' },
      { title: 'Φωτιά στο λιμάνι', ...textOf('東京都に行きました'), host: 'two.example', path: '/one/example' },
      { title: 'Gone', ...textOf('Nothing but the storm'), host: 'notone.example', path: '/x', at: 86_400_000 * 10 },
      { title: 'Port', ...textOf('harbour harbour'), host: 'one.example:8080', path: '/port', profile: 'q' },
      { title: 'Address', ...textOf('numbers'), host: '192.0.2.1', path: '/', urgency: 9 },
      { title: 'Sixth', ...textOf('numbers'), host: '[2001:db8::1]:8080', path: '/' },
    ]
    const searches: [query: string, places: number[]][] = [
      ['harbour', [4, 1, 0]],
      ['HARBOUR ferry', [1, 0]],
      ['"the ferry"', [1, 0]],
      ['"ferry the"', []],
      ['ferr*', [1, 0]],
      ['piraus', [0]],
      ['φωτια', [2]],
      ['東京', [2]],
      ['行き', [2]],
      ['intitle:harbour', [0]],
      ['ships', [0]],
      ['harbour -ferry', [4]],
      ['-harbour', [6, 5, 3, 2]],
      ['storm OR intitle:port', [4, 3, 1]],
      ['site:one.example', [4, 1, 0]],
      ['site:www.one.example', [0]],
      ['site:example', [4, 3, 2, 1, 0]],
      ['site:192.0.2.1', [5]],
      ['site:2.1', []],
      ['site:[2001:db8::1]', [6]],
      ['site:2001:db8::', []],
      ['-site:one.example', [6, 5, 3, 2]],
      ['ferry -site:www.one.example', [1]],
      ['storm site:one.example', [1]],
      ['intitle:gone OR site:two.example', [3, 2]],
      ['(ferry -site:one.example) OR intitle:port', [4]],
      ['-(ferry OR site:two.example)', [6, 5, 4, 3]],
      ['intitle:gone OR -site:example', [6, 5, 3]],
      ['after:1970-01-09', [3]],
      ['storm before:1970-01-09', [1]],
      ['nowhere', []],
      ['owner', []],
    ]
    test(
      'annotations are found by words, phrases, titles, sites and times, newest first',
      place(async (where) => {
        const { inbox } = where
        const ids = (await tell(where, texts)).map(({ id }) => id)
        await tell(
          where,
          texts.map((each) => ({ ...each, owner: 'bob', profile: 'bobs' })),
        )
        const found = (text: string, filter: Partial<InboxFilter> = {}) =>
          idsOf(inbox, 'ann', { state: 'all', query: queryOf(text), ...filter })
        const check = async (when: string): Promise<void> => {
          for (const [text, places] of searches)
            assert.deepEqual(
              await found(text),
              places.map((n) => ids[n]!),
              `${text} ${when}`,
            )
        }
        await check('among few')
        // With very many archived ones, checking the shown ones one by one is faster.
        const many = Array.from({ length: 120 }, (_, n) => ({ path: `/many${n}`, title: 'ferry', muted: true }))
        await tell(where, many)
        await check('among many that are archived')
      }),
    )

    test(
      'a search can be combined with every other filter',
      place(async (where) => {
        const { inbox } = where
        const ids = (await tell(where, texts)).map(({ id }) => id)
        const at = (...places: number[]) => places.map((n) => ids[n]!)
        await inbox.mark('ann', at(0), { read: true, starred: true })
        await inbox.mark('ann', at(1), { archived: true })
        const found = (
          text: string,
          filter: Partial<InboxFilter>,
          page = all as { before: number | null; limit: number },
        ) => idsOf(inbox, 'ann', { state: 'all', query: queryOf(text), ...filter }, page)
        assert.deepEqual(await found('harbour', {}), at(4, 0))
        assert.deepEqual(await found('harbour', { state: 'unread' }), at(4))
        assert.deepEqual(await found('harbour', { state: 'starred' }), at(0))
        assert.deepEqual(await found('harbour', { state: 'archived' }), at(1))
        assert.deepEqual(await found('harbour', { profile: 'q' }), at(4))
        assert.deepEqual(await found('harbour', { upTo: ids[3]! }), at(0))
        assert.deepEqual(await found('harbour OR numbers', { urgency: 9 }), at(5))
        assert.deepEqual(await found('harbour', {}, { before: null, limit: 1 }), at(4))
        assert.deepEqual(await found('harbour', {}, { before: ids[4]!, limit: 9 }), at(0))
      }),
    )
  })
}
