import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createNewsDesk } from './demo/news-desk.ts'
import { startNewsServer } from './demo/news-server.ts'
import { createTownPages } from './demo/town-pages.ts'

const script = fileURLToPath(new URL('./demo.ts', import.meta.url))
const LIMIT_MS = 60_000

type Item = { profile: { name: string } | string; kind: string; url: string; backlog: boolean }

describe('the demo', () => {
  test('fills the inbox within a minute, and removes its data folder at the end', {
    timeout: 2 * LIMIT_MS,
  }, async () => {
    const child = spawn(process.execPath, [script, '--port', '0', '--period', '0.3'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    try {
      const line = (label: string): string => new RegExp(`^${label} +(\\S+)`, 'm').exec(output)?.[1] ?? ''
      await until('the address', () => output.includes('Press Ctrl-C'))
      const url = line('eRACE is at')
      const signIn = await fetch(`${url}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: line('sign in as'), password: line('with the password') }),
      })
      assert.equal(signIn.status, 200)
      const cookie = signIn.headers.getSetCookie()[0]!.split(';')[0]!
      let items: Item[] = []
      await until('changes for all three profiles', async () => {
        const answer = await fetch(`${url}/api/v1/annotations?limit=200`, { headers: { cookie } })
        assert.equal(answer.status, 200)
        items = ((await answer.json()) as { items: Item[] }).items
        const names = new Set(items.filter(({ backlog }) => !backlog).map(({ profile }) => nameOf(profile)))
        return names.size === 3
      })
      const isOfTown = /\/(?:shop\/kettle|notices|ferry\.json|feed\.xml|harbour)$/
      for (const { profile, url: address } of items)
        assert.equal(isOfTown.test(address), nameOf(profile) === 'Around town', `${nameOf(profile)} has ${address}`)
      const folder = line('data folder')
      assert.ok(existsSync(folder))
      child.kill('SIGINT')
      const [code] = await closed
      assert.equal(code, 0)
      assert.ok(!existsSync(folder))
    } finally {
      child.kill('SIGTERM')
      await closed
    }
  })
})

const nameOf = (profile: Item['profile']): string => (typeof profile === 'string' ? profile : profile.name)

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endAt = performance.now() + LIMIT_MS
  while (!(await holds())) {
    if (performance.now() > endAt) throw new Error(`timed out waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe('the sample news site', () => {
  test('has the same articles for the same seed, and different ones for another', () => {
    const events = (seed: number): string[] => {
      const desk = createNewsDesk(seed)
      return Array.from({ length: 40 }, () => {
        const { kind, article } = desk.step()
        return `${kind} ${article.path} ${article.paragraphs.join(' ')}`
      })
    }
    assert.deepEqual(events(3), events(3))
    assert.notDeepEqual(events(3), events(4))
  })

  test('starts with a dozen articles on all topics and never has more than 40', () => {
    const desk = createNewsDesk(1)
    assert.equal(desk.articles().length, 12)
    assert.equal(new Set(desk.articles().map(({ topic }) => topic)).size, 4)
    for (let step = 0; step < 500; step++) desk.step()
    assert.ok(desk.articles().length <= 40)
    assert.equal(new Set(desk.articles().map(({ path }) => path)).size, desk.articles().length)
    for (const { headline, paragraphs } of desk.articles()) assert.doesNotMatch(headline + paragraphs.join(''), /[{}]/)
  })

  test('has town pages that change one at a time, and one that differs on every request', () => {
    const town = createTownPages()
    const bodies = () => ['/shop/kettle', '/notices', '/ferry.json'].map((path) => town.answerTo(path)!.body)
    for (let step = 0; step < 60; step++) {
      const before = bodies()
      assert.notEqual(town.step(), '')
      assert.equal(bodies().filter((body, at) => body !== before[at]).length, 1)
    }
    assert.notEqual(town.answerTo('/harbour')!.body, town.answerTo('/harbour')!.body)
    assert.equal(town.answerTo('/else'), null)
  })

  test('is served with ETags, a feed, and 410 for withdrawn articles', async () => {
    const desk = createNewsDesk(1)
    const { origin, close } = await startNewsServer(desk, createTownPages(), 0)
    try {
      const front = await fetch(`${origin}/`)
      const etag = front.headers.get('etag')!
      await front.text()
      assert.equal((await fetch(`${origin}/`, { headers: { 'if-none-match': etag } })).status, 304)
      assert.match(await (await fetch(`${origin}/feed.xml`)).text(), /<rss version="2.0">/)
      let event = desk.step()
      while (event.kind !== 'withdrawn') event = desk.step()
      assert.equal((await fetch(origin + event.article.path)).status, 410)
      assert.equal((await fetch(`${origin}/nothing`)).status, 404)
      assert.notEqual((await fetch(`${origin}/`)).headers.get('etag'), etag)
    } finally {
      await close()
    }
  })
})
