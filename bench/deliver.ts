import { AppError } from '../src/core/errors.ts'
import { type PostgresServer, startPostgres } from '../src/store/postgres/testkit/postgres-server.testkit.ts'
import { findFaults } from './deliver/arrivals.ts'
import { type BenchChild, startChild } from './deliver/child.ts'
import type { EngineCalls, EngineData } from './deliver/engine-process.ts'
import { measureOutboxCost, type OutboxCost } from './deliver/outbox-cost.ts'
import type { PlainCalls } from './deliver/plain-process.ts'
import type { SinkCalls } from './deliver/sink-process.ts'
import { type BenchStore, createOpening, type EngineName, engineNames, type OpenStore } from './deliver/stores.ts'
import { addUsers, createNews, messagesOf, type Sinks, type User } from './deliver/users.ts'
import { withFolder } from './measure.ts'
import { type Benchmark, type BenchTable, chosenOf, numbersOf } from './table.ts'

/**
 * Messages of the real engine to local receivers, on both stores. The engine, the receivers and this process, which creates annotations,
 * are separate processes; all share the machine with the database.
 *
 * - Annotations arrive in rounds, `burst` for each user at a time. Half of the users are notified at once, in single messages; a round ends
 *   when all of these have been received. Then the engine's clock advances to the next morning, and the digests of the others are sent.
 * - Digests for many users that are all due at the same moment.
 * - The same receivers with the libraries alone.
 * - The cost of the outbox for creating annotations.
 */
export const optionNames = [
  'users',
  'annotations',
  'burst',
  'digest-users',
  'digest-items',
  'plain',
  'rounds',
  'parts',
  'stores',
]

const parts = ['mixed', 'digests', 'outbox'] as const
const DAY_MS = 86_400_000
/** Start of the engine's clock: an hour after the time of the digests. */
const MORNING = Date.UTC(2026, 2, 2, 9)
const MAX_BATCH = 10_000
const GOAL_OUTBOX = 1.05
/** Pages as in the benchmark `annotate`, and small ones with many watchers, where the store takes most of the time. */
const loads = [
  { pageBytes: 70 * 1024, recipients: 3 },
  { pageBytes: 10 * 1024, recipients: 100 },
]

type Row = {
  store: EngineName
  what: string
  annotations: number
  messages: number
  seconds: number
  /** Time that the libraries alone take for as many posts and mails. */
  plainSeconds: number
  cpuSeconds: number
  /** Statements sent to the database. */
  statements: number
  peakBytes: number
  twice: number
  lost: number
}

type Sizes = Record<'users' | 'rounds' | 'burst' | 'digestUsers' | 'digestItems' | 'plain' | 'outboxRounds', number>
type Receivers = { sink: BenchChild<SinkCalls>; ports: Sinks }
type Arrived = Awaited<ReturnType<SinkCalls['take']>>

export const run: Benchmark = async ({ values }) => {
  const number = numbersOf(values)
  const [users, burst] = [number('users', 1_000), number('burst', 1)]
  const sizes: Sizes = {
    ...{ users, burst, rounds: Math.ceil(number('annotations', 100_000) / users / burst) },
    ...{ digestUsers: number('digest-users', 10_000), digestItems: number('digest-items', 10) },
    ...{ plain: number('plain', 5_000), outboxRounds: number('rounds', 60) },
  }
  const chosen = chosenOf('parts', values.parts, parts)
  const engines = chosenOf('stores', values.stores, engineNames)
  const server = engines.includes('PostgreSQL') ? await startDatabase() : null
  const sink = startChild<SinkCalls>(new URL('./deliver/sink-process.ts', import.meta.url))
  try {
    const receivers = { sink, ports: await sink.call('ports') }
    return await withFolder(async (folder) => {
      const open = createOpening(folder, server)
      const rows: Row[] = []
      const costs: OutboxCost[] = []
      for (const engine of engines) {
        if (chosen.includes('mixed')) rows.push(...(await measureMixed(await open(engine, 'mixed'), receivers, sizes)))
        if (chosen.includes('digests')) rows.push(await measureDigests(await open(engine, 'digests'), receivers, sizes))
        if (chosen.includes('outbox')) costs.push(...(await measureOutbox(open, engine, sizes)))
      }
      return tableOf(rows, costs, sizes)
    })
  } finally {
    await sink.end()
    await server?.end()
  }
}

function startDatabase(): Promise<PostgresServer> {
  return startPostgres({ durable: true, settings: { shared_buffers: '256MB', max_wal_size: '4GB' } })
}

