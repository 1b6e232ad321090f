import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFault } from '../kit/processing-faults.ts'
import type { ChangingPage } from '../site/handler-site.ts'
import { createGate } from '../site/site.ts'
import { profileOf, sourceOf, until } from './up-run.ts'
import { withWatching } from './watching.ts'

test('a document that kills the process three times is set aside, and all others are processed', async () => {
  const pages: Record<string, ChangingPage> = Object.fromEntries(
    ['/a', '/bad', '/b', '/c'].map((path) => [path, { words: `Java at ${path}` }]),
  )
  await withWatching({ pages: [pages] }, async ({ news, put, begin, end, notified, countTasks, query }) => {
    const sources = Object.keys(pages).map((path) => sourceOf(`${news.origin}${path}`))
    await put(profileOf('p', 'ann@example.org', sources, { java: 4 }))
    for (let n = 0; n < 3; n++) {
      const { signal, stderr } = await begin(withFault('kills the process')).endWithin(60_000)
      assert.equal(signal, 'SIGKILL', stderr.slice(-2000))
      // The first time, others of its batch count as well; from then on, it is the only one started before each end.
      if (n > 0) assert.equal(query(`SELECT count(*) AS n FROM tasks WHERE attempts = ${n + 1}`)[0]!.n, 1)
    }
    begin(withFault('kills the process'))
    await until('all to be settled', async () => (await notified()).length === 3 && (await countTasks()) === 0, 60_000)
    assert.deepEqual((await notified()).sort(), ['ann p /a new', 'ann p /b new', 'ann p /c new'])
    const [aside, ...more] = query('SELECT attempts, reason FROM tasks')
    assert.equal(`${aside?.attempts} ${aside?.reason}`, '3 processing ended abruptly 3 times')
    assert.deepEqual(more, [])
    await end()
  })
})

test('a page reported by a killed first check is reported as gone, even if another watch noticed it', async () => {
  const pages: Record<string, ChangingPage> = {
    '/a': { words: 'a', links: ['/goal', '/early'] },
    '/b': { words: 'b', links: ['/goal', '/slow', '/early'] },
    '/slow': { words: 'slow' },
    '/goal': { words: 'java' },
    '/early': { words: 'java' },
  }
  const [slow, second] = [createGate(), createGate()]
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, notified }) => {
    const source = (path: string) => sourceOf(news.origin + path, { depth: 1, process: 'track' })
    const until404 = (path: string) => until(`${path} to be missed`, async () => has(`ann quick ${path} gone`))
    const has = async (line: string) => (await notified()).includes(line)
    await put(profileOf('quick', 'ann@example.org', [source('/a')], {}))
    let run = begin()
    await checked(1)
    delete pages['/early']
    await until404('/early')
    await put(profileOf('slow', 'bob@example.org', [source('/b')], {}))
    Object.assign(pages['/slow']!, { until: slow.opened })
    await until('the page to be reported', () => has('bob slow /goal new'))
    await run.stop('SIGKILL')
    // The next check of the second watch does not reach the page before it is killed as well.
    Object.assign(pages['/b']!, { until: second.opened })
    delete pages['/goal']
    run = begin()
    await until404('/goal')
    await run.stop('SIGKILL')
    slow.open()
    second.open()
    begin()
    await checked(2)
    const ofBob = (await notified()).filter((line) => line.startsWith('bob')).sort()
    // A page that was gone before the watch reached it is no news.
    assert.deepEqual(ofBob, ['bob slow /b new', 'bob slow /goal gone', 'bob slow /goal new', 'bob slow /slow new'])
  })
})
