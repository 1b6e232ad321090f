import type { Clock } from '../../core/clock.ts'
import type { QueuedRequest } from '../../core/request.ts'
import type { DocumentStore } from '../../store/documents.ts'
import type { FrontierStore } from '../../store/frontier.ts'
import type { Board, ShardFigures } from '../board.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import { createFrontier } from '../frontier/frontier.ts'
import type { Lane } from '../frontier/lane.ts'
import type { PolitenessRules } from '../frontier/politeness.ts'
import { createBatch, type Failure, type Finished } from './batch.ts'
import { createConclude } from './conclude.ts'
import type { LinkPipe } from './link-pipe.ts'
import type { ReadOptions } from './read-response.ts'
import type { RobotsGate } from './robots-gate.ts'
import type { Tally } from './tally.ts'
import { createVisit } from './visit.ts'
import { noteGivenUp, noteNews } from './watch-news.ts'
import type { Watches } from './watches.ts'

/**
 * A shard crawls the hosts of its partitions and shares nothing with the others but the board. It is
 * - running: takes requests as long as hosts are ready and fetchers free;
 * - stopping (`stop`): takes no more, waits for what is in hand, keeps it;
 * - stopped: everything it learnt is in the store.
 * A fetcher is busy from the moment a request is taken until its result is kept. So `fetchers` also bounds what a
 * killed process repeats.
 */
export type Shard = {
  start(): Promise<void>
  stop(): Promise<void>
  /** Rejects when the store failed for good. */
  readonly failed: Promise<never>
}

export type ShardDeps = {
  store: FrontierStore
  documents: DocumentStore
  fetcher: Fetcher
  gate: RobotsGate | null
  pipe: LinkPipe
  board: Board
  figures: ShardFigures
  tally: Tally
  clock: Clock
  watches: Watches
  /** There may be news of watches. */
  onNews(): void
  /** Where a request would connect to; empty where that can't be told. */
  addressOf(url: string): Promise<string>
  log(level: 'debug' | 'info' | 'warn', message: string, fields?: Record<string, unknown>): void
}

export type ShardSettings = {
  rules: PolitenessRules
  perHost: number
  perAddress: number
  fetchers: number
  bufferRows: number
  maxAttempts: number
  maxRedirects: number
  maxCrawlDelayMs: number
  looksBack: boolean
  fullCheckAfter: number
  reading: ReadOptions
  agent: string
}

/** Nobody wants it any more. */
const orphaned = { kind: 'dropped' } as const

const MAX_LANES = 4096
const ADDRESS_WAIT_MS = 20
const HELD_MS = 100

