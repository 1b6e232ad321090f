import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { aciOf } from '../../src/archive/export/aci-export.ts'
import type { Profile } from '../../src/core/profile.ts'
import { compileInterests } from '../../src/matching/interests/compile-interests.ts'
import { relevanceOf } from '../../src/matching/match/evaluate.ts'
import { readDocument } from '../../src/matching/terms/document-terms.ts'
import { coversPage } from '../../src/services/scheduler/urds/coverage.ts'
import type { Annotation } from '../../src/store/contracts/annotations.ts'
import { aciGrammar, readAcis } from '../../src/xml/aci/aci-reader.ts'
import { xmllintSkip } from '../../src/xml/xmllint.testkit.ts'
import { startErace } from '../kit/erace.ts'
import { newFolder } from '../site/crawl-run.ts'
import { type ChangingPages, createChangingPages } from '../site/handler-site.ts'
import { createUpFolder, profileOf, sourceOf, type UpFolder, until } from './up-run.ts'

/** The expected annotations, from comparing each profile with each state of each page: no index, no queue, no engine. */
function impliedBy(
  profiles: Profile[],
  states: { path: string; words: string; hops: Map<string, number> }[],
  origin: string,
): string[] {
  const implied: string[] = []
  for (const profile of profiles) {
    const interests = compileInterests(profile.interests)
    for (const { path, words, hops } of states) {
      const title = `Page ${path}`
      const url = origin + path
      const isCovered = profile.sources.some((source) => {
        const distance = hops.get(source.uri)
        return distance !== undefined && coversPage({ ...source }, { url, hops: distance })
      })
      const relevance = relevanceOf(interests, readDocument({ url, title, text: `${title}\n${words} ·` }))
      if (isCovered && relevance !== null) implied.push(`${profile.owner} ${profile.id} ${path} ${relevance}`)
    }
  }
  return implied.sort()
}

const shown = ({ owner, profile, url, relevance }: Annotation): string =>
  `${owner} ${profile} ${new URL(url).pathname} ${relevance}`

describe('two users with overlapping profiles', () => {
  let news: ChangingPages
  let folder: UpFolder
  before(async () => {
    news = await createChangingPages({
      '/': { words: 'front page of research', links: ['/java', '/sport', '/deep'] },
      '/java': { words: 'java research at ibm', links: ['/'] },
      '/sport': { words: 'football and research', links: ['/'] },
      '/deep': { words: 'nothing here', links: ['/deeper'] },
      '/deeper': { words: 'java in the depth' },
    })
    folder = await createUpFolder(newFolder())
  })
  after(async () => {
    folder.close()
    await news.close()
  })

  test('get exactly the annotations their profiles imply, and each changed page is fetched once', async () => {
    const { origin } = news
    const profiles = [
      profileOf(
        'java',
        'ann@example.org',
        [sourceOf(`${origin}/`, { depth: 2 })],
        { java: 4, ibm: 1, research: 3 },
        { threshold: 4 },
      ),
      profileOf(
        'research',
        'bob@example.org',
        [sourceOf(`${origin}/`, { depth: 1 })],
        { research: 3 },
        { exclude: ['football'] },
      ),
      profileOf('page', 'bob@example.org', [sourceOf(`${origin}/java`, { scope: { kind: 'page' } })], { ibm: 2 }),
    ]
    const hops = (path: string): Map<string, number> => {
      const fromRoot: Record<string, number> = { '/': 0, '/java': 1, '/sport': 1, '/deep': 1, '/deeper': 2 }
      return new Map([[`${origin}/`, fromRoot[path]!], ...(path === '/java' ? [[`${origin}/java`, 0] as const] : [])])
    }
    const states = Object.entries(news.pages).map(([path, { words = '' }]) => ({ path, words, hops: hops(path) }))
    await folder.put(...profiles)
    const up = folder.start()
    try {
      const first = impliedBy(profiles, states, origin)
      await until('the backlog', async () => (await folder.annotations()).length >= first.length)
      assert.deepEqual((await folder.annotations()).map(shown).sort(), first)
      assert.ok((await folder.annotations()).every(({ backlog, kind }) => backlog && kind === 'new'))
      await until('all to be quiet', async () => (await folder.countTasks()) === 0)

      news.answers.length = 0
      news.pages['/java']!.words = 'java research at ibm goes on'
      news.pages['/sport']!.words = 'handball and research'
      news.pages['/deep']!.words = 'java now'
      const changed = ['/java', '/sport', '/deep']
      const later = impliedBy(
        profiles,
        changed.map((path) => ({ path, words: news.pages[path]!.words!, hops: hops(path) })),
        origin,
      )
      await until('the changes', async () => (await folder.annotations()).length >= first.length + later.length)
      // Duplicates would arrive with the next checks.
      const checks = news.answers.filter(({ path }) => path === '/').length
      await until('two more checks', () => news.answers.filter(({ path }) => path === '/').length > checks + 2)
      const all = await folder.annotations()
      assert.deepEqual(all.slice(first.length).map(shown).sort(), later)
      for (const path of changed)
        assert.equal(news.answers.filter((answer) => answer.path === path && answer.status === 200).length, 1, path)
      for (const annotation of all) assertExplained(annotation, profiles, news)
    } finally {
      up.child.kill('SIGTERM')
      const end = await up.ended
      assert.equal(end.exitCode, 0, end.stderr.slice(-2000))
    }
  })
})

test('annotations export as XML that xmllint accepts, and read back unchanged', {
  skip: xmllintSkip,
}, async () => {
  const parent = newFolder()
  const news = await createChangingPages({ '/': { words: 'java & <research> “quoted”' } })
  const folder = await createUpFolder(join(parent, 'data'))
  try {
    await folder.put(profileOf('java', 'ann@example.org', [sourceOf(`${news.origin}/`)], { java: 4 }))
    const up = folder.start()
    await until('the annotation', async () => (await folder.annotations()).length === 1)
    up.child.kill('SIGTERM')
    await up.ended
    const file = join(parent, 'aci.xml')
    const end = await startErace(['export', 'aci', file, '--data', join(parent, 'data')]).ended
    assert.equal(end.exitCode, 0, end.stderr)
    const lint = spawnSync('xmllint', ['--noout', '--dtdvalid', aciGrammar.dtdPath, file])
    assert.equal(lint.status, 0, lint.stderr.toString())
    const { acis, errors } = readAcis(readFileSync(file, 'utf8'))
    assert.deepEqual(errors, [])
    const [annotation] = await folder.annotations()
    assert.deepEqual(acis, [aciOf(annotation!, Date.now())])
  } finally {
    folder.close()
    await news.close()
  }
})

/** The term scores add up to the relevance, each term is from the profile, and the marks are at those terms. */
function assertExplained(annotation: Annotation, profiles: Profile[], { pages }: ChangingPages): void {
  const profile = profiles.find(({ id }) => id === annotation.profile)!
  const { terms, relevance } = annotation.explanation as {
    terms: { key: string; weight: number; worth: number }[]
    relevance: number
  }
  assert.equal(relevance, annotation.relevance)
  assert.equal(
    terms.reduce((sum, { worth }) => sum + worth, 0),
    annotation.relevance,
  )
  for (const { key, weight } of terms)
    assert.ok(profile.interests.keywords.some((keyword) => keyword.key === key && keyword.weight === weight))
  const { text, marks } = annotation.summary
  const found = marks.map(([from, to]) => text.slice(from, to).toLowerCase())
  for (const word of found)
    assert.ok(
      terms.some(({ key }) => key === word),
      `${word} is marked`,
    )
  assert.ok(pages[new URL(annotation.url).pathname] !== undefined)
}
