import { noCheck, type Offer, type QueuedRequest, queuedRequest, UNLIMITED_DEPTH } from '../../../core/request.ts'
import { toBigInt } from '../../../core/url/url-key.ts'
import { isTemporary } from '../../../core/work/retry.ts'
import type {
  Arrival,
  CompletedRequests,
  CompletionCounts,
  FrontierStore,
  HostState,
  KeptRobots,
  KeptTables,
  OfferCounts,
} from '../../contracts/frontier.ts'
import { addCounts, addWatch, raisedPriority, riseNumbers, risesOf, seenKey } from '../../rules/offers.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { frontierMigrations } from '../folder/schema-frontier.ts'
import { createDroppedLinks } from './dropped-links.ts'
import type { Exchange } from './exchange.ts'
import { openFacts } from './frontier-facts.ts'
import { createHostTable, type HostEntry, hostColumns } from './host-table.ts'

export type SqliteFrontierOptions = {
  path: string
  run: number
  shard: number
  /** The shard that owns a host. */
  ownerOf(host: string): number
  exchange: Exchange
  /** Maximum number of URLs accepted per host and run. */
  maxUrlsPerHost: number
  cacheKib?: number
}

/**
 * The frontier in one SQLite file. `seen` has a row for every URL ever accepted, keyed by host and fingerprint so that
 * a host's URLs are adjacent; its `run` tells whether that was in the current run. `queue` has a row for every request
 * that is not done, keyed by host, priority and order of arrival, so that the head of a host's queue is one seek away.
 */
