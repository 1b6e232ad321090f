import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { AppError, isAppError } from '../../../core/errors.ts'
import { noCheck, type Offer, type QueuedRequest } from '../../../core/request.ts'
import { offerOf, pageOf } from '../../../store/conformance/samples.testkit.ts'
import type { Capture } from '../../../store/contracts/documents.ts'
import type { FetchResponse } from '../../fetch/fetch-result.ts'
import type { PageReading } from '../visit/read-response.ts'
import { createRecorder } from './recorder.ts'
import { createSharedReading, type FetchedPage } from './shared-reading.ts'

const host = 'one.example'

function fetchedOf(path: string, { bytes = 10_000, type = 'text/html', watch = 0 } = {}): FetchedPage {
  const offer = offerOf(host, path, { check: { ...noCheck, watch } })
  const request: QueuedRequest = { ...offer, hostId: 1, seq: 1, attempts: 0 }
  const response: FetchResponse = {
    ...{ kind: 'response', status: 200, statusLine: 'HTTP/1.1 200 OK', rawHeaders: ['Content-Type', type] },
    ...{ address: '192.0.2.1', startedAt: 5, firstByteMs: 1, totalMs: 1, wireBytes: bytes, truncated: null },
    body: Buffer.from(new Uint8Array(bytes).fill(97).buffer),
  }
  return { request, response, known: null }
}

/** A shard that has fetched pages, and an idle one. */
function twoShards(t: TestContext, read: (page: FetchedPage) => Promise<PageReading>, onRecord: () => void = () => {}) {
  const { port1, port2 } = new MessageChannel()
  const recorded: Capture[] = []
  const offered: Offer[] = []
  const shard = (index: number, ports: (MessageChannel['port1'] | null)[]) =>
    createSharedReading({
      ...{ index, ports, read, busyOf: (each) => (each === 0 ? 1 : 0), now: () => 0 },
      recorder: createRecorder({
        maxItems: 2,
        maxWaitMs: 1,
        async record(captures) {
          onRecord()
          recorded.push(...captures)
          return captures.map(() => ({ kind: 'stored', versionId: recorded.length }))
        },
      }),
      offered: (offers) => void offered.push(...offers),
    })
  const shards = [shard(0, [null, port1]), shard(1, [port2, null])]
  /** Retries until the page is taken, since only a share of the pages is. */
  const give = (page: FetchedPage): Promise<PageReading> | null => {
    for (let time = 0; time < 10; time++) {
      const reading = shards[0]!.give(page)
      if (reading !== null) return reading
    }
    return null
  }
  t.after(() => {
    for (const each of shards) each.close()
  })
  return { give, recorded, offered }
}

const pageWith = (offers: Offer[], body: Buffer): PageReading => {
  const capture = pageOf(host, '/', body)
  return { kind: 'page', capture, offers, links: 3, dropped: { limit: 0, length: 0 }, traps: [] }
}

describe('a page read by another shard', () => {
  test('is stored there, and its links become known there once the page is settled', async (t) => {
    const link = offerOf(host, '/next')
    const { give, recorded, offered } = twoShards(t, async ({ response }) => pageWith([link], response.body))
    const page = fetchedOf('/a')
    const reading = await give(page)!
    assert.ok(reading?.kind === 'page')
    assert.equal(reading.capture, null)
    assert.deepEqual(reading.recorded!.outcome, { kind: 'stored', versionId: 1 })
    assert.deepEqual([reading.offers, reading.links], [[link], 3])
    assert.equal(page.response.body.length, 0, 'the body went there')
    assert.equal((recorded[0] as { size: number }).size, 10_000)
    assert.deepEqual(offered, [])
    reading.recorded!.settled(true)
    const second = await give(fetchedOf('/b'))!
    assert.deepEqual(offered, [link])
    assert.ok(second?.kind === 'page')
    second.recorded!.settled(false)
    await give(fetchedOf('/c'))
    assert.deepEqual(offered, [link], 'links of a page that was dropped are not known')
  })

  test('passes on the error if it cannot be read or stored', async (t) => {
    const fail = (): never => {
      throw new AppError('lease-lost', 'another worker has it')
    }
    const unread = twoShards(t, async () => fail())
    await assert.rejects(unread.give(fetchedOf('/a'))!, (error) => isAppError(error, 'lease-lost'))
    const unstored = twoShards(t, async ({ response }) => pageWith([], response.body), fail)
    await assert.rejects(unstored.give(fetchedOf('/a'))!, (error) => isAppError(error, 'lease-lost'))
  })

  test('must be large enough, of the right type and not part of a watch', async (t) => {
    const { give } = twoShards(t, async ({ response }) => pageWith([], response.body))
    assert.equal(give(fetchedOf('/a', { bytes: 100 })), null)
    assert.equal(give(fetchedOf('/a', { watch: 3 })), null)
    assert.equal(give(fetchedOf('/a', { type: 'application/xml' })), null)
    assert.ok(give(fetchedOf('/a')) !== null)
  })
})