/** Measures a phase of sending; `work` waits until everything is sent. */
async function measurePhase(
  engine: BenchChild<EngineCalls>,
  work: () => Promise<number>,
): Promise<Pick<Row, 'seconds' | 'cpuSeconds' | 'statements' | 'peakBytes'>> {
  const before = await engine.call('usage')
  const seconds = await work()
  const after = await engine.call('usage')
  return {
    ...{ seconds, peakBytes: after.peakBytes, cpuSeconds: after.cpuSeconds - before.cpuSeconds },
    statements: after.statements - before.statements,
  }
}

function startEngine({ target }: BenchStore, { ports }: Receivers): BenchChild<EngineCalls> {
  const data: EngineData = { target, mailPort: ports.mail, aheadMs: MORNING - Date.now() }
  return startChild<EngineCalls>(new URL('./deliver/engine-process.ts', import.meta.url), data)
}

async function measureMixed(store: BenchStore, receivers: Receivers, sizes: Sizes): Promise<Row[]> {
  const { rounds, burst, plain } = sizes
  const users = await addUsers(store, { count: sizes.users, immediate: 'half', sinks: receivers.ports })
  const news = await createNews(store)
  const [atOnce, gathered] = [users.filter(({ isImmediate }) => isImmediate), users.filter((user) => !user.isImmediate)]
  const engine = startEngine(store, receivers)
  const aheadMs = MORNING - Date.now()
  let sent = 0
  const singles = await measurePhase(engine, async () => {
    let seconds = 0
    for (let round = 0; round < rounds; round++) {
      await news.arrive(users, burst, Date.now() + aheadMs)
      sent += atOnce.length * burst
      seconds += await secondsUntilSent(engine, sent)
    }
    return seconds
  })
  const first = await receivers.sink.call('take')
  const singlesPlain = await plainSeconds(receivers, plain, first)
  const digests = await measurePhase(engine, async () => {
    await engine.call('advance', DAY_MS)
    for (const user of gathered) sent += messagesOf(user, user.annotations.length)
    return secondsUntilSent(engine, sent)
  })
  await engine.end()
  const second = await receivers.sink.call('take')
  const rows: Row[] = [
    {
      ...{ store: store.name, what: `at once, ${atOnce.length} users`, ...singles, plainSeconds: singlesPlain },
      ...{ ...countsOf(atOnce, first), ...(await faultsOf(store, atOnce, first)) },
    },
    {
      ...{ store: store.name, what: `digests, ${gathered.length} users`, ...digests },
      plainSeconds: await plainSeconds(receivers, plain, second),
      ...{ ...countsOf(gathered, second), ...(await faultsOf(store, gathered, second)) },
    },
  ]
  await store.close()
  for (const row of rows) report(row)
  return rows
}

async function measureDigests(store: BenchStore, receivers: Receivers, sizes: Sizes): Promise<Row> {
  const { digestUsers: count, digestItems, plain } = sizes
  const users = await addUsers(store, { count, immediate: 'none', sinks: receivers.ports })
  const news = await createNews(store)
  const perBatch = Math.max(1, Math.floor(MAX_BATCH / digestItems))
  for (let from = 0; from < count; from += perBatch)
    await news.arrive(users.slice(from, from + perBatch), digestItems, MORNING)
  const engine = startEngine(store, receivers)
  // Wait until all deliveries are planned, before the first is due.
  while ((await store.stores.deliveries.unplanned(1)).length > 0) await engine.call('usage')
  const phase = await measurePhase(engine, async () => {
    await engine.call('advance', DAY_MS)
    return secondsUntilSent(
      engine,
      users.reduce((sum, user) => sum + messagesOf(user, digestItems), 0),
    )
  })
  await engine.end()
  const arrived = await receivers.sink.call('take')
  const row: Row = {
    ...{ store: store.name, what: `digests, ${count} users`, ...phase },
    plainSeconds: await plainSeconds(receivers, plain, arrived),
    ...{ ...countsOf(users, arrived), ...(await faultsOf(store, users, arrived)) },
  }
  await store.close()
  report(row)
  return row
}

async function secondsUntilSent(engine: BenchChild<EngineCalls>, count: number): Promise<number> {
  const startedAt = performance.now()
  await engine.call('sent', count)
  return (performance.now() - startedAt) / 1000
}