export function createSqliteFrontier(options: SqliteFrontierOptions): FrontierStore {
  const { path, run, shard, ownerOf, exchange, maxUrlsPerHost } = options
  const db = openDatabase(path, {
    migrations: frontierMigrations,
    mustExist: true,
    cacheKib: options.cacheKib ?? 8_192,
  })
  const facts = openFacts(db, run)
  const hosts = createHostTable(db, run)
  const sql = prepareStatements(db)
  const dropped = createDroppedLinks(db, run)
  let notify: (arrivals: readonly Arrival[]) => void = () => {}

  /** Runs in a transaction. */
  function enqueue(host: HostEntry, offer: Offer, attempts: number, arrivals: Arrivals): void {
    const seq = ++facts.seq
    const { fp, depth, hops, redirects, priority, url, parent, check } = offer
    const { watch, round, freshFrom, since, first } = check
    const { id } = host
    if (watch === 0 && offer.rises === undefined)
      sql.enqueue.run(id, priority, seq, fp, depth, hops, redirects, attempts, url, parent)
    else
      sql.enqueueWhole.run(
        id,
        priority,
        seq,
        fp,
        depth,
        hops,
        redirects,
        attempts,
        url,
        parent,
        watch,
        round,
        freshFrom,
        since,
        first ? 1 : 0,
        riseNumbers[offer.rises ?? 'none'],
      )
    host.queued++
    facts.queued++
    hosts.touch(host)
    arrivalsOf(arrivals, host).rows.push(queuedRequest(offer, { hostId: id, seq, attempts }))
  }

  /** Runs in a transaction. Does nothing if the URL is no longer queued. */
  function raise(host: HostEntry, offer: Offer, arrivals: Arrivals): void {
    const found = sql.rising.get(host.id, offer.fp) as unknown as QueueRow | undefined
    if (found === undefined) return
    const row = requestOf(found, host.id, host.host)
    const priority = raisedPriority(row.priority, offer)
    if (priority === row.priority) return
    sql.raise.run(priority, host.id, row.priority, row.seq)
    arrivalsOf(arrivals, host).raised.push(queuedRequest({ ...row, priority }, row))
  }

  function isKnown(host: HostEntry, fp: bigint, round: number, depth: number): 'no' | 'yes' | 'shallower' {
    const row = sql.seen.get(host.id, fp) as { run: number; depth: number } | undefined
    if (row === undefined || row.run !== round) return 'no'
    return row.depth < depth ? 'shallower' : 'yes'
  }

  function accept(offer: Offer, counts: OfferCounts, arrivals: Arrivals): void {
    const host = hosts.named(offer.host)
    const { watch } = offer.check
    if (watch > 0 && offer.parent === '') hosts.revive(host)
    const full = host.givenUp || (watch === 0 && host.accepted >= maxUrlsPerHost)
    if (watch === 0 && offer.depth !== UNLIMITED_DEPTH) facts.limited = run
    const round = watch === 0 ? run : offer.check.round
    const fp = seenKey(offer.fp, watch, offer.visit)
    // If no depth in this run was limited, no URL is ever offered with a greater depth: one upsert both tests and inserts.
    if (watch > 0 || facts.limited === run || full) {
      const known = isKnown(host, fp, round, offer.depth)
      if (known === 'yes') counts.known++
      else if (full) counts.limited++
      if (known === 'yes' && offer.rises !== undefined) raise(host, offer, arrivals)
      if (known === 'yes' || full) return
      if (known === 'shallower') {
        host.accepted--
        facts.seen--
      }
    }
    if (sql.see.run(host.id, fp, round, offer.depth).changes === 0) {
      counts.known++
      if (offer.rises !== undefined) raise(host, offer, arrivals)
      return
    }
    host.accepted++
    facts.seen++
    counts.accepted++
    if (watch > 0) addWatch(counts.watches, watch, 1)
    enqueue(host, offer, 0, arrivals)
  }

  /** Keeps hosts and counters in memory consistent with the file, whether `work` succeeds or not. */
  function atomically<T>(work: () => T): T {
    try {
      return db.write(() => {
        if (facts.stale) facts.load()
        const result = work()
        hosts.save()
        facts.save()
        return result
      })
    } catch (error) {
      hosts.forget()
      facts.reload()
      throw error
    }
  }

  function transact(offers: readonly Offer[], rest?: Omit<CompletedRequests, 'offers'>): CompletionCounts {
    const counts = { accepted: 0, known: 0, limited: 0, removed: 0, watches: new Map<number, number>() }
    const arrivals: Arrivals = new Map()
    atomically(() => {
      for (const offer of offers) accept(offer, counts, arrivals)
      if (rest !== undefined) counts.removed = finish(rest, arrivals, counts.watches)
    })
    if (arrivals.size > 0) notify([...arrivals].map(([state, { rows, raised }]) => ({ state, rows, raised })))
    return counts
  }

  function finish(
    { done, again, hosts: clocks }: Omit<CompletedRequests, 'offers'>,
    arrivals: Arrivals,
    watches: Map<number, number>,
  ): number {
    let removed = 0
    for (const request of done) {
      if (dequeue(request) === undefined) continue
      removed++
      addWatch(watches, request.check.watch, -1)
    }
    for (const request of again) {
      const host = dequeue(request)
      if (host === undefined) continue
      removed++
      if (host.givenUp) addWatch(watches, request.check.watch, -1)
      else enqueue(host, request, request.attempts, arrivals)
    }
    for (const clock of clocks) hosts.setClock(clock)
    return removed
  }

  /** Missing rows are not an error: the host was given up, or this batch is a repetition. */
  function dequeue({ hostId, priority, seq, fp, rises }: QueuedRequest): HostEntry | undefined {
    const host = hosts.numbered(hostId)
    let { changes } = sql.dequeue.run(hostId, priority, seq)
    // Its priority may have changed since it was taken.
    if (changes === 0 && rises !== undefined) changes = sql.dequeueRaised.run(hostId, fp, seq).changes
    if (changes === 0 || host === undefined) return undefined
    host.queued--
    facts.queued--
    hosts.touch(host)
    return host
  }

  async function sendAbroad(offers: readonly Offer[]): Promise<{ own: Offer[]; counts: OfferCounts }> {
    const own: Offer[] = []
    const abroad = new Map<number, Offer[]>()
    for (const offer of offers) {
      const owner = ownerOf(offer.host)
      if (owner === shard) own.push(offer)
      else if (abroad.has(owner)) abroad.get(owner)!.push(offer)
      else abroad.set(owner, [offer])
    }
    const counts = { accepted: 0, known: 0, limited: 0, watches: new Map<number, number>() }
    const answers = await Promise.all([...abroad].map(([owner, batch]) => exchange.send(owner, batch)))
    for (const answer of answers) addCounts(counts, answer)
    return { own, counts }
  }

  exchange.serve((offers) => transact(offers))

  return {
    recoveredOf: () => facts.recovered,
    async offer(offers) {
      const { own, counts } = await sendAbroad(offers)
      return own.length === 0 ? counts : addCounts(counts, transact(own))
    },
    async settle(batch) {
      const { own, counts } = await sendAbroad(batch.offers)
      const settled = transact(own, batch)
      return { ...addCounts(counts, settled), removed: settled.removed }
    },
    async hosts(limit, except) {
      return db.read(() => {
        const found: HostState[] = []
        for (const row of sql.waiting.iterate()) {
          const { id } = row as { id: number }
          if (except.has(id)) continue
          found.push(hosts.entryOf(row))
          if (found.length >= limit) break
        }
        return found
      })
    },
    async next(hostId, after, limit) {
      return db.read(() => {
        const host = hosts.numbered(hostId)
        const rows = sql.next.all(hostId, after?.priority ?? -(2 ** 52), after?.seq ?? 0, limit)
        return rows.map((row) => requestOf(row as unknown as QueueRow, hostId, host?.host ?? ''))
      })
    },
    async giveUp(hostId) {
      return atomically(() => {
        const host = hosts.numbered(hostId)
        const watches = new Map<number, number>()
        if (host === undefined) return { dropped: 0, watches }
        for (const row of sql.watchesOfHost.all(hostId) as WatchRow[]) addWatch(watches, row.watch, -row.n)
        const dropped = Number(sql.emptyQueue.run(hostId).changes)
        hosts.giveUp(host)
        facts.queued -= dropped
        return { dropped, watches }
      })
    },
    noteDropped: async (drops) => dropped.note(drops),
    async watches() {
      const rows = db.read(() => sql.watches.all()) as WatchRow[]
      return new Map(rows.map(({ watch, n }) => [watch, n]))
    },
    async loadRobots(origin) {
      const row = db.read(() => sql.robots.get(origin)) as
        | { kind: KeptRobots['kind']; body: Uint8Array; expires_at: number }
        | undefined
      return row === undefined ? null : { kind: row.kind, body: row.body, expiresAt: row.expires_at }
    },
    async saveRobots(origin, { kind, body, expiresAt }) {
      db.write(() => sql.saveRobots.run(origin, kind, body, Math.round(expiresAt)))
    },
    async loadTables(origin) {
      return (db.read(() => sql.tables.get(origin)) as KeptTables | undefined) ?? null
    },
    async saveTables(origin, { kind, expiresAt }) {
      db.write(() => sql.saveTables.run(origin, kind, Math.round(expiresAt)))
    },
    counts: () => ({ queued: facts.queued, seen: facts.seen, ...hosts.counts() }),
    onArrival(listener) {
      notify = listener
    },
    async close() {
      exchange.close()
      facts.clean = 1
      try {
        db.write(() => facts.save())
      } catch (error) {
        // On a full disk only this mark is lost: the next holder assumes that this one was killed, and checks again.
        if (!isTemporary(error)) throw error
      } finally {
        db.close()
      }
    },
  }
}

