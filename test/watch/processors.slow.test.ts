import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newFolder } from '../site/crawl-run.ts'
import { type ChangingPage, createChangingPages } from '../site/handler-site.ts'
import { createUpFolder, profileOf, sourceOf, until } from './up-run.ts'
import { type Watching, withWatching } from './watching.ts'

const ARTICLES = 4
const COPIES = 4
const PAGES = 30

/** Long enough for near-duplicate detection, with so few different words that a title makes no difference. */
function articleText(article: number): string {
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((word) => `${word}${article}`)
  return `java ${Array.from({ length: 400 }, (_, n) => words[n % words.length]).join(' ')}`
}

/** Short different pages, and articles on several pages each. */
function pagesOf(): Record<string, ChangingPage> {
  const pages: Record<string, ChangingPage> = {}
  for (let n = 0; n < PAGES; n++)
    pages[`/p${n}`] = { words: n % 2 === 0 ? `java number n${n}` : `research number n${n}` }
  for (let article = 0; article < ARTICLES; article++)
    for (let copy = 0; copy < COPIES; copy++) pages[`/s${article}-${copy}`] = { words: articleText(article) }
  const links = Object.keys(pages)
  return { '/': { words: 'all of java and research', links }, ...pages }
}

/** Annotations with all URLs of an article, regardless of which came first. */
async function linesOf({ annotations, query }: Watching): Promise<string[]> {
  const numbers = new Map(query('SELECT id, n FROM versions').map(({ id, n }) => [id, n]))
  const made = (await annotations()).map(({ owner, profile, url, alsoAt, kind, relevance, versionId, backlog }) => {
    const paths = [url, ...alsoAt].map((each) => new URL(each).pathname).sort()
    return [owner, profile, paths.join(' '), kind, relevance, numbers.get(versionId), backlog].join(' ')
  })
  return made.sort()
}

async function runWith(processors: number): Promise<{ annotations: string[]; nearDuplicates: number; holds: number }> {
  let result = { annotations: [] as string[], nearDuplicates: 0, holds: 0 }
  await withWatching({ pages: [pagesOf()] }, async (watching) => {
    const { news, put, begin, checked, query } = watching
    const sources = [sourceOf(`${news.origin}/`, { depth: 1 })]
    await put(
      profileOf('java', 'ann@example.org', sources, { java: 4 }),
      profileOf('both', 'bob@example.org', sources, { java: 1, research: 2 }),
      profileOf('all', 'eve@example.org', [{ ...sources[0]!, process: 'track' }], {}),
    )
    begin({ ERACE_ANNOTATE_PROCESSORS: String(processors) })
    await checked()
    for (let n = 0; n < PAGES; n += 3) news.pages[`/p${n}`]!.words = `java and research again n${n}`
    for (let copy = 0; copy < COPIES; copy++) news.pages[`/s0-${copy}`]!.words = articleText(9)
    delete news.pages['/p1']
    await checked(2)
    const [{ n: nearDuplicates }] = query('SELECT count(*) AS n FROM stories') as [{ n: number }]
    const [{ n: holds }] = query('SELECT count(*) AS n FROM holds') as [{ n: number }]
    result = { annotations: await linesOf(watching), nearDuplicates, holds }
  })
  return result
}

describe('filtering processors', () => {
  test('three create the same annotations and near-duplicates as one', async () => {
    const one = await runWith(1)
    const nearDuplicates = one.annotations.filter((line) => line.includes('/s'))
    // Each article, and the changed one again: once for each of two filters, and each copy for the tracking profile.
    assert.equal(nearDuplicates.length, (ARTICLES + 1) * (2 + COPIES), nearDuplicates.join('\n'))
    assert.deepEqual(await runWith(3), one)
  })
})

describe('the schedule log', () => {
  test('reports the checks of each service level on shutdown', async () => {
    const site = await createChangingPages({ '/': { words: 'java' }, '/b': { words: 'java' } })
    const folder = await createUpFolder(newFolder())
    try {
      await folder.put(
        profileOf('gold', 'ann@example.org', [sourceOf(`${site.origin}/`)], { java: 1 }),
        profileOf('bronze', 'Bob@example.org', [sourceOf(`${site.origin}/b`)], { java: 1 }),
      )
      const settings = { ERACE_SCHEDULE_GOLD: 'ann@example.org', ERACE_SCHEDULE_BRONZE: 'bob@example.org' }
      const up = folder.start({ ...settings, ERACE_LOG_LEVEL: 'debug' })
      const isSaved = async () => (await folder.watches.all()).filter(({ state }) => state !== '').length === 2
      await until('both to be checked', isSaved)
      up.child.kill('SIGTERM')
      const { exitCode, stderr } = await up.ended
      assert.equal(exitCode, 0, stderr)
      const lines = stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
      const last = lines.findLast(({ msg }) => msg === 'schedule')
      assert.equal(last.watches, 2)
      const done = (level: 'gold' | 'silver' | 'bronze'): number => last[level].met + last[level].missed
      assert.ok(done('gold') > 0 && done('bronze') > 0)
      assert.equal(done('silver'), 0)
    } finally {
      folder.close()
      await site.close()
    }
  })
})
