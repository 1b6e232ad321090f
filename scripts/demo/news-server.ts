import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NewsDesk } from './news-desk.ts'
import { articlePage, feed, frontPage } from './news-pages.ts'

export type NewsServer = { origin: string; close(): Promise<void> }

type Answer = { status: number; type: string; body: string }

/** The paper on a loopback port, with validators as a good server has them. */
export async function startNewsServer(desk: NewsDesk, port: number): Promise<NewsServer> {
  const server = createServer((request, response) => {
    const { status, type, body } = answerTo(new URL(request.url ?? '/', 'http://local').pathname, desk, origin)
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    if (status === 200 && request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end()
    response.writeHead(status, { 'content-type': type, ...(status === 200 ? { etag } : {}) })
    response.end(request.method === 'HEAD' ? undefined : body)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerTo(path: string, desk: NewsDesk, origin: string): Answer {
  const html = 'text/html; charset=utf-8'
  if (path === '/') return { status: 200, type: html, body: frontPage(desk.articles()) }
  if (path === '/feed.xml') return { status: 200, type: 'application/rss+xml', body: feed(desk.articles(), origin) }
  if (path === '/robots.txt') return { status: 200, type: 'text/plain', body: 'User-agent: *\nAllow: /\n' }
  const article = desk.articles().find((each) => each.path === path)
  if (article !== undefined) return { status: 200, type: html, body: articlePage(article) }
  if (desk.isWithdrawn(path)) return { status: 410, type: 'text/plain', body: 'This article was withdrawn.\n' }
  return { status: 404, type: 'text/plain', body: 'There is no such page.\n' }
}
