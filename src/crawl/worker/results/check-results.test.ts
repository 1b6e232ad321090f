import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { QueuedRequest } from '../../../core/request.ts'
import type { Capture, CaptureOutcome } from '../../../store/contracts/documents.ts'
import { createHostQueue } from '../../frontier/host-queue.ts'
import type { Finished } from './batch.ts'
import { createWatches, noteGivenUp, noteResult } from './check-results.ts'

const check = { watch: 7, round: 1, freshFrom: 1, since: 0, first: false }
const url = 'http://a.example/'
const place = { host: 'a.example', fp: 1n, url, parent: '', check, hops: 0 }
const queue = { depth: 0, redirects: 0, priority: 0, hostId: 1, seq: 1, attempts: 0 }
const request: QueuedRequest = { ...place, ...queue }
const facts = { ...place, at: 1, run: 7, address: '' }
const hostQueue = createHostQueue({ id: 1, nextAt: 0, failures: 0, rests: 0, host: 'a.example', queued: 1 }, 0)

const note = (outcome: 'failed' | 'skipped' | 'unchanged' | 'redirect', status: number): Capture => {
  return { ...facts, kind: 'note', outcome, status, reason: '', location: '', freshUntil: null }
}
const gone = (outcome: 'failed' | 'redirect', status: number, location = ''): Capture => {
  return { ...facts, kind: 'gone', outcome, reason: '', status, location, render: () => [] }
}

function resultsOf(parts: Partial<Finished>, outcome: CaptureOutcome | null) {
  const watches = createWatches()
  noteResult(watches, { hostQueue, request, capture: null, offers: [], again: false, ...parts }, outcome)
  const [results] = watches.takeResults()
  const { changed, unchanged, failed, source, landed } = results!
  return { counts: [changed, unchanged, failed], source, landed }
}

const noted: CaptureOutcome = { kind: 'noted' }
const ofClient = { code: 'http-client-error', status: 404 } as const

describe('check result of a source', () => {
  test('says why the source failed or was not fetched', () => {
    const refused = { code: 'connect-refused', status: 0 } as const
    assert.deepEqual(resultsOf({ capture: note('failed', 0), failure: refused }, noted), {
      counts: [0, 0, 1],
      source: { status: 0, outcome: 'failed: connect-refused' },
      landed: null,
    })
    assert.deepEqual(resultsOf({ capture: note('skipped', 0), skipped: 'robots' }, noted), {
      counts: [0, 1, 0],
      source: { status: 0, outcome: 'skipped: robots' },
      landed: null,
    })
    assert.deepEqual(resultsOf({ capture: gone('failed', 404), failure: ofClient }, noted).source, {
      status: 404,
      outcome: 'failed: http-client-error',
    })
    const broken = resultsOf({ capture: note('failed', 200) }, { kind: 'incomplete' })
    assert.deepEqual(broken.source, { status: 200, outcome: 'failed: body-short' })
  })

  test('counts as a change if the source has gone', () => {
    const result = resultsOf({ capture: gone('failed', 404), failure: ofClient }, { kind: 'gone', versionId: 3 })
    assert.deepEqual([result.counts, result.source], [[1, 0, 0], { status: 404, outcome: 'gone' }])
  })

  test('contains the redirect target, or why that is not fetched', () => {
    const moved = gone('redirect', 302, 'http://b.example/')
    assert.deepEqual(resultsOf({ capture: moved }, noted), {
      counts: [0, 1, 0],
      source: null,
      landed: 'http://b.example/',
    })
    assert.deepEqual(resultsOf({ capture: moved, skipped: 'blocked' }, noted).source, {
      status: 302,
      outcome: 'skipped: blocked',
    })
  })

  test('is taken from another watch that has just fetched the source', () => {
    const met = (status: number) => resultsOf({ capture: { ...facts, kind: 'met', status } }, noted)
    assert.deepEqual(met(200).source, { status: 200, outcome: 'unchanged' })
    assert.deepEqual(met(503), {
      counts: [0, 0, 1],
      source: { status: 503, outcome: 'failed: http-server-error' },
      landed: null,
    })
  })

  test('has no source outcome if a page further away failed', () => {
    const far = resultsOf({ request: { ...request, hops: 1 }, capture: gone('failed', 404), failure: ofClient }, noted)
    assert.deepEqual([far.counts, far.source], [[0, 0, 1], null])
  })

  test('is the last failure if its host was given up, and empty for other watches of that host', () => {
    const failure = { code: 'connect-timeout', status: 0 } as const
    const watches = createWatches()
    noteGivenUp(
      watches,
      new Map([
        [7, -1],
        [8, -2],
      ]),
      request,
      failure,
    )
    assert.deepEqual(
      watches.takeResults().map(({ watch, queued, failed, source }) => [watch, queued, failed, source?.outcome]),
      [
        [7, -1, 1, 'failed: connect-timeout'],
        [8, -2, 1, undefined],
      ],
    )
    assert.deepEqual(resultsOf({ failure }, null).source, { status: 0, outcome: 'failed: connect-timeout' })
  })
})
