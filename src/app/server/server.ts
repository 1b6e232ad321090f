import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { AppError, isAppError } from '../../core/errors.ts'
import { pagesFolder } from '../../server/http/pages.ts'
import { createServer } from '../../server/server.ts'
import type { AccountService } from '../../services/accounts/account-service.ts'
import { createParts, type ServerDeps } from './parts.ts'

/** `setupUrl`: where to create the first account; null if there is one. */
export type RunningServer = {
  url: string
  setupUrl: string | null
  /** Notifies open streams of new annotations; null if there are too many to list. */
  announce(ids: readonly number[] | null): void
  /** Makes clients reload everything, since events may have been lost. */
  restartStreams(): void
  close(): Promise<void>
}

/** Starts the server; resolves when it is listening. */
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
  // After the #, so that the key appears in no log of a proxy.
  const setupUrl = setupKey === null ? null : `${url.replace(/\/$/, '')}/setup#${setupKey}`
  const announce = (ids: readonly number[] | null): void => {
    parts.activity.noteAnnotations(ids?.length ?? 0)
    parts.events.arrivals.announce(ids)
  }
  return { url, setupUrl, announce, restartStreams: parts.events.arrivals.restart, close: () => server.close() }
}

/** Ensures that there is an account or a way to create one. Resolves to the key of the set-up link; null if it isn't needed. */
async function prepareAccounts(
  accounts: Pick<AccountService, 'ensureAdministrator' | 'prepareSetup'>,
  administrator: { email: string; password: string } | null,
): Promise<string | null> {
  if (administrator !== null) {
    try {
      await accounts.ensureAdministrator(administrator.email, administrator.password)
    } catch (error) {
      if (!isAppError(error, 'request-invalid')) throw error
      throw new AppError('config-invalid', `ERACE_ADMIN_EMAIL, ERACE_ADMIN_PASSWORD: ${error.message}`, {
        cause: error,
      })
    }
  }
  return accounts.prepareSetup()
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