/** Changes that a transaction made to the queues of hosts. */
type Arrivals = Map<HostEntry, { rows: QueuedRequest[]; raised: QueuedRequest[] }>

function arrivalsOf(arrivals: Arrivals, host: HostEntry): { rows: QueuedRequest[]; raised: QueuedRequest[] } {
  const known = arrivals.get(host)
  if (known !== undefined) return known
  const none = { rows: [], raised: [] }
  arrivals.set(host, none)
  return none
}

type WatchRow = { watch: number; n: number }

/** The columns of a queued request, in order. */
type QueueRow = [
  priority: number,
  seq: number,
  fpHigh: number,
  fpLow: number,
  depth: number,
  hops: number,
  redirects: number,
  attempts: number,
  url: string,
  parent: string,
  watch: number,
  round: number,
  freshFrom: number,
  since: number,
  first: number,
  rises: number,
]

/** All are read as JavaScript numbers; fingerprints, which need all 64 bits, are read in two halves. */
const queueColumns = `priority, seq, fp >> 32, fp & 4294967295, depth, hops, redirects, attempts, url, parent,
  watch, round, fresh_from, since, first, rises`

function requestOf(row: QueueRow, hostId: number, host: string): QueuedRequest {
  const [priority, seq, fpHigh, fpLow, depth, hops, redirects, attempts, url, parent, watch] = row
  const check =
    watch === 0 ? noCheck : { watch, round: row[11], freshFrom: row[12], since: row[13], first: row[14] === 1 }
  const offer: Offer = { url, host, fp: toBigInt(fpHigh, fpLow), parent, depth, hops, redirects, priority, check }
  const rises = row[15] === 0 ? undefined : risesOf(row[15])
  if (rises !== undefined) offer.rises = rises
  return queuedRequest(offer, { hostId, seq, attempts })
}

