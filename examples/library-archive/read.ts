import { crawl, openArchive } from 'erace'

const site = new URL('../library-crawl/site/', import.meta.url).href
await crawl({ seeds: site, data: 'whales' })

await using archive = await openArchive('whales')

const { items } = await archive.search('lighthouse')
console.log(items.map(({ title, n }) => `${title}, version ${n}`).join('\n'))

const page = await archive.page(`${site}june.html`)
console.log(await page.text())

const { versions } = await archive.history(page.url)
console.log(`${versions.length} version, ${versions[0]?.size} bytes`)
