import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../../test/watch/up-run.ts'
import { coversPage } from '../../../services/scheduler/urds/coverage.ts'
import { ada, createKeptArchive, eve, type KeptArchive, root } from './archive.testkit.ts'

type Told = { verdict: string; sentence: string; steps: { name: string; ok: boolean | null; text: string }[] }

describe('explanation of a URL', () => {
  let kept: KeptArchive
  const robots = 'User-agent: *\nDisallow: /private'
  before(async () => {
    const settings = {
      'crawl.mime': ['text/html html', 'application/x-own dmg'],
      'crawl.block': ['blocked.example'],
      'crawl.filter': { not: { url: '/draft/' } },
    }
    const chain = Object.fromEntries(
      [0, 1, 2, 3].map((n) => [`/d/${n}`, { body: `<p>page ${n}</p><a href="/d/${n + 1}">on</a>` }]),
    )
    const pages = { '/private/x': { body: 'x' }, '/bad': { status: 500, body: '' }, ...chain }
    // The first page links to all others, so the crawl ends before /d/4.
    kept = await createKeptArchive(pages, {}, { robots, settings, options: ['--depth', '1'] })
  })
  after(() => kept.close())

  async function explain(email: string, url: string): Promise<Told> {
    return (await kept.erace.as(email).get(`/explain?url=${encodeURIComponent(url)}`)).json()
  }
  const stepOf = ({ steps }: Told, name: string) => steps.find((step) => step.name === name)

  test('shows the rules of robots.txt if they are known', async () => {
    const forbidden = await explain(ada, kept.url('/private/y'))
    assert.equal(forbidden.verdict, 'refused')
    assert.equal(stepOf(forbidden, 'robots')?.ok, false)
    assert.equal(stepOf(await explain(ada, kept.url('/open')), 'robots')?.ok, true)
    const unknown = await explain(root, 'http://never-asked.example/')
    assert.deepEqual([stepOf(unknown, 'robots')?.ok, unknown.verdict], [null, 'not-covered'])
    assert.match(stepOf(unknown, 'robots')!.text, /not been read yet/)
  })

  test('counts links from the source in the same way as the engine', async () => {
    const scope = { kind: 'path' } as const
    for (let depth = 0; depth < 5; depth++) {
      await kept.put(profileOf('deep', eve, [sourceOf(kept.url('/d/0'), { depth, scope })], {}))
      await kept.visit('deep')
      for (let hops = 0; hops <= 3; hops++) {
        const page = { url: kept.url(`/d/${hops}`), hops }
        // Pages more than one link too deep are not found.
        if (hops > depth + 1) continue
        const { ok, text } = stepOf(await explain(eve, page.url), 'sources')!
        const covers = coversPage({ uri: kept.url('/d/0'), depth, scope }, page)
        assert.equal(ok, covers, `depth ${depth}, ${hops} links away: ${text}`)
        if (depth > 0 && hops === depth + 1) assert.match(text, new RegExp(`${hops} links away.*depth ${depth}`))
        if (depth > 1 && hops === 2) assert.match(text, /2 links away/)
      }
    }
    await kept.erace.stores.profiles.remove(['deep'])
  })

  test('says that a page is too deep, even if it was never fetched', async () => {
    const scope = { kind: 'path' } as const
    await kept.put(profileOf('deep', eve, [sourceOf(kept.url('/d/0'), { depth: 3, scope })], {}))
    await kept.visit('deep')
    const told = await explain(eve, kept.url('/d/4'))
    assert.deepEqual([told.verdict, stepOf(told, 'sources')?.ok], ['not-covered', false])
    assert.match(told.sentence, /4 links away/)
    const unlinked = await explain(eve, kept.url('/d/9'))
    assert.deepEqual([unlinked.verdict, stepOf(unlinked, 'sources')?.ok], ['unknown', true])
    await kept.erace.stores.profiles.remove(['deep'])
  })

  test('shows the outcome of the last request', async () => {
    const failed = await explain(ada, kept.url('/bad'))
    assert.deepEqual([failed.verdict, stepOf(failed, 'outcome')?.ok], ['failed', false])
    assert.match(failed.sentence, /status 500/)
  })

  test('reveals nothing about hosts that only others requested, even to a source matching all URLs', async () => {
    const pattern = { kind: 'pattern', source: '.' } as const
    await kept.put(profileOf('wide', eve, [sourceOf('http://eve.example/', { depth: 3, scope: pattern })], {}))
    await kept.visit('wide')
    const known = await explain(eve, kept.url('/private/x'))
    const unknown = await explain(eve, 'http://never-asked.example/private/x')
    assert.deepEqual([known.verdict, unknown.verdict], ['unknown', 'unknown'])
    for (const told of [known, unknown])
      assert.deepEqual(
        told.steps.map(({ name }) => name),
        ['url', 'sources', 'filters', 'address', 'outcome'],
      )
    assert.equal((await kept.erace.as(eve).get(`/documents/${kept.idOf(kept.url('/'))}`)).statusCode, 404)
  })

  test('shows sources that were not visited yet, and crawler traps', async () => {
    const source = sourceOf('http://new.example/a.zip', { depth: 1 })
    await kept.put(profileOf('new', eve, [source], {}))
    const itself = await explain(eve, 'http://new.example/a.zip')
    assert.match(stepOf(itself, 'sources')!.text, /first check pending/)
    assert.deepEqual([itself.verdict, stepOf(itself, 'filters')?.ok], ['unknown', true])
    const link = await explain(eve, 'http://new.example/b.zip')
    assert.deepEqual([link.verdict, stepOf(link, 'filters')?.ok], ['refused', false])
    const trap = await explain(eve, 'http://new.example/a/b/a/b/a/b/a/b/a/b')
    assert.match(trap.sentence, /trap/)
  })

  test('applies the block list, file types and filter of the configuration', async () => {
    const sources = [sourceOf('http://lists.example/', { depth: 1 }), sourceOf('http://blocked.example/')]
    await kept.put(profileOf('lists', eve, sources, {}))
    for (const [url, ok, text] of [
      ['http://blocked.example/', false, /block list/],
      ['http://lists.example/a/draft/b', false, /filter/],
      ['http://lists.example/a.png', false, /file extension/],
      ['http://lists.example/a.dmg', true, /No filter/],
    ] as const) {
      const step = stepOf(await explain(eve, url), 'filters')
      assert.equal(step?.ok, ok, url)
      assert.match(step!.text, text)
    }
  })
})
