import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withFault } from '../kit/processing-faults.ts'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf, until } from './up-run.ts'
import { withWatching } from './watching.ts'

test('a document that takes the whole process along is set aside after three times, and all others are processed', async () => {
  const pages: Record<string, ChangingPage> = Object.fromEntries(
    ['/a', '/bad', '/b', '/c'].map((path) => [path, { words: `Java at ${path}` }]),
  )
  await withWatching({ pages: [pages] }, async ({ news, put, begin, end, notified, countTasks, query }) => {
    const sources = Object.keys(pages).map((path) => sourceOf(`${news.origin}${path}`))
    await put(profileOf('p', 'ann@example.org', sources, { java: 4 }))
    for (let n = 0; n < 3; n++) {
      const { signal, stderr } = await begin(withFault('kills the process')).endWithin(60_000)
      assert.equal(signal, 'SIGKILL', stderr.slice(-2000))
      // The first time, others of its batch count as well; from then on it is the only one that is begun before each end.
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
