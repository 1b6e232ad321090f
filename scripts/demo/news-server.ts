import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Article, NewsDesk } from './news-desk.ts'
import type { TownPages } from './town-pages.ts'

const PAPER = 'The Lanternhead Courier'
/** Part of the front page's title, which profiles that want articles and no lists exclude. */
export const FRONT_PAGE_WORDS = 'headlines at a glance'

const style = `:root{color-scheme:light dark}body{font:1.05rem/1.5 Georgia,serif;max-width:42rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.7rem}article{margin:1.25rem 0}small{color:GrayText}`

type NewsServer = { origin: string; close(): Promise<void> }

type Answer = { status: number; type: string; body: string }

/** Serves the newspaper and the town's pages on a loopback port, with validators. */
export async function startNewsServer(desk: NewsDesk, town: TownPages, port: number): Promise<NewsServer> {
  const server = createServer((request, response) => {
    const { status, type, body } = answerTo(new URL(request.url ?? '/', 'http://local').pathname, {
      desk,
      town,
      origin,
    })
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

type Site = { desk: NewsDesk; town: TownPages; origin: string }

function answerTo(path: string, { desk, town, origin }: Site): Answer {
  const html = 'text/html; charset=utf-8'
  if (path === '/') return { status: 200, type: html, body: frontPage(desk.articles()) }
  if (path === '/feed.xml') return { status: 200, type: 'application/rss+xml', body: feed(desk.articles(), origin) }
  if (path === '/robots.txt') return { status: 200, type: 'text/plain', body: 'User-agent: *\nAllow: /\n' }
  const own = town.answerTo(path)
  if (own !== null)
    return { status: 200, type: own.type, body: own.title === '' ? own.body : page(own.title, own.body) }
  const article = desk.articles().find((each) => each.path === path)
  if (article !== undefined) return { status: 200, type: html, body: articlePage(article) }
  if (desk.isWithdrawn(path)) return { status: 410, type: 'text/plain', body: 'This article was withdrawn.\n' }
  return { status: 404, type: 'text/plain', body: 'Not found.\n' }
}

function frontPage(articles: readonly Article[]): string {
  const items = articles.map(
    ({ path, headline, topic }) =>
      `<article><small>${topic}</small><br><a href="${path}">${escaped(headline)}</a></article>`,
  )
  // The feed isn't linked: its entries would match as well as the articles.
  return page(`${PAPER}: ${FRONT_PAGE_WORDS}`, `<h1>${PAPER}</h1>${items.join('\n')}`)
}

function articlePage({ headline, topic, paragraphs }: Article): string {
  const text = paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('\n')
  return page(
    `${headline} - ${PAPER}`,
    `<p><a href="/">${PAPER}</a> · ${topic}</p><h1>${escaped(headline)}</h1>${text}`,
  )
}

function feed(articles: readonly Article[], origin: string): string {
  const items = articles.map(
    ({ path, headline, paragraphs, topic }) =>
      `<item><title>${escaped(headline)}</title><link>${origin}${path}</link><guid>${origin}${path}</guid><category>${topic}</category><description>${escaped(paragraphs[0]!)}</description></item>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>${PAPER}</title><link>${origin}/</link><description>All ${FRONT_PAGE_WORDS}</description>
${items.join('\n')}
</channel></rss>
`
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${style}</style></head><body>${body}</body></html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
