import { feedOf } from '../fetchers/samples.ts'
import { documentOf, type ServedSites, type Site } from '../origin/site-table.ts'

export type ChangingSources = {
  hosts: readonly string[]
  port: number
  sources: number
  /** Number of changes per hour among 1,000 sources. */
  changesPerHour: number
  /** Hours since the start. */
  hoursNow(): number
}

const FILLER = 'Nothing on this page is new, but it has the length of an ordinary article. '.repeat(40)
const topics = ['java research', 'weather', 'football']

export const sourcePath = (n: number): string => (n % 2 === 0 ? `/feed/${n}.xml` : `/page/${n}.html`)

/** Alternating feeds and pages, generated on request. Each changes occasionally, at its own times. */
export function createChangingSources({
  hosts,
  port,
  sources,
  changesPerHour,
  hoursNow,
}: ChangingSources): ServedSites {
  /** Number of changes of a source so far. */
  function editionOf(n: number): number {
    const now = hoursNow()
    let edition = 0
    for (let hour = 0; hour < now; hour++) {
      const dice = diceOf(n, hour)
      if (dice % 1000 < changesPerHour && hour + (dice % 60) / 60 <= now) edition++
    }
    return edition
  }

  function documentAt(n: number, home: string) {
    const edition = editionOf(n)
    const topic = topics[(n + edition) % topics.length]
    const news = `Edition ${edition} is about ${topic}`
    const etag = `"${n}-${edition}"`
    if (n % 2 === 1)
      return documentOf(
        Buffer.from(`<!doctype html><title>Page ${n}</title><p>${news}.</p><p>${FILLER}</p>`),
        'text/html; charset=utf-8',
        etag,
      )
    const item = `<item><title>${news}</title><link>${home}news/${n}/${edition}</link><guid>${home}news/${n}/${edition}</guid></item>\n`
    return documentOf(Buffer.from(feedOf(n, home).replace('<item>', `${item}<item>`)), 'application/rss+xml', etag)
  }

  return new Map(
    hosts.map((host, at): [string, Pick<Site, 'get' | 'values'>] => [
      host,
      {
        get(path) {
          const n = Number(/^\/(?:feed|page)\/(\d+)\./.exec(path)?.[1] ?? Number.NaN)
          return n < sources && n % hosts.length === at && sourcePath(n) === path
            ? documentAt(n, `http://${host}:${port}/`)
            : undefined
        },
        values: () => [].values(),
      },
    ]),
  )
}

/** A pseudo-random number, the same for the same source and hour. */
function diceOf(n: number, hour: number): number {
  let mixed = Math.imul(n * 31 + hour + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  return ((mixed ^ (mixed >>> 13)) >>> 0) % 60_000
}