export function createShard(deps: ShardDeps, settings: ShardSettings): Shard {
  const { store, documents, board, figures, tally, clock, log } = deps
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => {}) // whoever asks for it sees it; until then it must not end the process
  const frontier = createFrontier({
    store,
    clock,
    rules: settings.rules,
    perHost: settings.perHost,
    bufferRows: settings.bufferRows,
    maxLanes: MAX_LANES,
    onError: fail,
  })
  const crawlDelays = new Map<string, number>()
  const inHand = new Set<bigint>()
  const givenUp = new WeakSet<Lane>()
  const visit = createVisit({
    ...settings,
    ...deps,
    run: settings.reading.run,
    onCrawlDelay: (host, delayMs) => crawlDelays.set(host, delayMs),
  })
  const conclude = createConclude({ documents, pipe: deps.pipe, figures, tally, log, settings })
  const batch = createBatch({
    documents,
    frontier,
    store,
    maxItems: Math.max(1, Math.min(128, Math.floor(settings.fetchers / 2))),
    maxBytes: 4 << 20,
    maxWaitMs: 20,
    onOffered: deps.pipe.offered,
    onOutcome(finished, outcome) {
      if (outcome?.kind === 'stored') figures.add('stored')
      else if (outcome?.kind === 'duplicate') figures.add('duplicates')
      else if (outcome?.kind === 'unchanged') figures.add(outcome.duplicate ? 'duplicates' : 'unchanged')
      else if (outcome?.kind === 'incomplete') figures.add('failed')
      if (finished.request.errand.watch > 0 && !finished.again) noteNews(deps.watches, finished, outcome)
      inHand.delete(finished.request.fp)
    },
    onKept(count, { removed, limited, watches }) {
      held -= count
      figures.add('skipped.limit', limited)
      board.addOutstanding(-removed)
      deps.watches.addQueued(watches)
      deps.onNews()
      showCounts()
      pump()
    },
    onPause(reason) {
      figures.set('paused', reason === null ? 0 : 1)
      if (reason === pausedBy) return
      pausedBy = reason
      if (reason === null) log('info', 'the store takes writes again, the crawl goes on')
      else log('warn', `the crawl waits: ${reason}`)
    },
    onError: fail,
    retryAfter: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    isStopping: () => board.isStopped(),
  })
  const answered: (() => void)[] = []
  let held = 0
  let pausedBy: string | null = null
  let running = false
  let timer: NodeJS.Timeout | null = null
  let idle: (() => void) | null = null

  /** Answers that came together are read together, one after the other: the code that reads stays in the processor's caches. */
  function inTurn(): Promise<void> {
    return new Promise((resolve) => {
      if (answered.push(resolve) === 1) setImmediate(readAnswered)
    })
  }

  function readAnswered(): void {
    for (const resume of answered.splice(0)) resume()
  }

  let pumping = false
  function pumpSoon(): void {
    if (pumping) return
    pumping = true
    setImmediate(() => {
      pumping = false
      pump()
    })
  }

  function pump(): void {
    while (running && held < settings.fetchers && !board.isStopped() && !board.isHeld()) {
      const taken = frontier.take()
      if (taken === null) break
      begin(taken.lane, taken.request)
    }
    figures.set('inFlight', held)
    if (held === 0) idle?.()
    if (running) sleepUntilDue()
  }

  function begin(lane: Lane, request: QueuedRequest): void {
    if (inHand.has(request.fp) || (lane.address !== '' && !board.takeAddress(lane.address, settings.perAddress))) {
      lane.nextAt = Math.max(lane.nextAt, clock.monotonic() + ADDRESS_WAIT_MS)
      frontier.putBack(lane, request)
      return
    }
    if (!board.takePage()) {
      if (lane.address !== '') board.returnAddress(lane.address)
      lane.nextAt = clock.monotonic() + 200
      frontier.putBack(lane, request)
      return
    }
    held++
    inHand.add(request.fp)
    run(lane, request, lane.address).catch(fail)
  }

  async function run(lane: Lane, request: QueuedRequest, known: string): Promise<void> {
    // The first request of a host counts against its address too, and then nothing of its address is known yet.
    const address = known === '' ? await deps.addressOf(request.url) : known
    lane.address = address
    if (address !== known && !board.takeAddress(address, settings.perAddress)) {
      lane.nextAt = Math.max(lane.nextAt, clock.monotonic() + ADDRESS_WAIT_MS)
      frontier.putBack(lane, request)
      held--
      inHand.delete(request.fp)
      board.returnPage()
      return pump()
    }
    const { watch } = request.errand
    const isOrphan = watch > 0 && !deps.watches.has(watch)
    const result = isOrphan ? orphaned : await visit(request)
    if (address !== '') board.returnAddress(address)
    lane.crawlDelayMs = crawlDelays.get(lane.host) ?? lane.crawlDelayMs
    crawlDelays.delete(lane.host)
    if ('response' in result) lane.address = result.response.address
    if (result.kind === 'postponed') {
      frontier.postpone(lane, request, result.signal)
      held--
      inHand.delete(request.fp)
      board.returnPage()
      return pump()
    }
    const signal = 'signal' in result ? result.signal : ({ kind: 'untouched' } as const)
    if (signal.kind !== 'untouched') tally.hostTime(lane.host, signal.totalMs)
    const verdict = frontier.release(lane, signal)
    // The host goes on with its next request while this one is read.
    pumpSoon()
    if (!('response' in result) && !('status' in result && result.status > 0)) board.returnPage()
    await inTurn()
    const { capture, offers, again: wanted, skipped, failure } = await conclude(request, result)
    // A host that was given up, for this request or another, is not asked again.
    const again = wanted && verdict !== 'given-up' && !givenUp.has(lane)
    if (wanted && !again) countLost(lane.host, 1)
    batch.add({
      lane,
      request: again ? { ...request, attempts: request.attempts + 1 } : request,
      capture,
      offers,
      again,
      skipped,
      failure,
    } satisfies Finished)
    if (verdict !== 'goes-on') await noteTrouble(lane, verdict, request, failure)
  }

  async function noteTrouble(
    lane: Lane,
    verdict: 'rests' | 'given-up',
    request: QueuedRequest,
    failure: Failure | undefined,
  ): Promise<void> {
    const { host, failures, rests } = lane
    if (verdict === 'rests') {
      tally.hostRests(host, failures)
      log('warn', 'host rests after failures', { host, failures, rests })
      return
    }
    givenUp.add(lane)
    frontier.drop(lane)
    const { dropped, counted, watches } = await batch.persist(async () => {
      // What is in flight or waits to be kept counts by itself, but for what was to be tried again.
      const counted = lane.inFlight + lane.unsettled - batch.againOf(lane)
      return { ...(await store.giveUp(lane.id)), counted }
    })
    noteGivenUp(deps.watches, watches, request, failure)
    deps.onNews()
    board.addOutstanding(-dropped)
    countLost(host, Math.max(0, dropped - counted))
    log('warn', 'host given up for this run', { host, failures, dropped })
    showCounts()
  }

  function countLost(host: string, requests: number): void {
    figures.add('failed', requests)
    tally.failure('host-given-up', requests)
    tally.hostGivenUp(host, requests)
  }

  function showCounts(): void {
    const { queued, seen } = store.counts()
    figures.set('queued', queued)
    figures.set('seen', seen)
    const { active, resting } = frontier.counts()
    figures.set('activeHosts', active)
    figures.set('restingHosts', resting)
  }

  function sleepUntilDue(): void {
    const due = frontier.nextDueAt()
    if (timer !== null) clearTimeout(timer)
    if (board.isHeld()) timer = setTimeout(pump, HELD_MS)
    else timer = due === undefined ? null : setTimeout(pump, Math.max(1, due - clock.monotonic()))
  }

  store.onArrival((arrivals) => {
    // Before the pages that these links stand on are taken off: the board must never show zero in between.
    for (const { rows } of arrivals) board.addOutstanding(rows.length)
    frontier.arrive(arrivals)
  })
  frontier.onReady(pump)

  return {
    failed,
    async start() {
      board.addOutstanding(store.counts().queued)
      showCounts()
      running = true
      await frontier.wake()
      pump()
    },
    async stop() {
      running = false
      if (timer !== null) clearTimeout(timer)
      timer = null
      while (held > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        idle = resolve
        await Promise.race([batch.flush(), failed])
        if (held > 0) await Promise.race([promise, failed])
      }
      idle = null
      await batch.flush()
      showCounts()
    },
  }
}
