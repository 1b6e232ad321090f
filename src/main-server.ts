import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { pagesFolder } from './server/pages.ts'
import type { ServerParts } from './server/routes.ts'
import { createServer } from './server/server.ts'
import { createCallers } from './services/accounts/callers.ts'
import type { Scheduler } from './services/scheduler/scheduler.ts'
import type { WatchService } from './services/watching/watch-service.ts'
import { createEmbeddedAccounts } from './store/embedded/accounts.ts'
import type { Database } from './store/embedded/database.ts'

/** What the server needs of the program that it runs in. */
export type ServerNeeds = {
  folder: string
  config: Config
  log: Logger
  /** The catalogue, for this thread alone. */
  db: Database
  /** That of the machine, unless another is given. */
  clock?: Clock
  watching: Pick<WatchService, 'checkNow'>
  scheduler: Pick<Scheduler, 'snapshot' | 'stats'>
}

/** The parts of the server on the embedded store. */
export function createParts({ config, log, db, clock = systemClock }: ServerNeeds): ServerParts {
  const accounts = createCallers({
    accounts: createEmbeddedAccounts(db),
    clock,
    sessionAgeMs: config.server.sessionAgeMs,
    onProblem: (message, fields) => log.warn(fields, message),
  })
  return { accounts }
}

/** The server, listening. */
export async function startServer(needs: ServerNeeds): Promise<{ url: string; close(): Promise<void> }> {
  const { config, log } = needs
  const built = pagesFolder(fileURLToPath(new URL('..', import.meta.url)))
  const server = await createServer({
    config: config.server,
    log,
    parts: createParts(needs),
    pages: existsSync(built) ? built : null,
  })
  const { host, port } = config.server
  const url = await server.listen({ host, port })
  return { url: config.server.url === '' ? url : config.server.url, close: () => server.close() }
}