function prepareStatements(db: Database) {
  // `+ 0` because SQLite makes a plain LIMIT parameter part of the query plan and recompiles the statement whenever it is bound.
  const next = db.prepare(
    `SELECT ${queueColumns} FROM queue
     WHERE host = ? AND (priority, seq) > (?, ?) ORDER BY priority, seq LIMIT ? + 0`,
  )
  next.setReturnArrays(true)
  const rising = db.prepare(`SELECT ${queueColumns} FROM queue WHERE host = ? AND fp = ? AND rises > 0 LIMIT 1`)
  rising.setReturnArrays(true)
  return {
    next,
    rising,
    raise: db.prepare('UPDATE queue SET priority = ? WHERE host = ? AND priority = ? AND seq = ?'),
    dequeueRaised: db.prepare('DELETE FROM queue WHERE host = ? AND fp = ? AND rises > 0 AND seq = ?'),
    seen: db.prepare('SELECT run, depth FROM seen WHERE host = ? AND fp = ?'),
    see: db.prepare(
      `INSERT INTO seen (host, fp, run, depth) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
       SET run = excluded.run, depth = excluded.depth WHERE run <> excluded.run OR depth < excluded.depth`,
    ),
    // The columns for watches and rising priorities are 0 for most requests, which is their default.
    enqueue: db.prepare(
      `INSERT INTO queue (host, priority, seq, fp, depth, hops, redirects, attempts, url, parent)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    enqueueWhole: db.prepare(
      `INSERT INTO queue (host, priority, seq, fp, depth, hops, redirects, attempts, url, parent, watch, round,
       fresh_from, since, first, rises) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    dequeue: db.prepare('DELETE FROM queue WHERE host = ? AND priority = ? AND seq = ?'),
    watchesOfHost: db.prepare('SELECT watch, count(*) AS n FROM queue WHERE host = ? AND watch > 0 GROUP BY watch'),
    watches: db.prepare('SELECT watch, count(*) AS n FROM queue WHERE watch > 0 GROUP BY watch'),
    emptyQueue: db.prepare('DELETE FROM queue WHERE host = ?'),
    waiting: db.prepare(`SELECT ${hostColumns} FROM hosts WHERE queued > 0 ORDER BY next_at`),
    tables: db.prepare('SELECT kind, expires_at AS expiresAt FROM host_tables WHERE origin = ?'),
    saveTables: db.prepare('INSERT OR REPLACE INTO host_tables (origin, kind, expires_at) VALUES (?, ?, ?)'),
    robots: db.prepare('SELECT kind, body, expires_at FROM robots WHERE origin = ?'),
    saveRobots: db.prepare('INSERT OR REPLACE INTO robots (origin, kind, body, expires_at) VALUES (?, ?, ?, ?)'),
  }
}
