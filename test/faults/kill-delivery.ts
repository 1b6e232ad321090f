import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createRandom, type Random } from '../../bench/origin/random.ts'
import { defaultAccountSettings } from '../../src/core/account.ts'
import { deliveryDefaults } from '../../src/core/profile.ts'
import { accountDraft } from '../../src/store/conformance/accounts/accounts-suite.testkit.ts'
import { draftOf, nothing } from '../../src/store/conformance/annotations-suite.testkit.ts'
import { type OpenStores, openOne, type StoreSystem } from '../../src/store/conformance/engine.testkit.ts'
import { keyedOf } from '../../src/store/conformance/profiles-suite.testkit.ts'
import { pageOf } from '../../src/store/conformance/samples.testkit.ts'
import { openPool } from '../../src/store/postgres/connection/pool.ts'
import { migrate } from '../../src/store/postgres/schema/migrate.ts'
import { startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { createPostgresSystem, postgresEngine } from '../../src/store/postgres/testkit/store.testkit.ts'
import { createSqliteSystem, sqliteEngine } from '../../src/store/sqlite/testkit/store.testkit.ts'
import { type EraceProcess, lastLines, startErace } from '../kit/erace.ts'
import { inFolder, runAlone, timed } from './experiment.ts'

/**
 * `erace up` on a data folder, or `erace serve` on PostgreSQL, sends annotations to webhooks and is killed repeatedly between sending a
 * message and recording it: when the receiver has read the whole message but not answered yet, when it has just answered, or a moment
 * later. In the end all work is completed. Nothing may be lost, and repeated messages must have the same id.
 */
const defaults = {
  engine: 'both',
  rounds: 50,
  seed: 1,
  channels: 3,
  /** Annotations added per round, for every channel. */
  perRound: 3,
  patienceMs: 60_000,
  keep: false,
}
type KillDeliveryOptions = typeof defaults

const moments = ['before the answer', 'with the answer', 'after the answer'] as const
type Moment = (typeof moments)[number]
const idle = 'with nothing left'

function newReport(engine: string) {
  return {
    engine,
    rounds: 0,
    kills: { 'before the answer': 0, 'with the answer': 0, 'after the answer': 0, [idle]: 0 },
    annotations: 0,
    /** Complete requests, answered or not. */
    requests: 0,
    messages: 0,
    digests: 0,
    /** Requests beyond one per message. */
    repeats: 0,
    /** Annotations that a channel never received. */
    lost: 0,
    /** Annotations that arrived on one channel in messages with different ids. */
    underTwoIds: 0,
    faults: [] as string[],
  }
}
type KillReport = ReturnType<typeof newReport>

/** The kill of a round comes at a random request, up to this many per channel. */
const MAX_REQUESTS = 3

/** A store, and the process that delivers from it. */
type World = {
  name: string
  system: StoreSystem
  stores: OpenStores
  start(): EraceProcess
  destroy(): Promise<void>
}

type Experiment = KillDeliveryOptions & {
  world: World
  receiver: Receiver
  random: Random
  /** Versions without an annotation yet. */
  pages: { documentId: number; id: number }[]
  report: KillReport
}

export async function runKillDelivery(given: Partial<KillDeliveryOptions> = {}) {
  const options = { ...defaults, ...given }
  return timed(async () => {
    const reports: KillReport[] = []
    if (options.engine !== 'cluster')
      reports.push(await inFolder('kill-delivery', options.keep, (folder) => runOn(options, embedded(folder))))
    if (options.engine !== 'embedded') reports.push(await runOn(options, cluster()))
    return { reports, faults: reports.flatMap(({ engine, faults }) => faults.map((fault) => `${engine}: ${fault}`)) }
  })
}

async function runOn(options: KillDeliveryOptions, opening: Promise<World>): Promise<KillReport> {
  const world = await opening
  const receiver = await startReceiver()
  const report = newReport(world.name)
  try {
    const pages = await prepare(world, receiver, options)
    const random = createRandom(options.seed)
    const experiment: Experiment = { ...options, world, receiver, random, pages, report }
    while (report.rounds < options.rounds && report.faults.length === 0) await round(experiment)
    await complete(experiment)
    await check(experiment)
    return report
  } finally {
    await receiver.close()
    world.stores.close()
    await world.destroy()
  }
}

/** Connections to the receiver must be allowed; nothing is fetched. */
const settings = {
  ERACE_DELIVERY_ALLOW: '127.0.0.0/8',
  ERACE_SERVER_PORT: '0',
  ERACE_SEARCH_INDEX: 'false',
  ERACE_CRAWL_THREADS: '1',
  ERACE_ANNOTATE_PROCESSORS: '1',
}

async function embedded(folder: string): Promise<World> {
  const data = join(folder, 'data')
  const system = createSqliteSystem({}, data)
  await (await system.leases.acquire('test')).release()
  return {
    ...{ name: 'SQLite, erace up', system, stores: sqliteEngine.openStores(system) },
    start: () => startErace(['up', '--json', '--data', data], settings),
    destroy: () => system.destroy(),
  }
}

async function cluster(): Promise<World> {
  const server = await startPostgres()
  const address = await server.createDatabase('erace')
  const pool = openPool({ address, maxConnections: 2, name: 'experiment' })
  await migrate(pool)
  const system = await createPostgresSystem({}, { address, pool, destroy: () => pool.close() })
  const env = { ...settings, ERACE_STORE: address, ERACE_CLUSTER_LEASE: '2s' }
  return {
    ...{ name: 'PostgreSQL, erace serve', system, stores: postgresEngine.openStores(system) },
    start: () => startErace(['serve', '--json'], env),
    async destroy() {
      await system.destroy()
      await server.end()
    },
  }
}

const channelOf = (n: number): string => `c_${n}`

/** Stores a page for each future annotation, and the channels of `ann`'s profile to the receiver. */
async function prepare(
  { system, stores }: World,
  receiver: Receiver,
  { channels, rounds, perRound }: KillDeliveryOptions,
): Promise<{ documentId: number; id: number }[]> {
  const shard = await openOne(system)
  const host = system.hostOf(0, 0)
  const count = rounds * perRound
  const pages = Array.from({ length: count }, (_, n) => pageOf(host, `/${n}`, `page ${n}`, { title: `Page ${n}` }))
  await shard.documents.record(pages)
  const versions = await shard.versions.versions({ after: 0, limit: count })
  await system.close()
  await stores.accounts.add(accountDraft('ann', { settings: defaultAccountSettings }))
  const names = Array.from({ length: channels }, (_, n) => channelOf(n))
  for (const id of names) {
    const hook = { url: `${receiver.url}/${id}`, format: 'json', secret: 'whsec_c2VjcmV0' }
    await stores.channels.add({ id, owner: 'ann', kind: 'webhook', name: id, settings: hook, createdAt: Date.now() })
  }
  const delivery = { ...deliveryDefaults, channels: names }
  await stores.profiles.put([keyedOf('p', 'ann', [], { amount: 'change', delivery })])
  return versions.map(({ documentId, id }) => ({ documentId, id }))
}

async function round(experiment: Experiment): Promise<void> {
  const { world, receiver, random, patienceMs, channels, report } = experiment
  report.rounds++
  const moment = moments[random.below(moments.length)]!
  const isEarly = random.below(2) === 0
  if (isEarly) await annotate(experiment)
  const process = world.start()
  const killed = receiver.killAt({ moment, request: 1 + random.below(MAX_REQUESTS * channels), process, random })
  if (!isEarly) {
    await process.ready()
    await annotate(experiment)
  }
  // With digests, there may be fewer requests than the number it waits for.
  const isIdle = await reached(experiment, process)
  if (isIdle) process.child.kill('SIGKILL')
  const end = await process.endWithin(patienceMs)
  receiver.spare()
  if (end.signal !== 'SIGKILL')
    report.faults.push(`round ${report.rounds}: ended with ${end.exitCode}: ${lastLines(end)}`)
  else if (killed()) report.kills[moment]++
  else if (isIdle) report.kills[idle]++
  else report.faults.push(`round ${report.rounds}: it does not complete its work: ${lastLines(end)}`)
}

/** Whether it has sent everything; false if it ends before or times out. */
async function reached({ world, channels, patienceMs }: Experiment, process: EraceProcess): Promise<boolean> {
  const { deliveries } = world.stores
  const names = Array.from({ length: channels }, (_, n) => channelOf(n))
  const endAt = performance.now() + patienceMs
  while (process.isRunning() && performance.now() < endAt) {
    if ((await deliveries.unplanned(1)).length === 0 && (await deliveries.waitingCounts(names)).size === 0) return true
    await pause(20)
  }
  return false
}

async function annotate({ world, pages, channels, perRound, report }: Experiment): Promise<void> {
  const to = Array.from({ length: channels }, (_, n) => channelOf(n))
  const drafts = pages
    .splice(0, perRound)
    .map(({ documentId, id }) =>
      draftOf(documentId, id, { owner: 'ann', profile: 'p', urgency: 1, at: Date.now(), channels: to }),
    )
  report.annotations += (await world.stores.annotations.commit({ ...nothing, annotations: drafts })).length
}

/** The last process sends everything that is left. */
async function complete(experiment: Experiment): Promise<void> {
  const { world, patienceMs, report } = experiment
  const process = world.start()
  await process.ready()
  if (!(await reached(experiment, process))) report.faults.push('it does not complete its work')
  process.child.kill('SIGTERM')
  const end = await process.endWithin(patienceMs)
  if (end.exitCode !== 0) report.faults.push(`ended with ${end.exitCode ?? end.signal}: ${lastLines(end)}`)
}

async function check({ world, receiver, channels, report }: Experiment): Promise<void> {
  const { received } = receiver
  const byId = Map.groupBy(received, ({ id }) => id)
  report.requests = received.length
  report.messages = byId.size
  report.digests = [...byId.values()].filter(([first]) => first!.annotations.length > 1).length
  report.repeats = received.length - byId.size
  for (const [id, same] of byId)
    if (new Set(same.map(({ channel, annotations }) => `${channel} ${annotations}`)).size > 1)
      report.faults.push(`${id} is not the same message each time`)
  const all = (await world.stores.annotations.list({ after: 0, limit: 1_000_000 })).map(({ id }) => id)
  for (let n = 0; n < channels; n++) {
    const mine = received.filter(({ channel }) => channel === channelOf(n))
    const idsOf = new Map<number, Set<string>>(all.map((annotation) => [annotation, new Set()]))
    for (const { id, annotations } of mine) for (const annotation of annotations) idsOf.get(annotation)!.add(id)
    report.lost += [...idsOf.values()].filter((ids) => ids.size === 0).length
    report.underTwoIds += [...idsOf.values()].filter((ids) => ids.size > 1).length
    const order = [...new Set(mine.flatMap(({ annotations }) => annotations))]
    if (order.some((annotation, at) => at > 0 && annotation < order[at - 1]!))
      report.faults.push(`${channelOf(n)} got its annotations out of order`)
  }
  const log = await world.stores.deliveries.messages('ann', { state: 'sent' }, { before: null, limit: 1_000_000 })
  if (log.length !== byId.size) report.faults.push(`${byId.size} messages came, and ${log.length} are in the log`)
  if (report.lost > 0) report.faults.push(`${report.lost} annotations were lost`)
  if (report.underTwoIds > 0) report.faults.push(`${report.underTwoIds} annotations came under two ids`)
  // Messages without an answer can't have been recorded as sent.
  if (report.repeats < report.kills['before the answer'])
    report.faults.push(`${report.kills['before the answer']} messages had no answer, and ${report.repeats} came again`)
}

type Request = { channel: string; id: string; annotations: number[] }
type Kill = { moment: Moment; request: number; process: EraceProcess; random: Random }
type Receiver = Awaited<ReturnType<typeof startReceiver>>

const MAX_LATE_MS = 20

/** Answers everything, and kills the sender of the planned request. */
async function startReceiver() {
  const received: Request[] = []
  let plan: (Kill & { left: number; isDone: boolean }) | null = null
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    // An incomplete request from a killed sender doesn't count.
    request.on('error', () => {})
    for await (const piece of request) pieces.push(piece)
    const { id, data } = JSON.parse(Buffer.concat(pieces).toString()) as { id: string; data: { id: number }[] }
    received.push({ channel: request.url!.slice(1), id, annotations: data.map((item) => item.id) })
    const now = plan !== null && --plan.left === 0 ? plan : null
    const kill = (): void => {
      now!.isDone = true
      now!.process.child.kill('SIGKILL')
    }
    if (now?.moment === 'before the answer') return kill()
    response.end('ok')
    if (now?.moment === 'with the answer') kill()
    if (now?.moment === 'after the answer') setTimeout(kill, now.random.below(MAX_LATE_MS))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** Plans a kill; the returned function tells whether it happened. */
    killAt(kill: Kill): () => boolean {
      const mine = { ...kill, left: kill.request, isDone: false }
      plan = mine
      return () => mine.isDone
    },
    spare(): void {
      plan = null
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function tableOf(reports: readonly KillReport[]): string {
  const columns = ['annotations', 'messages', 'digests', 'requests', 'repeats', 'lost', 'underTwoIds'] as const
  const times = [...moments, idle] as const
  const head = ['engine', 'kills', ...times.map((time) => `… ${time}`), ...columns]
  const rows = reports.map(({ engine, rounds, kills, ...counts }) =>
    [engine, rounds, ...times.map((time) => kills[time]), ...columns.map((name) => counts[name])].join(' | '),
  )
  return [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |\n`).join('')
}

if (import.meta.main)
  await runAlone(defaults, async (given) => {
    const report = await runKillDelivery(given)
    process.stderr.write(tableOf(report.reports))
    return report
  })
