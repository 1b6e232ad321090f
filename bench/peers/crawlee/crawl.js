// The crawl benchmark's Crawlee peer: follows every link to the given hosts and appends each body to one file.
import { createWriteStream } from 'node:fs'
import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio'

const [maxPages, concurrency, bodyFile, ...seeds] = process.argv.slice(2)
const bodies = createWriteStream(bodyFile)
log.setLevel(LogLevel.ERROR)

const crawler = new CheerioCrawler(
  {
    maxRequestsPerCrawl: Number(maxPages),
    minConcurrency: Number(concurrency),
    maxConcurrency: Number(concurrency),
    maxRequestRetries: 0,
    respectRobotsTxtFile: false,
    useSessionPool: false,
    persistCookiesPerSession: false,
    additionalMimeTypes: ['*/*'],
    async requestHandler({ $, body, request }) {
      bodies.write(body)
      if (typeof $ !== 'function') return
      const urls = []
      for (const element of $('a[href],area[href],link[href],img[src],script[src],iframe[src],frame[src]')) {
        const link = element.attribs.href ?? element.attribs.src
        const url = URL.parse(link, request.loadedUrl)?.href
        if (url !== undefined && seeds.some((seed) => url.startsWith(seed))) urls.push(url)
      }
      await crawler.addRequests(urls)
    },
  },
  new Configuration({ persistStorage: false, purgeOnStart: true, availableMemoryRatio: 0.8 }),
)
await crawler.run(seeds)
bodies.end()
