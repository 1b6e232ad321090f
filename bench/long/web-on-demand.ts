import { createRandom } from '../origin/random.ts'
import { type Document, documentOf, type ServedSites, type Site } from '../origin/site-table.ts'
import { createWeb, mediaType, type WebOptions } from '../origin/web.ts'

/**
 * The generated web of the other benchmarks, but each page is rendered on request, so that a million pages take only a byte of memory each.
 * The links and the size of a page are the same each time, its words are not.
 */
export function createWebOnDemand(options: WebOptions): ServedSites {
  const web = createWeb(options, createRandom(options.seed))
  const sites = new Map<string, Pick<Site, 'get' | 'values'>>()
  for (const [host, address] of options.hosts.entries()) {
    const served = new Uint8Array(web.counts[host]!)
    sites.set(address, {
      get(path) {
        const page = path === '/' ? 0 : Number(/-(\d+)\.html$/.exec(path)?.[1] ?? Number.NaN)
        if (!(page < served.length) || web.pathOf(page) !== path) return undefined
        const random = createRandom(options.seed + 1 + host * 1_000_003 + page)
        const document = documentOf(web.render(host, page, random), mediaType, `"${host}-${page}"`)
        return countedIn(served, page, document)
      },
      values: () => [].values(),
    })
  }
  return sites
}

/** Keeps the request count outside of the document, which is discarded after each request. */
function countedIn(served: Uint8Array, page: number, document: Document): Document {
  return Object.defineProperty(document, 'served', {
    get: () => served[page]!,
    set(times: number) {
      served[page] = Math.min(times, 255)
    },
  })
}
