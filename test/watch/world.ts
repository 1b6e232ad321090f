import type { Annotation } from '../../ui/src/api/types.ts'
import { type StartService, startCluster, startUp } from '../kit/service.ts'
import { type Account, createAccount } from '../pages/account.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'

export const engines: Record<string, StartService> = { SQLite: startUp, PostgreSQL: startCluster }

export type Page = { body: string; type?: string; status?: number; location?: string }
export type World = {
  site: HandlerSite
  me: Account
  serve(path: string, page: Page): void
  told(): Promise<Annotation[]>
}

/** A service with an account, and a site whose pages a test sets. */
export async function withWorld(
  start: StartService,
  pages: Record<string, Page>,
  work: (world: World) => Promise<void>,
  settings: Record<string, string> = {},
) {
  const served = new Map(Object.entries(pages))
  const site = await createHandlerSite((path, response) => {
    const { body, type = 'text/html', status = 200, location } = served.get(path) ?? { body: '', status: 404 }
    response.setHeader('content-type', type)
    if (location !== undefined) response.setHeader('location', location)
    response.writeHead(status).end(body)
  })
  const service = await start({ ERACE_CRAWL_MAXATTEMPTS: '1', ...settings })
  try {
    const me = await createAccount(service)
    const told = async () =>
      (await me.ask<{ items: Annotation[] }>('GET', '/annotations?limit=200')).items
        .filter(({ backlog }) => !backlog)
        .sort((one, other) => one.id - other.id)
    await work({ site, me, told, serve: (path, page) => void served.set(path, page) })
  } finally {
    await service.destroy()
    await site.close()
  }
}
