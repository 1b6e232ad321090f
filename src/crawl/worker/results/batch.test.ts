import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../core/errors.ts'
import type { Offer } from '../../../core/request.ts'
import { offerOf, offersOf, pageOf, queuedUrls } from '../../../store/conformance/samples.testkit.ts'
import type { Capture } from '../../../store/contracts/documents.ts'
import { answered, type Field, openField, type Taken } from '../../frontier/frontier.testkit.ts'
import { createRepeatedPages } from '../links/repeated-pages.ts'
import { type Batch, type BatchOptions, createBatch } from './batch.ts'

type Kept = { count: number; removed: number; limited: number }

/** A batch on a real store and frontier, with a log of its calls. */
async function withBatch(
  parts: Partial<BatchOptions> & { through?: (field: Field) => Partial<BatchOptions> },
  work: (parts: {
    field: Field
    batch: Batch
    diary: string[]
    kept: Kept[]
    nextKept: () => Promise<void>
    end: (taken: Taken, capture: Capture | null, offers?: Offer[], again?: boolean) => void
  }) => Promise<void>,
): Promise<void> {
  const field = await openField()
  const diary: string[] = []
  const kept: Kept[] = []
  let committed = Promise.withResolvers<void>()
  const batch = createBatch({
    documents: field.documents,
    frontier: field.frontier,
    store: field.store,
    maxItems: 1_000,
    maxBytes: 1_000_000,
    maxWaitMs: 3_600_000,
    repeatedPages: createRepeatedPages({ maxLinks: 4 }),
    onTrap: (links) => diary.push(`trap ${links}`),
    onOffered() {},
    onOutcome: ({ request }, outcome) => diary.push(`${new URL(request.url).pathname} ${outcome?.kind ?? 'nothing'}`),
    async beforeCommit() {},
    onRefused: () => diary.push('refused'),
    isStopping: () => false,
    onCommitted(count, { removed, limited }) {
      kept.push({ count, removed, limited })
      committed.resolve()
    },
    onPause: (reason) => diary.push(reason === null ? 'goes on' : `waits: ${reason}`),
    onError: (error) => diary.push(`error: ${(error as Error).message}`),
    wait: async () => {},
    ...parts,
    ...parts.through?.(field),
  })
  try {
    await work({
      field,
      batch,
      diary,
      kept,
      async nextKept() {
        await committed.promise
        committed = Promise.withResolvers()
      },
      end({ hostQueue, request }, capture, offers = [], again = false) {
        field.frontier.release(hostQueue, answered)
        batch.add({ hostQueue, request, capture, offers, again })
      },
    })
    await batch.flush()
  } finally {
    await field.destroy()
  }
}

/** Fails the given number of times before it succeeds. */
function failing<T extends unknown[], R>(times: number, error: () => Error, call: (...args: T) => Promise<R>) {
  return async (...args: T): Promise<R> => {
    if (times-- > 0) throw error()
    return call(...args)
  }
}

const full = (): AppError => new AppError('store-full', 'no room')

