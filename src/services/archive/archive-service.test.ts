import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AppError, isAppError } from '../../core/errors.ts'
import { startThread, type ThreadHost } from '../../core/work/thread-host.ts'
import { type ArchiveLimits, createArchiveService } from './archive-service.ts'
import type { ToArchive } from './archive-thread.ts'

function serviceOf(limits: Partial<ArchiveLimits> = {}) {
  const threads: ThreadHost<ToArchive>[] = []
  const service = createArchiveService({
    limits: { threads: 1, ...limits },
    start() {
      const thread = startThread<ToArchive>(new URL('./slow-archive.testkit.ts', import.meta.url), {
        data: undefined,
        isBackground: true,
        resourceLimits: { maxOldGenerationSizeMb: 32 },
      })
      threads.push(thread)
      return thread
    },
  })
  return { service, threads, ask: (id: number, owner = 'ada') => service.version({ owner, id }) }
}

const isRefused = (error: unknown): boolean => isAppError(error) && error.retry === 'later'

describe('archive service', () => {
  test('answers requests, and passes errors on with their codes', async () => {
    const { service, ask, threads } = serviceOf()
    assert.equal((await ask(7)).id, 7)
    await assert.rejects(ask(3), (error) => isAppError(error, 'not-found') && /version 3/.test(error.message))
    await assert.rejects(ask(4), (error) => isAppError(error, 'store-failed') && !error.message.includes('catalog'))
    await assert.rejects(ask(5), (error) => isAppError(error, 'internal'))
    assert.equal((await ask(8)).n, 5)
    assert.equal(threads.length, 1)
    await service.end()
  })

  test('cancels a request that takes too long, and answers the next one', async () => {
    const { service, ask, threads } = serviceOf({ timeLimitMs: 3000 })
    const slow = assert.rejects(ask(1), isRefused)
    const next = ask(9)
    await slow
    assert.equal((await next).id, 9)
    assert.equal(threads.length, 2)
    await service.end()
  })

  test('replaces a thread that exits or runs out of memory', async () => {
    const { service, ask, threads } = serviceOf()
    await assert.rejects(ask(2), isRefused)
    assert.equal((await ask(7)).id, 7)
    await assert.rejects(ask(6), isRefused)
    assert.equal((await ask(8)).id, 8)
    const idle = threads.at(-1)!
    await idle.terminate()
    assert.equal((await ask(9)).id, 9)
    await service.end()
  })

  test('serves owners in turn', async () => {
    const { service, ask } = serviceOf()
    const order: string[] = []
    const asked = ['a', 'a', 'a', 'b', 'c', 'a'].map((owner, n) => ask(10 + n, owner).then(() => order.push(owner)))
    await Promise.all(asked)
    assert.equal(order.join(''), 'aabcaa')
    await service.end()
  })

  test('slow requests of one owner occupy only one thread, and others are answered', async () => {
    const { service, ask, threads } = serviceOf({ threads: 2, timeLimitMs: 60_000 })
    const slow = ['eve', 'eve', 'eve'].map((owner) => ask(1, owner).catch(isRefused))
    for (const owner of ['ada', 'bob', 'ada']) assert.equal((await ask(7, owner)).title, owner)
    assert.equal(threads.length, 2)
    await service.end()
    assert.deepEqual(await Promise.all(slow), [true, true, true])
  })

  test('runs one request per owner at a time, even if more threads are free', async () => {
    const { service, ask } = serviceOf({ threads: 3 })
    const answers = await Promise.all([10, 11, 12, 13].map((id) => ask(id)))
    // Each thread counts its requests.
    assert.deepEqual(
      answers.map(({ n }) => n),
      [1, 2, 3, 4],
    )
    await service.end()
  })

  test('refuses too many waiting requests of one owner at once, but not those of others', async () => {
    const { service, ask } = serviceOf({ maxWaitingOfOwner: 3 })
    const asked = Array.from({ length: 6 }, (_, n) => ask(10 + n, 'eve'))
    const other = ask(7, 'ada')
    const ends = await Promise.allSettled(asked)
    // One is in progress while three wait.
    assert.deepEqual(
      ends.map((end) => (end.status === 'fulfilled' ? '' : (end.reason as AppError).code)),
      ['', '', '', '', 'too-many-reads', 'too-many-reads'],
    )
    assert.equal((await other).id, 7)
    await service.end()
  })

  test('refuses too many waiting requests in total at once', async () => {
    const { service, ask } = serviceOf({ maxWaiting: 3 })
    const asked = Array.from({ length: 6 }, (_, n) => ask(10 + n, `owner ${n}`))
    const ends = await Promise.allSettled(asked)
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    )
    await service.end()
  })

  test('refuses waiting and running requests when it ends', async () => {
    const { service, ask } = serviceOf()
    assert.equal((await ask(7)).id, 7)
    const asked = [ask(1), ask(8)].map((each) => assert.rejects(each, isRefused))
    await service.end()
    await Promise.all(asked)
    await assert.rejects(ask(9), isRefused)
  })
})
