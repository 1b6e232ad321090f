import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { etagOf } from './site.ts'

/** An origin with a handler function: its answers can depend on the URL, the time or earlier requests. */
export type HandlerSite = {
  origin: string
  /** Requested paths with their queries. */
  asked: string[]
  close(): Promise<void>
}

export type Handler = (path: string, response: ServerResponse, request: IncomingMessage) => void

export async function createHandlerSite(handle: Handler, address = '127.0.0.1'): Promise<HandlerSite> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    response.setHeader('content-type', path === '/robots.txt' ? 'text/plain' : 'text/html')
    handle(path, response, request)
  })
  server.listen(0, address)
  await once(server, 'listening')
  return {
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** The page at a path; other paths get 404. */
export type ChangingPage = {
  words?: string
  links?: string[]
  /** Answers with this status and no body. */
  status?: number
  redirect?: string
  /** Delays the answer. */
  until?: Promise<void>
}

/** Pages that a test changes while they are watched, and the answers so far. */
export type ChangingPages = {
  site: HandlerSite
  origin: string
  pages: Record<string, ChangingPage>
  answers: { path: string; status: number }[]
  /** The number of requests for a page. */
  asked(path: string): number
  close(): Promise<void>
}

export async function createChangingPages(
  pages: Record<string, ChangingPage>,
  address = '127.0.0.1',
): Promise<ChangingPages> {
  const answers: { path: string; status: number }[] = []
  const site = await createHandlerSite(async (path, response, request) => {
    const page = pages[path]
    await page?.until
    const anchors = (page?.links ?? []).map((link) => `<a href="${link}">·</a>`).join('')
    const body = `<title>Page ${path}</title><p>${page?.words ?? ''}</p>${anchors}`
    const etag = etagOf(body)
    const status = page === undefined ? 404 : (page.status ?? (request.headers['if-none-match'] === etag ? 304 : 200))
    const answered = page?.redirect === undefined ? status : 302
    if (path !== '/robots.txt') answers.push({ path, status: answered })
    if (page?.redirect !== undefined) response.setHeader('location', page.redirect)
    if (answered === 200) response.setHeader('etag', etag)
    response.writeHead(answered).end(answered === 200 ? body : undefined)
  }, address)
  return {
    site,
    origin: site.origin,
    pages,
    answers,
    asked: (path) => answers.filter((answer) => answer.path === path).length,
    close: site.close,
  }
}
