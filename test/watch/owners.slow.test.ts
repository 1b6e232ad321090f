import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { createGate } from '../site/site.ts'
import { profileOf, sourceOf, until } from './up-run.ts'
import { withWatching } from './watching.ts'

const [ann, bob, cat] = ['ann@example.org', 'bob@example.org', 'cat@example.org']

test('a new watcher of a known source gets its pages as backlog, and no one is notified twice', async () => {
  const pages = { '/': { words: 'java', links: ['/more'] }, '/more': { words: 'java and tea' } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, notified, annotations }) => {
    const source = sourceOf(`${news.origin}/`, { depth: 1 })
    await put(profileOf('first', ann, [source], { java: 1 }))
    begin()
    await checked(2)
    assert.equal((await notified()).length, 2)
    const fetched = news.answers.filter(({ status }) => status === 200).length
    // The newcomer gets the stored versions without new requests.
    await put(profileOf('second', bob, [{ ...source }], { java: 1 }))
    await until('the backlog of the newcomer', async () => (await notified()).length === 4)
    assert.equal(news.answers.filter(({ status }) => status === 200).length, fetched)
    news.pages['/more'] = { words: 'java and coffee' }
    await checked(2)
    const lines = (await annotations()).map(
      ({ profile, url, kind, n, backlog }) => `${profile} ${new URL(url).pathname}@${n} ${kind} ${backlog}`,
    )
    const ofFirst = lines.filter((line) => line.startsWith('first')).sort()
    assert.deepEqual(ofFirst, ['first /@1 new true', 'first /more@1 new true', 'first /more@2 changed false'])
    const ofSecond = lines.filter((line) => line.startsWith('second')).sort()
    assert.deepEqual(ofSecond, ['second /@1 new true', 'second /more@1 new true', 'second /more@2 changed false'])
    assert.equal(news.answers.filter(({ status }) => status === 200).length, fetched + 1)
  })
})

test('each owner gets the pages that their own depth and scope cover, from shared fetches', async () => {
  const pages = {
    '/': { words: 'java', links: ['/docs/', '/shop'] },
    '/docs/': { words: 'java docs', links: ['/docs/deep', '/shop'] },
    '/docs/deep': { words: 'java deep' },
    '/shop': { words: 'java shop', links: ['/shop/deep'] },
    '/shop/deep': { words: 'java beyond' },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations }) => {
    const uri = `${news.origin}/`
    await put(
      profileOf('page', ann, [sourceOf(uri, { depth: 2, scope: { kind: 'page' } })], { java: 1 }),
      profileOf('near', bob, [sourceOf(uri, { depth: 1 })], { java: 1 }),
      profileOf('docs', cat, [sourceOf(uri, { depth: 2, scope: { kind: 'pattern', source: '/docs/' } })], { java: 1 }),
    )
    begin()
    await checked(2)
    const pathsOf = async (id: string) =>
      (await annotations()).flatMap(({ profile, url }) => (profile === id ? new URL(url).pathname : [])).sort()
    assert.deepEqual(await pathsOf('page'), ['/'])
    assert.deepEqual(await pathsOf('near'), ['/', '/docs/', '/shop'])
    assert.deepEqual(await pathsOf('docs'), ['/', '/docs/', '/docs/deep'])
    for (const path of Object.keys(pages))
      assert.ok(news.answers.filter((answer) => answer.path === path && answer.status === 200).length <= 1, path)
  })
})

test('a page found on a long path and then on a short one also notifies owners who cover only the short one', async () => {
  const gate = createGate()
  const pages: Record<string, ChangingPage> = {
    '/': { words: 'front', links: ['/slow', '/quick'] },
    '/slow': { words: 'slow', links: ['/goal'] },
    '/quick': { words: 'quick', links: ['/quicker'] },
    '/quicker': { words: 'quicker', links: ['/goal'] },
    '/goal': { words: 'java' },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, notified }) => {
    const uri = `${news.origin}/`
    await put(
      profileOf('far', ann, [sourceOf(uri, { depth: 3 })], { java: 1 }),
      profileOf('near', bob, [sourceOf(uri, { depth: 2 })], { java: 1 }),
    )
    begin()
    await checked(2)
    assert.deepEqual((await notified()).sort(), ['ann far /goal new', 'bob near /goal new'])
    Object.assign(pages['/slow']!, { until: gate.opened })
    Object.assign(pages['/goal']!, { words: 'java anew' })
    await until('the first to be notified', async () => (await notified()).includes('ann far /goal changed'))
    gate.open()
    await checked(1)
    assert.deepEqual((await notified()).sort().slice(-2), ['bob near /goal changed', 'bob near /goal new'])
  })
})

test('a version found by one watch is reported by another that covers the page, including gone and back', async () => {
  const pages: Record<string, { words: string; links?: string[] }> = {
    '/a': { words: 'a', links: ['/goal'] },
    '/b': { words: 'b', links: ['/goal'] },
    '/goal': { words: 'java one' },
  }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, notified }) => {
    const source = (path: string, everyMs: number) =>
      sourceOf(news.origin + path, { depth: 1, everyMs, everyMaxMs: everyMs })
    await put(
      profileOf('quick', ann, [source('/a', 200)], { java: 1 }),
      profileOf('slow', bob, [source('/b', 700)], { java: 1 }),
    )
    begin()
    await checked(1)
    news.pages['/goal'] = { words: 'java two' }
    await checked(2)
    delete news.pages['/goal']
    await checked(2)
    news.pages['/goal'] = { words: 'java three' }
    await checked(2)
    const kinds = ['new', 'changed', 'gone', 'back']
    const lines = await notified()
    assert.deepEqual(
      lines.filter((line) => line.startsWith('ann')),
      kinds.map((kind) => `ann quick /goal ${kind}`),
    )
    assert.deepEqual(
      lines.filter((line) => line.startsWith('bob')),
      kinds.map((kind) => `bob slow /goal ${kind}`),
    )
  })
})
