import type { Article } from './news-desk.ts'

export const PAPER = 'The Lanternhead Courier'
/** On the front page and in the feed alone: who wants articles and not the list of them excludes it. */
export const FRONT_PAGE_WORDS = 'headlines at a glance'

const style = `:root{color-scheme:light dark}body{font:1.05rem/1.5 Georgia,serif;max-width:42rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.7rem}article{margin:1.25rem 0}small{color:GrayText}`

export function frontPage(articles: readonly Article[]): string {
  const items = articles.map(
    ({ path, headline, topic }) =>
      `<article><small>${topic}</small><br><a href="${path}">${escaped(headline)}</a></article>`,
  )
  return page(
    PAPER,
    `<h1>${PAPER}</h1><p>All ${FRONT_PAGE_WORDS}</p>${items.join('\n')}<p><a href="/feed.xml">Feed</a></p>`,
  )
}

export function articlePage({ headline, topic, paragraphs }: Article): string {
  const text = paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('\n')
  return page(
    `${headline} - ${PAPER}`,
    `<p><a href="/">${PAPER}</a> · ${topic}</p><h1>${escaped(headline)}</h1>${text}`,
  )
}

export function feed(articles: readonly Article[], origin: string): string {
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
