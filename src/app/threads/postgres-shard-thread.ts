import { type MessagePort, parentPort } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { systemClock } from '../../core/clock.ts'
import { startThreadRetries } from '../../core/work/retries.ts'
import type { Secrets } from '../../crawl/fetch/secrets.ts'
import { assembleShard, maxUrlsPerHost } from '../../crawl/worker/assemble.ts'
import {
  createClusterShard,
  createResultSender,
  createScopeMemory,
  createStoreCalls,
} from '../../crawl/worker/cluster-shard.ts'
import { createClusterCoordination } from '../../crawl/worker/coordination.ts'
import { createLeaseTable } from '../../crawl/worker/lease-transfer.ts'
import { measureBusyness, type ServedShard, type ShardPort, serveShard } from '../../crawl/worker/shard-thread.ts'
import { type CounterMemory, openSharedCounters, type ShardStats } from '../../crawl/worker/shared-counters.ts'
import { createCredentialsKey } from '../../services/credentials/credentials-key.ts'
import { createSecretOpener } from '../../services/credentials/secret-opener.ts'
import { type EpochMemory, type HeldEpochs, openEpochs } from '../../store/contracts/cluster/held-epochs.ts'
import type { LeaseListener, PartitionLeases } from '../../store/contracts/cluster/partition-leases.ts'
import { createPostgresCredentials } from '../../store/postgres/accounts/source-credentials.ts'
import type { RecordKeeper } from '../../store/postgres/archive/record-keeper.ts'
import { createPostgresCrawlScopes, scopesChannel } from '../../store/postgres/cluster/crawl-scopes.ts'
import { createPostgresCrawlPages } from '../../store/postgres/cluster/crawls.ts'
import { createPostgresEvents } from '../../store/postgres/cluster/events.ts'
import { createPostgresCheckResults } from '../../store/postgres/cluster/schedule.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import { openPool, type PostgresPool } from '../../store/postgres/connection/pool.ts'
import { partitionOfId } from '../../store/postgres/connection/row-batch.ts'
import { createPostgresDocuments } from '../../store/postgres/documents/documents.ts'
import { createPostgresFrontier } from '../../store/postgres/frontier/frontier.ts'
import { createPostgresWalks } from '../../store/postgres/frontier/walks.ts'
import { createPartitionLeases, leasesChannel } from '../../store/postgres/leases/leases.ts'
import { openObjectWriter } from '../engines/object-backends.ts'
import { openShardProtocols } from '../shard-protocols.ts'
import { keptVersionsOf } from './kept-versions.ts'
import type { ShardModules } from './module-use.ts'
import { openOutlet } from './outlet.ts'

/**
 * One shard of a worker, in a thread of its own, on the cluster's database. Its leases are also renewed and monitored here, so that this
 * happens in time even if the other threads are busy.
 */
export type PostgresShardData = {
  address: string
  settings: CrawlSettings
  node: string
  name: string
  index: number
  shards: number
  run: number
  looksBack: boolean
  seed: readonly [number, number]
  memory: CounterMemory
  epochs: EpochMemory
  modules: ShardModules | null
  /** For pages that another shard reads. */
  readers: (MessagePort | null)[]
}

const SHOW_EVERY_MS = 200
/** Connections in addition to those that write: one listens, one reads, one is for heartbeats only. */
const OTHER_CONNECTIONS = 3
/** Timeout of a heartbeat, as a share of the lease: shorter than the third after which the next one is due. */
const BEAT_WITHIN = 0.3

