import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startErace } from '../../../test/kit/erace.ts'
import { newFolder, runCrawl } from '../../../test/site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from '../../../test/site/handler-site.ts'
import { createBodyReader } from '../../archive/body-reader.ts'
import { configOf } from '../../config/load-config.ts'
import { createManualClock, systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { deliveryDefaults, type Interests, type ProfileDraft, partDefaults, type Source } from '../../core/profile.ts'
import type { PreviewProgress } from '../../core/reports/profile-report.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { type PreviewDeps, previewProfile } from './preview-profile.ts'

const vocabulary = ['java', 'research', 'ibm', 'football', 'solar', 'budget', 'wind', 'weather']
const PAGES = 40

/** Words of a page, chosen from the vocabulary by the bits of its number. */
const wordsOf = (page: number): string[] => vocabulary.filter((_, bit) => ((page * 37) >> bit) % 2 === 1)
const pathOf = (page: number): string => (page % 3 === 0 ? `/news/p${page}` : `/p${page}`)

function sourceOf(uri: string, parts: Partial<Source> = {}): Source {
  const everyMs = 600_000
  const rest = { everyMs, everyMaxMs: everyMs, depth: 3, process: 'filter', window: null, ...partDefaults } as const
  return { uri, scope: { kind: 'host' }, ...rest, ...parts }
}

function draftOf(sources: Source[], keywords: Record<string, number>, parts: Partial<Interests> = {}): ProfileDraft {
  return {
    name: 'a draft',
    paused: false,
    sources,
    interests: {
      keywords: Object.entries(keywords).map(([key, weight]) => ({ key, weight })),
      exclude: [],
      expression: '',
      threshold: 1,
      stemming: '',
      scorer: 'keywords',
      ignore: [],
      match: 'change',
      ...parts,
    },
    urgency: 1,
    amount: 'summary',
    delivery: deliveryDefaults,
  }
}

describe('preview of a profile', () => {
  const sites: HandlerSite[] = []
  let db: Database
  let folder = ''
  let deps: PreviewDeps
  /** The stored pages, as last served by the sites. */
  const kept = new Map<string, { title: string; words: string[] }>()
  let news = ''
  let other = ''
  const everything = { documents: 10_000, examples: 10_000 }

  before(async () => {
    let isLater = false
    for (const name of ['news', 'other'])
      sites.push(
        await createHandlerSite((path, response) => {
          const page = Number(/p(\d+)$/.exec(path)?.[1] ?? -1)
          if (path === '/picture') {
            response.setHeader('content-type', 'image/png')
            response.end(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]))
          } else if (path === '/') response.end(`<title>Start of ${name}</title><p>${linksOfAll()}</p>`)
          else if (page < 0 || (isLater && page === 7)) response.writeHead(page < 0 ? 404 : 410).end()
          else response.end(`<title>Page ${page}</title><p>${wordsOf(isLater ? page + 1 : page).join(' ')}</p>`)
        }),
      )
    news = sites[0]!.origin
    other = sites[1]!.origin
    const types = join(newFolder(), 'mime.types')
    writeFileSync(types, 'text/*\nimage/*\n')
    const options = ['--mime', types]
    const { data } = await runCrawl([`${news}/`, `${other}/`], { options })
    isLater = true
    folder = data
    await runCrawl([`${news}/`, `${other}/`], { data, options })
    for (const origin of [news, other]) {
      kept.set(`${origin}/`, { title: 'Start of', words: [] })
      for (let page = 0; page < PAGES; page++)
        if (page !== 7) kept.set(origin + pathOf(page), { title: `Page ${page}`, words: wordsOf(page + 1) })
    }
    db = openDatabase(paths.catalog(data), { migrations: catalogMigrations, mustExist: true })
    const versions = createSqliteVersions(db)
    const objects = createSqliteObjects(db, paths.archive(data))
    const bodies = createBodyReader({ versions, objects })
    deps = { versions, bodies, omitFor: () => null, clock: systemClock, config: configOf(), landed: new Map() }
  })
  after(async () => {
    db.close()
    for (const site of sites) await site.close()
  })

  const linksOfAll = (): string =>
    [...Array.from({ length: PAGES }, (_, page) => pathOf(page)), '/picture']
      .map((path) => `<a href="${path}">·</a>`)
      .join('')

  /** Expected relevance by URL: the sum of the weights of present words. */
  function implied(covers: (url: string) => boolean, keywords: Record<string, number>, parts: Partial<Interests> = {}) {
    const found = new Map<string, number>()
    for (const [url, { words }] of kept) {
      if (!covers(url)) continue
      const relevance = Object.entries(keywords).reduce(
        (sum, [key, weight]) => sum + (words.includes(key) ? weight : 0),
        0,
      )
      const isExcluded = (parts.exclude ?? []).some((word) => words.includes(word))
      if (relevance >= (parts.threshold ?? 1) && relevance > 0 && !isExcluded) found.set(url, relevance)
    }
    return found
  }

  const cases: { name: string; source: () => Source; covers: (url: string) => boolean }[] = [
    { name: 'a host', source: () => sourceOf(`${news}/`), covers: (url) => url.startsWith(`${news}/`) },
    {
      name: 'a folder',
      source: () => sourceOf(`${news}/news/p3`, { scope: { kind: 'path' } }),
      covers: (url) => url.startsWith(`${news}/news/`),
    },
    {
      name: 'a page without following links',
      source: () => sourceOf(`${news}/p1`, { depth: 0 }),
      covers: (url) => url === `${news}/p1`,
    },
    {
      name: 'pages of any host that match an expression',
      source: () => sourceOf(`${news}/`, { scope: { kind: 'pattern', source: '/p[0-9]$' } }),
      covers: (url) => url === `${news}/` || /\/p[0-9]$/.test(url),
    },
  ]
  for (const { name, source, covers } of cases)
    test(`finds the matches that words and weights imply for ${name}`, async () => {
      const interests: [Record<string, number>, Partial<Interests>][] = [
        [{ java: 4, ibm: 1, research: 3 }, { threshold: 4 }],
        [{ research: 3 }, { exclude: ['football'] }],
        [{ nowhere: 1 }, {}],
      ]
      for (const [keywords, parts] of interests) {
        const { covered } = await previewProfile(deps, draftOf([source()], keywords, parts), everything)
        const expected = implied(covers, keywords, parts)
        assert.equal(covered.documents, [...kept.keys()].filter(covers).length)
        assert.deepEqual(new Map(covered.examples.map(({ url, relevance }) => [url, relevance])), expected)
        assert.equal(covered.matched, expected.size)
      }
    })

  test('shows the newest matches first, with version, summary and explanation', async () => {
    const { covered } = await previewProfile(
      deps,
      draftOf([sourceOf(`${news}/`)], { java: 4, solar: 1 }, { match: 'page' }),
      everything,
    )
    const times = covered.examples.map(({ at }) => at)
    assert.deepEqual(times, times.toSorted().toReversed())
    for (const { url, n, title, relevance, summary, explanation } of covered.examples) {
      const { words } = kept.get(url)!
      assert.equal(title, kept.get(url)!.title)
      assert.equal(n, 2, 'the page has changed since the first crawl')
      const marked = summary.marks.map(([from, to]) => summary.text.slice(from, to)).sort()
      assert.deepEqual(
        marked,
        ['java', 'solar'].filter((word) => words.includes(word)),
      )
      const { terms } = explanation as { terms: { worth: number }[] }
      assert.equal(
        terms.reduce((sum, { worth }) => sum + worth, 0),
        relevance,
      )
    }
    const few = await previewProfile(deps, draftOf([sourceOf(`${news}/`)], { java: 4, solar: 1 }, { match: 'page' }), {
      documents: 10_000,
      examples: 2,
    })
    assert.deepEqual(few.covered.examples, covered.examples.slice(0, 2))
    assert.equal(few.covered.matched, covered.matched)
  })

  test('looks at the newest documents that its sources cover, up to the limit', async () => {
    const draft = draftOf([sourceOf(`${other}/`)], { java: 4 })
    const all = await previewProfile(deps, draft, everything)
    const last = await previewProfile(deps, draft, { documents: 10, examples: 100 })
    assert.deepEqual([last.covered.documents, last.covered.end, all.covered.end], [10, 'count', 'all'])
    assert.ok(last.covered.looked < all.covered.looked)
    assert.deepEqual(last.covered.examples, all.covered.examples.slice(0, last.covered.matched))
  })

  test('counts gone pages and pages without text separately', async () => {
    const { covered, everything: all } = await previewProfile(
      deps,
      draftOf([sourceOf(`${news}/`)], { java: 1 }),
      everything,
    )
    assert.deepEqual(covered.passedOver, { gone: 1, textless: 1, dropped: 0, lost: 0, damaged: 0 })
    assert.equal(all, null)
  })

  test('matches all documents if the sources cover nothing yet', async () => {
    const draft = draftOf([sourceOf('http://not-yet.example/')], { java: 4 })
    const { covered, everything: all } = await previewProfile(deps, draft, everything)
    assert.deepEqual([covered.documents, covered.matched, covered.end], [0, 0, 'all'])
    assert.equal(all!.documents, kept.size)
    assert.equal(all!.matched, implied(() => true, { java: 4 }).size)
  })

  test('a tracked source matches all its pages, and an archived one none', async () => {
    const words = { java: 4 }
    const tracked = await previewProfile(deps, draftOf([sourceOf(`${news}/`, { process: 'track' })], words), everything)
    assert.equal(tracked.covered.matched, tracked.covered.documents)
    assert.deepEqual(tracked.covered.examples[0]!.explanation, { tracked: true })
    const archived = await previewProfile(
      deps,
      draftOf([sourceOf(`${news}/`, { process: 'archive' })], words),
      everything,
    )
    assert.deepEqual([archived.covered.matched, archived.covered.documents], [0, tracked.covered.documents])
  })

  test('a redirected source covers the target of the redirect', async () => {
    const draft = draftOf([sourceOf('http://old.example/', { depth: 0 })], { nowhere: 1 })
    const landed = new Map([['http://old.example/', `${news}/p1`]])
    const { covered, everything: all } = await previewProfile({ ...deps, landed }, draft, everything)
    assert.deepEqual([covered.documents, all], [1, null])
  })

  test('"match: change" tests the last changes of each document, "match: page" the current page', async () => {
    const draft = (match: 'change' | 'page') => draftOf([sourceOf(`${news}/p1`, { depth: 0 })], { java: 4 }, { match })
    const words = [wordsOf(2), wordsOf(1)]
    const last = await previewProfile(deps, draft('change'), { ...everything, changes: 5 })
    assert.deepEqual(last.covered.documents, 2, 'the change, and the page when it was new')
    assert.deepEqual(
      last.covered.examples.map(({ n }) => n),
      [2, 1].filter((_, place) => words[place]!.includes('java')),
    )
    assert.equal((await previewProfile(deps, draft('page'), { ...everything, changes: 5 })).covered.documents, 1)
    const title = draftOf([sourceOf(`${news}/`, { depth: 0 })], { start: 1 })
    assert.equal((await previewProfile(deps, title, everything)).covered.matched, 1, 'a new page counts as a whole')
  })

  test('shows near misses of the threshold, the nearest first', async () => {
    const parts = { threshold: 8, exclude: ['football'] }
    const draft = draftOf([sourceOf(`${news}/`)], { java: 4, research: 3, ibm: 2 }, parts)
    const { covered } = await previewProfile(deps, draft, { ...everything, nearMisses: 4 })
    const near = covered.nearMisses.map(({ relevance }) => relevance)
    assert.ok(covered.matched > 0 && near.length === 4)
    assert.deepEqual(near, near.toSorted().toReversed())
    assert.ok(near.every((relevance) => relevance > 0 && relevance < 8))
    const shown = new Set(covered.examples.map(({ url }) => url))
    for (const { url, document, version } of covered.nearMisses) {
      assert.ok(!shown.has(url) && document > 0 && version > 0)
      assert.ok(!kept.get(url)!.words.includes('football'))
    }
    assert.deepEqual((await previewProfile(deps, draft, everything)).covered.nearMisses, [])
  })

  test('ends when its time is up or on request, with partial results', async () => {
    const draft = draftOf([sourceOf(`${news}/`)], { java: 4 }, { match: 'page' })
    const clock = createManualClock()
    const slow: PreviewDeps['bodies'] = {
      readText(version) {
        clock.advance(100)
        return deps.bodies.readText(version)
      },
    }
    const late = await previewProfile({ ...deps, bodies: slow, clock }, draft, { ...everything, maxMs: 1000 })
    assert.deepEqual([late.covered.end, late.covered.documents + sum(late.covered.passedOver)], ['time', 10])
    const stopped = await previewProfile(deps, draft, { ...everything, signal: AbortSignal.abort() })
    assert.deepEqual([stopped.covered.end, stopped.covered.looked], ['stopped', 0])
  })

  test('reports its progress', async () => {
    const told: PreviewProgress[] = []
    const onProgress = (progress: PreviewProgress): void => void told.push(progress)
    const { covered } = await previewProfile(deps, draftOf([sourceOf(`${news}/`)], { java: 4 }), {
      ...everything,
      onProgress,
    })
    const { looked, documents, matched } = covered
    assert.deepEqual(told.at(-1), { looked, documents, matched })
  })

  test('refuses invalid interests', async () => {
    const draft = draftOf([sourceOf(`${news}/`)], {}, { expression: '(java' })
    await assert.rejects(previewProfile(deps, draft, everything), (error) => isAppError(error, 'usage-wrong'))
  })

  test('the preview command reports the same', async () => {
    const draft = draftOf([sourceOf(`${news}/`)], { java: 4, ibm: 1 })
    const file = join(newFolder(), 'draft.json')
    const { uri, depth } = draft.sources[0]!
    writeFileSync(file, JSON.stringify({ name: draft.name, sources: [{ uri, depth }], interests: draft.interests }))
    const end = await startErace(['profile', 'preview', file, '--data', folder, '--json', '--examples', '3']).ended
    assert.equal(end.exitCode, 0, end.stderr)
    const [preview] = JSON.parse(end.stdout).previews
    const { covered } = await previewProfile(deps, draft, { documents: 1000, examples: 3 })
    assert.deepEqual(preview.covered, JSON.parse(JSON.stringify(covered)))
  })

  // Must come last: it damages the archive.
  test('counts dropped, lost and damaged bodies, and continues', async () => {
    const id = db.prepare('SELECT version AS id FROM documents WHERE url = ?')
    const idOf = (path: string): number => (id.get(news + path) as { id: number }).id
    db.prepare(`UPDATE versions SET body = 'dropped' WHERE id = ?`).run(idOf('/p1'))
    db.prepare(`UPDATE versions SET body = 'lost' WHERE id = ?`).run(idOf('/p2'))
    db.prepare(`UPDATE versions SET digest = zeroblob(32) WHERE id = ?`).run(idOf('/p4'))
    const { covered } = await previewProfile(deps, draftOf([sourceOf(`${news}/`)], { java: 1 }), everything)
    assert.deepEqual(covered.passedOver, { gone: 1, textless: 1, dropped: 1, lost: 1, damaged: 1 })
    assert.equal(covered.documents, kept.size / 2 - 3)
  })
})

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, count) => all + count, 0)
