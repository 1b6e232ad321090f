import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { until } from './up-run.ts'
import { withWatching } from './watching.ts'

const page = (n: number, ...links: string[]): ChangingPage => ({ words: `page ${n}`, links })

test('up crawls its configured seeds once, continues after a kill, and crawls again with a new depth', async () => {
  let open = (): void => {}
  const pages: Record<string, ChangingPage> = {
    '/': page(0, '/1', '/slow'),
    '/1': page(1, '/2'),
    '/2': page(2, '/3'),
    '/3': page(3),
    '/slow': { ...page(4, '/5'), until: new Promise<void>((resolve) => (open = resolve)) },
    '/5': page(5),
  }
  await withWatching({ pages: [pages] }, async ({ news, begin, end, query }) => {
    const settings = { ERACE_CRAWL_SEEDS: `${news.origin}/`, ERACE_CRAWL_DEPTH: '2' }
    const states = (): unknown[] => query('SELECT state FROM crawls ORDER BY id').map(({ state }) => state)
    const paths = (): string[] => [...new Set(news.answers.splice(0).map(({ path }) => path))].sort()
    const first = begin(settings)
    await until('the page in the middle', () => news.asked('/2') > 0 && news.site.asked.includes('/slow'))
    await first.stop('SIGKILL')
    open()
    begin(settings)
    await until('the rest', () => states()[0] === 'finished')
    assert.deepEqual(paths(), ['/', '/1', '/2', '/5', '/slow'])
    await end()

    await begin(settings).ready()
    await end()
    assert.deepEqual([paths(), states()], [[], ['finished']])

    begin({ ...settings, ERACE_CRAWL_DEPTH: '3' })
    await until('the deeper crawl', () => states()[1] === 'finished')
    assert.ok(paths().includes('/3'))
  })
})