/** Time that the libraries alone take for as many posts and mails of the same size, extrapolated from a sample. */
async function plainSeconds({ sink, ports }: Receivers, sample: number, arrived: Arrived): Promise<number> {
  const { posts, postBytes, mails, mailBytes } = arrived
  const child = startChild<PlainCalls>(new URL('./deliver/plain-process.ts', import.meta.url))
  const post = { port: ports.http, count: sample, bytes: Math.round(postBytes / Math.max(1, posts)) }
  const mail = { port: ports.mail, count: Math.ceil(sample / 4), bytes: Math.round(mailBytes / Math.max(1, mails)) }
  const postSeconds = (await child.call('post', post)) / post.count
  const mailSeconds = (await child.call('mail', mail)) / mail.count
  await child.end()
  await sink.call('take')
  return posts * postSeconds + mails * mailSeconds
}

function countsOf(users: readonly User[], { posts, mails }: Arrived): Pick<Row, 'annotations' | 'messages'> {
  return { annotations: users.reduce((sum, user) => sum + user.annotations.length, 0), messages: posts + mails }
}

function faultsOf({ stores }: BenchStore, users: readonly User[], { channels }: Arrived) {
  return findFaults(stores, users, new Map(channels))
}

async function measureOutbox(open: OpenStore, engine: EngineName, { outboxRounds }: Sizes): Promise<OutboxCost[]> {
  const costs: OutboxCost[] = []
  for (const load of loads) {
    const store = await open(engine, `outbox_${load.recipients}`)
    const cost = await measureOutboxCost(store, { ...load, rounds: outboxRounds })
    await store.close()
    process.stderr.write(`${describeCost(cost)}\n`)
    costs.push(cost)
  }
  return costs
}

function report({ store, what, messages, seconds }: Row): void {
  process.stderr.write(`${store}, ${what}: ${messages} messages in ${seconds.toFixed(1)} s\n`)
}

function describeCost({ store, pageBytes, recipients, on, off }: OutboxCost): string {
  const times = `${off.ms.toFixed(2)} ms without channels, ${on.ms.toFixed(2)} ms with (${(on.ms / off.ms).toFixed(3)} times)`
  const cpu = `processor time ${off.cpuMs.toFixed(2)} and ${on.cpuMs.toFixed(2)} ms (${(on.cpuMs / off.cpuMs).toFixed(3)} times)`
  return `${store}, a change of a ${pageBytes / 1024} KB page that ${recipients} people watch: ${times}; ${cpu}; goal ${GOAL_OUTBOX} times`
}

function tableOf(rows: readonly Row[], costs: readonly OutboxCost[], sizes: Sizes): BenchTable {
  const stats: [string, number][] = rows.flatMap((row): [string, number][] => {
    const key = `${row.store}, ${row.what}`
    return [
      [`${key}: of plain`, row.plainSeconds / row.seconds],
      [`${key}: messages/s`, row.messages / row.seconds],
    ]
  })
  for (const { store, recipients, on, off } of costs)
    stats.push([`${store}, outbox for ${recipients}`, on.cpuMs / off.cpuMs])
  const faults = rows.reduce((sum, { twice, lost }) => sum + twice + lost, 0)
  if (faults > 0) throw new AppError('internal', `${faults} messages or annotations arrived twice or never`)
  return {
    name: 'deliver',
    columns: [
      ...['store', 'what', 'annotations', 'messages', 'seconds', 'messages/s', 'annotations/s', 'plain messages/s'],
      ...['of plain', 'CPU ms/message', 'statements/message', 'peak MB', 'twice', 'lost'],
    ],
    rows: rows.map((row) => [
      ...[row.store, row.what, row.annotations, row.messages, row.seconds, row.messages / row.seconds],
      ...[row.annotations / row.seconds, row.messages / row.plainSeconds, row.plainSeconds / row.seconds],
      ...[(row.cpuSeconds * 1000) / row.messages, row.statements === 0 ? '' : row.statements / row.messages],
      ...[row.peakBytes / 1e6, row.twice, row.lost],
    ]),
    stats: Object.fromEntries(stats),
    notes: [
      `Channels in turn: webhook with JSON, webhook with XML, ntfy, mail, HTTP template. ${sizes.burst} annotations of each user arrive at a time.`,
      'Plain: the same numbers of posts by undici and of mails by nodemailer, of the same mean size, 16 at once.',
      'CPU and memory are those of the process that sends; receivers, database and makers of annotations have their own.',
      ...costs.map(describeCost),
    ],
  }
}
