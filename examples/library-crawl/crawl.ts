import { crawl } from 'erace'

const seeds = process.argv[2] ?? new URL('site/', import.meta.url).href

const { fetched, pages } = await crawl(
  { seeds, data: 'whales' },
  {
    async onPage(page) {
      const links = await page.links()
      if (page.url !== seeds) console.log(`${page.title} (${links.length} links)`)
    },
  },
)
console.log(`${fetched} fetched, ${pages.failed} failed`)
