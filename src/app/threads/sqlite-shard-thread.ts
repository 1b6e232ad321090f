import { type MessagePort, parentPort } from 'node:worker_threads'
import type { KeptTexts } from '../../archive/kept-text.ts'
import { isWholeRecord } from '../../archive/warc/record-check.ts'
import { warcinfoRecord } from '../../archive/warc/record-writer.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { version } from '../../config/version.ts'
import { systemClock } from '../../core/clock.ts'
import { type BodyWork, ownThread } from '../../core/text/body-work.ts'
import { startThreadRetries } from '../../core/work/retries.ts'
import { threadBodyWork } from '../../crawl/extract/scan-thread/thread-body-work.ts'
import { startThreadScanner } from '../../crawl/extract/scan-thread/thread-scanner.ts'
import type { ThreadLoad } from '../../crawl/frontier/host-assignment.ts'
import { createPartFaults } from '../../crawl/parts/guarded.ts'
import { openHostAssignment } from '../../crawl/parts/sets.ts'
import { assembleShard, maxUrlsPerHost } from '../../crawl/worker/assemble.ts'
import { createLocalCoordination } from '../../crawl/worker/coordination.ts'
import { createHearing } from '../../crawl/worker/hearing.ts'
import { measureBusyness, type ServedShard, type ShardPort, serveShard } from '../../crawl/worker/shard-thread.ts'
import { type CounterMemory, openSharedCounters, type SharedCounters } from '../../crawl/worker/shared-counters.ts'
import { createCredentialsKey } from '../../services/credentials/credentials-key.ts'
import { createSecretOpener } from '../../services/credentials/secret-opener.ts'
import type { CredentialStore } from '../../store/contracts/credentials.ts'
import { createSqliteCredentials } from '../../store/sqlite/accounts/source-credentials.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { openCatalogForReading, paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { openShardStore } from '../../store/sqlite/folder/shard-store.ts'
import { openShardProtocols } from '../shard-protocols.ts'
import type { ShardModules } from './module-use.ts'
import { openOutlet } from './outlet.ts'

/** One shard in a worker thread, on the embedded store. */
export type ShardData = {
  settings: CrawlSettings
  index: number
  shards: number
  run: number
  looksBack: boolean
  seed: [number, number]
  memory: CounterMemory
  partitions: SharedArrayBuffer
  /** For links. */
  ports: (MessagePort | null)[]
  /** For pages that another shard reads. */
  readers: (MessagePort | null)[]
  modules: ShardModules | null
  /** Whether pages are scanned by a thread of their own. */
  hasScanThread: boolean
}

