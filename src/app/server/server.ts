import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { pagesFolder } from '../../server/pages.ts'
import type { CrawlControl, ServerParts } from '../../server/parts.ts'
import { createServer } from '../../server/server.ts'
import type { CrawlCounters } from '../../services/activity/activity.ts'
import type { NodeList } from '../../services/activity/this-node.ts'
import type { ArchiveService } from '../../services/archive/archive-service.ts'
import { createEventHub } from '../../services/events/event-hub.ts'
import { createMarkRelay } from '../../services/events/mark-relay.ts'
import { profileRules } from '../../services/profiles/profile-values.ts'
import type { Scheduler } from '../../services/scheduler/scheduler.ts'
import type { WatchService } from '../../services/watching/watch-service.ts'
import type { ClusterEvents } from '../../store/contracts/cluster-events.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createAccounts, prepareAccounts } from './accounts.ts'
import { createActivityParts } from './activity.ts'
import { createInboxParts } from './inbox.ts'
import { createSourceParts } from './sources.ts'

/** What the server needs of the program that it runs in. */
export type ServerDeps = {
  config: Config
  log: Logger
  /** For this thread alone. */
  stores: StoreSet
  /** Reads what is kept, elsewhere than in this thread. */
  archive: ArchiveService
  /** That of the machine, unless another is given. */
  clock?: Clock
  watching: Pick<WatchService, 'checkNow'>
  /** Where checks begin and end; without it nobody is told of them. */
  checks?: Pick<WatchService, 'onCheck' | 'urdsOf'>
  scheduler: Pick<Scheduler, 'snapshot' | 'stats'>
  /** Who is made administrator where there is no account yet. */
  administrator?: { email: string; password: string } | null
  /** Figures of the crawl; without one all of them are zero. */
  counters?: CrawlCounters
  /** The processes that share the work; where it is left out, this one does it alone. */
  nodes?: NodeList
  /** What pauses the crawl; where it is left out, nobody can. */
  crawlControl?: CrawlControl
  /** Threads of this process that crawl. */
  threads?: number
  /** Why the rest of the process can't do its work; empty when it can. */
  healthErrors?(): readonly string[]
  /** The other processes that serve from the same stores; left out where there are none. */
  shared?: { events: Pick<ClusterEvents, 'listen' | 'notify'>; node: string }
}

/** The parts of the server. */
export function createParts(deps: ServerDeps): ServerParts {
  const { config, log, stores, clock = systemClock, shared } = deps
  const onProblem = (message: string, fields: Record<string, unknown>) => log.warn(fields, message)
  const accounts = createAccounts({ stores, config, clock, onProblem, isShared: shared !== undefined })
  const hub = createEventHub()
  const sources = createSourceParts({ ...deps, clock, checks: deps.checks ?? null, hub })
  const seen = createActivityParts({
    ...deps,
    clock,
    counters: deps.counters ?? null,
    threads: deps.threads ?? 0,
    healthErrors: deps.healthErrors ?? (() => []),
    publish: (data) => hub.publishToAdministrators({ name: 'crawl', data }),
    streams: hub.count,
  })
  return {
    accounts,
    archive: deps.archive,
    profileRules: profileRules(config),
    settings: config.server,
    sources,
    crawlControl: deps.crawlControl ?? null,
    ...seen,
    ...createInboxParts({
      ...{ config, log, stores, clock, hub, countFailing: sources.service.countFailing },
      ...(shared === undefined
        ? {}
        : { marks: createMarkRelay({ events: shared.events, from: shared.node, onProblem }) }),
    }),
  }
}

/** `setupUrl`: where the first account is made; null where there is one. */
export type RunningServer = {
  url: string
  setupUrl: string | null
  /** Tells whoever is looking of new annotations; null for more than can be named. */
  announce(ids: readonly number[] | null): void
  /** Words may have been lost: whoever is looking loads everything anew. */
  restartStreams(): void
  close(): Promise<void>
}

/** The server, listening. */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const { config, log } = deps
  const parts = createParts(deps)
  const setupKey = await prepareAccounts(parts.accounts, deps.administrator ?? null)
  const built = pagesFolder(fileURLToPath(new URL('../../..', import.meta.url)))
  const server = await createServer({
    config: config.server,
    log,
    parts,
    pages: existsSync(built) ? built : null,
  })
  const { host, port } = config.server
  const listening = await listen(server, { host, port })
  const url = config.server.url === '' ? listening : config.server.url
  // Behind the #, so that the key is in no log of a proxy.
  const setupUrl = setupKey === null ? null : `${url.replace(/\/$/, '')}/setup#${setupKey}`
  const announce = (ids: readonly number[] | null): void => {
    parts.activity.noteAnnotations(ids?.length ?? 0)
    parts.events.arrivals.announce(ids)
  }
  return { url, setupUrl, announce, restartStreams: parts.events.arrivals.restart, close: () => server.close() }
}

async function listen(server: FastifyInstance, { host, port }: { host: string; port: number }): Promise<string> {
  try {
    return await server.listen({ host, port })
  } catch (error) {
    await server.close()
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'is in use already' : `can't be used (${code ?? String(error)})`
    throw new AppError('config-invalid', `${host} port ${port} ${why}; choose another with --host and --port`, {
      cause: error,
    })
  }
}