describe('a batch', () => {
  test('stores the page before it queues its links and completes the request', async () => {
    const calls: string[] = []
    const through = ({ documents, store }: Field): Partial<BatchOptions> => ({
      documents: { ...documents, record: noted('record', documents.record) },
      store: { ...store, settle: noted('settle', store.settle) },
    })
    function noted<T extends unknown[], R>(name: string, call: (...args: T) => R): (...args: T) => R {
      return (...args) => {
        calls.push(name)
        return call(...args)
      }
    }
    await withBatch({ through }, async ({ field, batch, diary, kept, end }) => {
      const host = field.hostOf(0)
      await field.offer([offerOf(host, '/')])
      end(field.takeAll()[0]!, pageOf(host, '/', 'home'), offersOf(host, 2))
      assert.equal(batch.size(), 1)
      await batch.flush()
      assert.deepEqual(calls, ['record', 'settle'])
      assert.deepEqual(diary, ['/ stored'])
      assert.deepEqual(kept, [{ count: 1, removed: 1, limited: 0 }])
      assert.deepEqual(
        await queuedUrls(field.store),
        offersOf(host, 2).map(({ url }) => url),
      )
      assert.equal(field.takeAll().length, 1, 'the host goes on with the links')
      assert.equal(batch.size(), 0)
    })
  })

  test('follows links of duplicates, but stops if they lead to more duplicates', async () => {
    await withBatch({}, async ({ field, batch, diary, end }) => {
      const urlOf = (n: number): string => `http://${field.hostOf(n)}/`
      const follow = async (n: number, parent: string, links: number): Promise<void> => {
        await field.offer([offerOf(field.hostOf(n), '/', { parent })])
        const host = field.hostOf(n)
        const taken = field.takeAll().find(({ request }) => request.host === host)!
        end(taken, pageOf(host, '/', 'same'), offersOf(field.hostOf(n + 10), links))
        await batch.flush()
      }
      await follow(0, 'http://parent.example/', 0)
      await follow(1, 'http://parent.example/', 1)
      await follow(2, urlOf(1), 5)
      assert.deepEqual(diary, ['/ stored', '/ duplicate', 'trap 5', '/ duplicate'])
      assert.deepEqual(await queuedUrls(field.store), [`http://${field.hostOf(11)}/0`])
    })
  })

  test('requeues a request to be retried and completes one without a page', async () => {
    await withBatch({}, async ({ field, batch, diary, kept, end }) => {
      const [one, two] = [field.hostOf(0), field.hostOf(1)]
      await field.offer([offerOf(one, '/again'), offerOf(two, '/done')])
      const [first, second] = field.takeAll() as [Taken, Taken]
      end({ ...first, request: { ...first.request, attempts: 1 } }, null, [], true)
      end(second, null)
      await batch.flush()
      assert.deepEqual(diary, ['/again nothing', '/done nothing'])
      assert.deepEqual(kept, [{ count: 2, removed: 2, limited: 0 }])
      const [retry] = field.takeAll()
      assert.equal(retry?.request.attempts, 1)
      assert.equal(field.store.counts().queued, 1)
    })
  })

  test('is committed when it has enough requests', async () => {
    await withBatch({ maxItems: 2 }, async ({ field, nextKept, kept, end }) => {
      await field.offer([0, 1, 2].map((n) => offerOf(field.hostOf(n), '/')))
      for (const taken of field.takeAll()) end(taken, null)
      await nextKept()
      assert.equal(kept[0]?.count, 2)
    })
  })

  test('is committed when it has enough bytes', async () => {
    await withBatch({ maxBytes: 10 }, async ({ field, nextKept, kept, end }) => {
      const host = field.hostOf(0)
      await field.offer([offerOf(host, '/')])
      end(field.takeAll()[0]!, pageOf(host, '/', 'more than ten bytes'))
      await nextKept()
      assert.equal(kept[0]?.count, 1)
    })
  })

  test('is committed when its first request has waited long enough', async () => {
    await withBatch({ maxWaitMs: 1 }, async ({ field, nextKept, kept, end }) => {
      await field.offer([offerOf(field.hostOf(0), '/')])
      end(field.takeAll()[0]!, null)
      await nextKept()
      assert.equal(kept[0]?.count, 1)
    })
  })

  test('waits while the disk is full, reports it and loses nothing', async () => {
    const waits: number[] = []
    await withBatch(
      {
        wait: async (ms) => void waits.push(ms),
        through: ({ documents, store }) => ({
          documents: { ...documents, record: failing(2, full, documents.record) },
          store: { ...store, settle: failing(1, full, store.settle) },
        }),
      },
      async ({ field, batch, diary, end }) => {
        const host = field.hostOf(0)
        await field.offer([offerOf(host, '/')])
        end(field.takeAll()[0]!, pageOf(host, '/', 'home'), offersOf(host, 2))
        await batch.flush()
        assert.deepEqual(diary, [
          'waits: no room',
          'waits: no room',
          'goes on',
          '/ stored',
          'waits: no room',
          'goes on',
        ])
        assert.equal(waits.length, 3)
        assert.equal(field.store.counts().queued, 2)
        assert.deepEqual({ ...(await field.documents.counts()) }, { documents: 1, versions: 1, bodies: 1 })
      },
    )
  })

  test('reports a permanent failure and leaves the request queued', async () => {
    const damaged = (): AppError => new AppError('store-damaged', 'a page is damaged')
    await withBatch(
      { through: ({ documents }) => ({ documents: { ...documents, record: failing(1, damaged, documents.record) } }) },
      async ({ field, batch, diary, kept, end }) => {
        const host = field.hostOf(0)
        await field.offer([offerOf(host, '/')])
        end(field.takeAll()[0]!, pageOf(host, '/', 'home'))
        await batch.flush()
        assert.deepEqual(diary, ['error: a page is damaged'])
        assert.deepEqual(kept, [])
        assert.equal(field.store.counts().queued, 1)
      },
    )
  })

  test('is flushed together with requests added meanwhile', async () => {
    await withBatch({}, async ({ field, batch, kept, end }) => {
      await field.offer([0, 1, 2].map((n) => offerOf(field.hostOf(n), '/')))
      const taken = field.takeAll()
      end(taken[0]!, null)
      const flushed = batch.flush()
      end(taken[1]!, null)
      end(taken[2]!, null)
      await flushed
      assert.equal(
        kept.reduce((sum, { count }) => sum + count, 0),
        3,
      )
      assert.equal(field.store.counts().queued, 0)
    })
  })
})