async function open({ send, log, fail }: ShardPort, data: ShardData): Promise<ServedShard> {
  const { settings, index, shards, run, looksBack, seed, memory, partitions, ports, readers, modules, hasScanThread } =
    data
  const { archive, crawl } = settings.config
  const scanner = hasScanThread
    ? startThreadScanner(
        (error) =>
          log('warn', 'the thread that scans pages has failed; the crawling thread scans them', {
            error: String(error),
          }),
        { readsTexts: looksBack },
      )
    : null
  const bodyWork = scanner === null ? ownThread : threadBodyWork(scanner)
  const counters = openSharedCounters(memory)
  const faults = createPartFaults(log)
  const assignment = await openHostAssignment(settings.config.parts.frontier, faults)
  const protocols = await openShardProtocols(settings.config, settings.seeds)
  const store = openShardStore({
    ...{ folder: settings.folder, shard: index, shards, run, partitions, ports, looksBack },
    maxUrlsPerHost: maxUrlsPerHost(crawl),
    chooseOwner: assignment === null ? null : (host, hostsOf) => assignment.assign(host, loadsOf(counters, hostsOf)),
    maxFileBytes: archive.maxFileBytes,
    now: systemClock.now,
    fileHeader: (filename) =>
      warcinfoRecord({
        filename,
        software: `eRACE/${version}`,
        date: systemClock.now(),
        fields: { 'http-header-user-agent': crawl.userAgent, robots: crawl.respectRobots ? 'obey' : 'ignore' },
      }),
    isWhole: isWholeRecord,
    onClosed: () => send({ kind: 'file-closed' }),
    onWarning: (message) => log('warn', message),
  })
  const secrets = openSecrets(settings)
  const hearing = createHearing(() => counters.told(index))
  measureBusyness(counters.shard(index))
  const { shard, close, crawlDetails, offerSeeds, offerChecks, watches } = await assembleShard(settings, {
    ...{ index, shards, run, seed, store: store.frontier, documents: store.documents, counters, log, readers },
    ...{ scanner, bodyWork },
    logsPauses: true,
    retries: startThreadRetries(systemClock, (waiting) => send({ kind: 'waiting', waiting })),
    looksBack: looksBack || store.recovered,
    clock: systemClock,
    walks: store.walks,
    ...keptTextOf(settings.folder, bodyWork),
    ...{ protocols, secrets: secrets.opener, outlet: openOutlet(modules, index) },
    coordinate: (given) =>
      createLocalCoordination({
        ...given,
        ...{ counters, heardAll: hearing.all },
        onResults: (results) => send({ kind: 'check-results', results }),
      }),
  })
  shard.failed.catch(fail)
  return {
    queued: () => store.frontier.watches(),
    start: shard.start,
    async crawlScope(crawlScopes) {
      hearing.note(() => {
        for (const crawlScope of crawlScopes) watches.set(crawlScope)
      })
    },
    checks: (orders) => offerChecks(orders, store.owns),
    async forget(ended) {
      hearing.note(() => {
        for (const watch of ended) watches.remove(watch)
      })
    },
    seed: offerSeeds,
    async stop() {
      await shard.stop()
      return crawlDetails()
    },
    async close() {
      await close()
      await scanner?.close()
      await store.close()
      secrets.close()
    },
  }
}

function loadsOf(counters: SharedCounters, hostsOf: readonly number[]): ThreadLoad[] {
  return hostsOf.map((hosts, shard) => ({ hosts, queued: counters.shard(shard).get('queued') }))
}

/** Opens the catalogue and loads its readers when the first text is needed: most crawls need none. */
function keptTextOf(folder: string, work: BodyWork) {
  let opening: Promise<KeptTexts> | null = null
  async function open(): Promise<KeptTexts> {
    const [{ createKeptText }, { createSqliteVersions }, { createSqliteObjects }] = await Promise.all([
      import('../../archive/kept-text.ts'),
      import('../../store/sqlite/documents/versions.ts'),
      import('../../store/sqlite/archive/objects.ts'),
    ])
    const db = openCatalogForReading(folder)
    return createKeptText({
      versions: createSqliteVersions(db),
      objects: createSqliteObjects(db, paths.archive(folder)),
      work,
    })
  }
  function kept(): Promise<KeptTexts> {
    opening ??= open()
    return opening
  }
  const keptText: KeptTexts['text'] = async (versionId, omit) => (await kept()).text(versionId, omit)
  const keptAspects: KeptTexts['aspects'] = async (versionId, asked) => (await kept()).aspects(versionId, asked)
  const keptBody: KeptTexts['body'] = async (versionId) => (await kept()).body(versionId)
  return { keptText, keptAspects, keptBody }
}

/** Opens the catalogue when the first credentials are needed. */
function openSecrets({ folder, config }: CrawlSettings) {
  let db: Database | null = null
  let known: CredentialStore | null = null
  function store(): CredentialStore {
    db ??= openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true, cacheKib: 256 })
    known ??= createSqliteCredentials(db)
    return known
  }
  const opener = createSecretOpener({
    store: {
      find: (id) => store().find(id),
      noteUsed: (id, sign) => store().noteUsed(id, sign),
      noteFailed: (id, sign) => store().noteFailed(id, sign),
    },
    key: createCredentialsKey({ given: config.credentials.key, file: paths.key(folder) }),
    clock: systemClock,
  })
  return { opener, close: () => db?.close() }
}

serveShard(parentPort!, open)
