import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import {
  type InboxCounts,
  type InboxFilter,
  type InboxItem,
  type InboxPageItem,
  type InboxState,
  type InboxStore,
  inboxStates,
} from '../contracts/inbox.ts'
import { PAGE_STEP } from '../rules/inbox.ts'
import { draftOf, kept, nothing } from './annotations-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type InboxPlace, tell, withInbox } from './inbox-suite.testkit.ts'

const holds: Record<InboxState, (item: InboxItem) => boolean> = {
  unread: ({ read, archived }) => !read && !archived,
  all: ({ archived }) => !archived,
  starred: ({ starred }) => starred,
  archived: ({ archived }) => archived,
}

/** The expected rows of pages, computed from all annotations of an owner. */
export function pagesByHand(
  items: readonly InboxItem[],
  { state, profile }: Pick<InboxFilter, 'state' | 'profile'>,
): InboxPageItem[] {
  const groups = new Map<string, InboxItem[]>()
  for (const item of items.toSorted((a, b) => b.id - a.id)) {
    const key = JSON.stringify([item.documentId, item.entry])
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  const rows = [...groups.values()].flatMap((group) => {
    const inScope = group.filter((item) => profile === undefined || item.profile === profile)
    const inState = inScope.filter(holds[state])
    const [newest] = inState
    if (newest === undefined) return []
    const named = new Set(group.filter(holds[state]).map((item) => item.profile))
    const others = [...named].filter((each) => each !== newest.profile && each !== '').sort()
    return {
      ...newest,
      read: !inScope.some(holds.unread),
      starred: inScope.some(holds.starred),
      count: new Set(inState.filter(({ backlog }) => !backlog).map(({ versionId }) => versionId)).size,
      profiles: [newest.profile, ...others],
    }
  })
  return rows.sort((a, b) => b.id - a.id)
}

export function pageCountsByHand(items: readonly InboxItem[], profile?: string): InboxCounts['pages'] {
  const count = (state: InboxState): number =>
    pagesByHand(items, { state, ...(profile === undefined ? {} : { profile }) }).length
  return { unread: count('unread'), all: count('all'), starred: count('starred'), archived: count('archived') }
}

async function everything(inbox: InboxStore, owner: string): Promise<InboxItem[]> {
  const page = { before: null, limit: 10_000 }
  const lists = [await inbox.list(owner, { state: 'all' }, page), await inbox.list(owner, { state: 'archived' }, page)]
  return lists.flat()
}

/** All rows, read in small pages. */
async function allPages(inbox: InboxStore, owner: string, filter: InboxFilter, limit = 3): Promise<InboxPageItem[]> {
  const rows: InboxPageItem[] = []
  let before: number | null = null
  do {
    const { items, next } = await inbox.pages(owner, filter, { before, limit })
    assert.ok(items.length <= limit)
    rows.push(...items)
    before = next
  } while (before !== null)
  return rows
}

export async function pagesAgree(inbox: InboxStore, owner: string): Promise<void> {
  const items = await everything(inbox, owner)
  const profiles = [undefined, ...new Set(items.map(({ profile }) => profile).filter((profile) => profile !== ''))]
  for (const state of inboxStates)
    for (const profile of profiles) {
      const filter = { state, ...(profile === undefined ? {} : { profile }) }
      assert.deepEqual(await allPages(inbox, owner, filter), pagesByHand(items, filter), JSON.stringify(filter))
    }
  const { pages, profiles: counted } = await inbox.counts(owner)
  assert.deepEqual(pages, pageCountsByHand(items))
  for (const each of counted)
    if (each.profile !== '') assert.deepEqual(each.pages, pageCountsByHand(items, each.profile), each.profile)
}

const query = (text: string): Pick<InboxFilter, 'query'> => {
  const parsed = parseSearchQuery(text)
  assert.ok(parsed.kind === 'query', text)
  return { query: parsed.query }
}

const textOf = (text: string) => ({ summary: { text, marks: [] } })

/** What every engine promises about the inbox as rows of pages. */
export function inboxPagesSuite(engine: StoreEngine): void {
  const place = (work: (place: InboxPlace) => Promise<void>) => withInbox(engine, work)
  const first = { before: null, limit: 10 }
  const shape = ({ id, count, profiles, read }: InboxPageItem) => ({ id, count, profiles, read })

  describe(`inbox pages (${engine.name})`, () => {
    test(
      'a page has one row with its newest change, the number of changes, and its profiles',
      place(async (where) => {
        const { inbox, annotations } = where
        const told = await tell(where, [{ path: '/a' }, { path: '/b' }, { path: '/a' }, { path: '/a' }])
        const ids = told.map(({ id }) => id)
        const last = told[3]!
        const [twin] = await annotations.commit({
          ...nothing,
          annotations: [draftOf(last.documentId, last.versionId, { profile: 'q' })],
        })
        const rows = async (filter: InboxFilter) => (await inbox.pages('ann', filter, first)).items.map(shape)
        const a = { id: twin!.id, count: 3, profiles: ['q', 'p'], read: false }
        const b = { id: ids[1]!, count: 1, profiles: ['p'], read: false }
        assert.deepEqual(await rows({ state: 'unread' }), [a, b])
        assert.deepEqual(await rows({ state: 'all', profile: 'p' }), [
          { id: ids[3]!, count: 3, profiles: ['p', 'q'], read: false },
          b,
        ])
        assert.deepEqual((await inbox.counts('ann')).pages, { unread: 2, all: 2, starred: 0, archived: 0 })
        await inbox.mark('ann', [twin!.id], { read: true })
        assert.deepEqual(await rows({ state: 'unread' }), [{ ...a, id: ids[3]!, profiles: ['p'] }, b])
        assert.deepEqual(await rows({ state: 'all' }), [a, b], 'older changes are unread')
        await pagesAgree(inbox, 'ann')
      }),
    )

    test(
      'counts include changes only, not content from before the profile',
      place(async (where) => {
        const { inbox, annotations } = where
        const first = { backlog: true, silent: true }
        const told = await tell(where, [{ path: '/a', ...first }, { path: '/b', ...first }, { path: '/a' }])
        const [old, , change] = told
        const rows = async (filter: InboxFilter) =>
          (await inbox.pages('ann', filter, { before: null, limit: 10 })).items.map(({ url, count }) => [
            url.at(-1),
            count,
          ])
        for (const profile of [{}, { profile: 'p' }]) {
          assert.deepEqual(await rows({ state: 'all', ...profile }), [
            ['a', 1],
            ['b', 0],
          ])
          assert.deepEqual(await rows({ state: 'unread', ...profile }), [['a', 1]])
        }
        await pagesAgree(inbox, 'ann')
        const twin = (of: typeof old, more: object) => draftOf(of!.documentId, of!.versionId, { profile: 'q', ...more })
        await annotations.commit({ ...nothing, annotations: [twin(old, first), twin(change, {})] })
        assert.deepEqual((await rows({ state: 'all' }))[0], ['a', 1], 'in two profiles, and once')
        await tell(where, [{ path: '/a', profile: 'r', ...first }])
        assert.deepEqual((await rows({ state: 'all' }))[0], ['a', 1], 'in a profile that came later')
        await inbox.mark('ann', [old!.id], { archived: true })
        await pagesAgree(inbox, 'ann')
      }),
    )

    test(
      'each feed entry has its own row, and a version can have several',
      place(async (where) => {
        const { inbox, annotations } = where
        const [version] = await kept(where, ['/feed'])
        const draft = (entry: string, n: number) =>
          draftOf(version!.documentId, version!.id, { entry, title: `Entry ${n}` })
        const made = await annotations.commit({
          ...nothing,
          annotations: [draft('urn:1', 1), draft('urn:2', 2), draft('', 0), draft('urn:1', 9)],
        })
        assert.deepEqual(
          made.map(({ entry, title }) => [entry, title]),
          [
            ['urn:1', 'Entry 1'],
            ['urn:2', 'Entry 2'],
            ['', 'Entry 0'],
          ],
          'one of each entry',
        )
        const { items } = await inbox.pages('ann', { state: 'all' }, first)
        assert.deepEqual(
          items.map(({ entry, count }) => [entry, count]),
          [
            ['', 1],
            ['urn:2', 1],
            ['urn:1', 1],
          ],
        )
        const { documentId } = version!
        const of = async (entry: string) =>
          (await inbox.list('ann', { state: 'all', page: { documentId, entry } }, first)).map((item) => item.title)
        assert.deepEqual([await of('urn:1'), await of(''), await of('none')], [['Entry 1'], ['Entry 0'], []])
      }),
    )

    test(
      'the list of one page contains all its changes, and marking it affects no other page',
      place(async (where) => {
        const { inbox } = where
        const told = await tell(where, [{ path: '/a' }, { path: '/b' }, { path: '/a' }, { path: '/a' }])
        const { documentId } = told[0]!
        const page = { documentId, entry: '' }
        const ids = async (filter: Partial<InboxFilter> = {}) =>
          (await inbox.list('ann', { state: 'all', page, ...filter }, first)).map(({ id }) => id)
        const [one, two, three, four] = told.map(({ id }) => id)
        assert.deepEqual(await ids(), [four, three, one])
        assert.deepEqual(await ids({ upTo: three! }), [three, one])
        assert.deepEqual(await ids({ profile: 'q' }), [])
        assert.deepEqual(await inbox.list('bob', { state: 'all', page }, first), [])
        const marked = await inbox.markAll('ann', { state: 'unread', page, upTo: three! }, { read: true }, 9)
        assert.deepEqual(marked, [three, one])
        assert.deepEqual(await ids({ state: 'unread' }), [four])
        assert.equal((await inbox.find('ann', two!))!.read, false)
        await pagesAgree(inbox, 'ann')
      }),
    )

    test(
      'paging stays consistent while pages change and are read, without duplicates or gaps',
      place(async (where) => {
        const { inbox } = where
        const told = await tell(
          where,
          Array.from({ length: 8 }, (_, n) => ({ path: `/${n}` })),
        )
        const portion = { state: 'unread' as const }
        const { items, next } = await inbox.pages('ann', portion, { before: null, limit: 3 })
        await tell(where, [
          { path: '/7', at: 9_000 },
          { path: '/2', at: 9_001 },
          { path: '/new', at: 9_002 },
        ])
        await inbox.mark('ann', [told[4]!.id], { read: true })
        const rest = await inbox.pages('ann', portion, { before: next, limit: 9 })
        assert.deepEqual(
          [...items, ...rest.items].map(({ url }) => Number(url.at(-1))),
          [7, 6, 5, 3, 1, 0],
          'page 2 is at the top now, 4 is read',
        )
        assert.equal(rest.next, null)
      }),
    )

    test(
      'search and urgency filters find a page by any change, and show the newest match once',
      place(async (where) => {
        const { inbox } = where
        const told = await tell(where, [
          { path: '/a', ...textOf('harbour one'), urgency: 5 },
          { path: '/b', ...textOf('harbour two'), urgency: 1 },
          { path: '/a', ...textOf('harbour three'), urgency: 1 },
          { path: '/a', ...textOf('bridge'), urgency: 1 },
          { path: '/c', ...textOf('harbour four'), urgency: 5, profile: 'q' },
        ])
        const ids = told.map(({ id }) => id)
        const found = async (filter: Partial<InboxFilter>, limit = 3) =>
          (await allPages(inbox, 'ann', { state: 'all', ...filter }, limit)).map(({ id, count }) => [id, count])
        for (const limit of [1, 2, 9]) {
          assert.deepEqual(
            await found(query('harbour'), limit),
            [
              [ids[4], 1],
              [ids[2], 3],
              [ids[1], 1],
            ],
            `limit ${limit}`,
          )
          assert.deepEqual(
            await found({ urgency: 3 }, limit),
            [
              [ids[4], 1],
              [ids[0], 3],
            ],
            `limit ${limit}`,
          )
        }
        assert.deepEqual(await found({ ...query('harbour'), profile: 'p', urgency: 3 }), [[ids[0], 3]])
        assert.deepEqual(await found(query('nowhere')), [])
      }),
    )

    test(
      'a page with very many matches is listed once, and the list continues after it',
      place(async (where) => {
        const { inbox, annotations } = where
        const [old] = await tell(where, [{ path: '/old', ...textOf('harbour') }])
        const [page] = await kept(where, ['/busy'])
        const annotation = (n: number) =>
          draftOf(page!.documentId, page!.id, { ...textOf('harbour'), profile: `p${n}` })
        await annotations.commit({
          ...nothing,
          annotations: Array.from({ length: PAGE_STEP + 50 }, (_, n) => annotation(n)),
        })
        const rows = await allPages(inbox, 'ann', { state: 'all', ...query('harbour') }, 5)
        assert.deepEqual(
          rows.map(({ count, id, profiles }) => [count, profiles.length, id === old!.id]),
          [
            [1, PAGE_STEP + 50, false],
            [1, 1, true],
          ],
        )
      }),
    )
  })
}