async function open({ log, send, fail }: ShardPort, given: PostgresShardData): Promise<ServedShard> {
  const { settings, index, shards, run, looksBack, seed, address, node, ...data } = given
  const { cluster, crawl } = settings.config
  const protocols = await openShardProtocols(settings.config, [])
  const counters = openSharedCounters(data.memory)
  const stats = counters.shard(index)
  const retries = startThreadRetries(systemClock, (waiting) => {
    stats.set('paused', waiting.length > 0 ? 1 : 0)
    send({ kind: 'waiting', waiting })
  })
  const calls = createStoreCalls(retries)
  let isStopping = false
  const mayNotWait = (): boolean => isStopping || counters.isStopped()
  const { pool, beats } = openPools(address, `erace ${data.name} shard ${index}`, cluster)
  const clock = await calls.untilDone('comparing clocks', () => createDatabaseClock(pool, systemClock))
  const events = createPostgresEvents({ pool, track: retries.track('listening') })
  // The shard that listens to its leases is created after their store. No lease changes before the shard is started.
  const listener: LeaseListener = {
    granted: (grants) => clusterShard.listener.granted(grants),
    wanted: (partitions) => clusterShard.listener.wanted(partitions),
    lost: (partitions) => clusterShard.listener.lost(partitions),
  }
  const leases = createPartitionLeases({
    ...{ pool: beats, node, name: data.name, shard: index, clock: systemClock, listener },
    leaseMs: cluster.leaseMs,
    renewEveryMs: cluster.leaseMs / 3,
    track: retries.track('renewing leases'),
  })
  const table = createLeaseTable({
    partitionOf: partitionOfId,
    isHeld: (partition, epoch) => leases.epochOf(partition) === epoch,
  })
  const store = createPostgresFrontier({
    ...{ pool, events, run, maxUrlsPerHost: maxUrlsPerHost(crawl), onLost: listener.lost },
    track: retries.track('looking for new requests'),
  })
  const bodies = openObjectWriter(pool, settings.config, `${data.name}-${index}`)
  const documents = openDocuments(pool, bodies.keeper, { leases, epochs: openEpochs(data.epochs) })
  const scopes = createScopeMemory(createPostgresCrawlScopes(pool))
  const results = createPostgresCheckResults(pool)
  const sender = createResultSender({ results, calls, isStopping: mayNotWait, onFailed: fail })
  const parts = await assembleShard(settings, {
    ...{ index, shards, run, looksBack, seed, store, documents, counters, clock, log, retries, logsPauses: false },
    ...keptVersionsOf(pool, bodies.objects, (read) =>
      calls.untilDone('reading a kept version', read, { isStopping: mayNotWait }),
    ),
    ...{ protocols, outlet: openOutlet(data.modules, index) },
    ...{ secrets: openSecrets(pool, settings), walks: createPostgresWalks(pool), readers: data.readers },
    coordinate: (given) =>
      createClusterCoordination({
        ...given,
        leases: table,
        parallel: Math.max(1, cluster.connections - OTHER_CONNECTIONS),
        learn: scopes.learn,
        sendResults: sender.send,
        onResults: sender.sendLate,
        pages: createPostgresCrawlPages(pool),
      }),
  })
  parts.shard.failed.catch(fail)
  const clusterShard = createClusterShard({
    ...{ parts, leases, table, partitions: store, epochs: openEpochs(data.epochs), scopes, sender, events },
    channels: { leases: leasesChannel, scopes: scopesChannel },
    adjustClock: async () => void (await clock.adjust()),
    ...{ calls, retries, log, onFailed: fail },
  })

  return {
    async start() {
      await clusterShard.start()
      measureBusyness(stats)
      setInterval(() => showTraffic([pool, beats], stats), SHOW_EVERY_MS).unref()
    },
    seed: (urls) => calls.untilDone('offering seeds', () => parts.offerSeeds(urls), { mayTakeLong: true }),
    drain: async (draining) => clusterShard.drain(draining),
    async stop() {
      isStopping = true
      await clusterShard.stop()
      return parts.crawlDetails()
    },
    async close() {
      clusterShard.close()
      await store.close()
      await events.close()
      await parts.close()
      await bodies.close()
      await Promise.all([pool.close(), beats.close()])
    },
  }
}

/** Heartbeats have a connection of their own. */
function openPools(address: string, label: string, { connections, leaseMs }: Config['cluster']) {
  const shared = { address, name: label.slice(0, 63), manyShort: true }
  return {
    pool: openPool({ ...shared, maxConnections: connections - 1 }),
    beats: openPool({ ...shared, maxConnections: 1, answerWithinMs: leaseMs * BEAT_WITHIN }),
  }
}

/** Also records pages of other shards of the process, under their leases. */
function openDocuments(
  pool: PostgresPool,
  keeper: RecordKeeper,
  { leases, epochs }: { leases: Pick<PartitionLeases, 'epochOf'>; epochs: HeldEpochs },
) {
  const epochOf = (partition: number): number => leases.epochOf(partition) ?? epochs.epochOf(partition)
  return createPostgresDocuments({ pool, keeper, epochOf })
}

function openSecrets(pool: PostgresPool, { config }: CrawlSettings): Secrets {
  const key = createCredentialsKey({ given: config.credentials.key, file: null })
  return createSecretOpener({ store: createPostgresCredentials(pool), key, clock: systemClock })
}

function showTraffic(pools: readonly PostgresPool[], stats: ShardStats): void {
  const traffic = pools.map((pool) => pool.traffic())
  // BEGIN and COMMIT are statements, too.
  stats.set(
    'statements',
    traffic.reduce((sum, { statements, transactions }) => sum + statements + 2 * transactions, 0),
  )
  stats.set(
    'sentBytes',
    traffic.reduce((sum, { bytes }) => sum + bytes, 0),
  )
}

serveShard(parentPort!, open)
