import { createProse, renderPage } from './page.ts'
import { createRandom, type Random } from './random.ts'
import { addDocument, type Sites } from './site-table.ts'

/**
 * A generated web. On each host the pages form a tree from `/` (so that every page is reachable), and each page gets
 * further links until it has `linksPerPage`: one in ten to another host, the others to neighbours and to popular pages.
 */
export type WebOptions = {
  hosts: string[]
  port: number
  pages: number
  seed: number
  meanBytes: number
  linksPerPage: number
}

export const mediaType = 'text/html; charset=utf-8'
const fanOut = 12
const sections = 40
const minPageBytes = 4096
const maxPageBytes = 400 * 1024
/** The spread of the log-normal page sizes: one page in a hundred is more than eight times the median. */
const sigma = 0.9

export function generateWeb(options: WebOptions): Sites {
  const random = createRandom(options.seed)
  const web = createWeb(options, random)
  const sites: Sites = new Map()
  for (const [host, address] of options.hosts.entries()) {
    const site = new Map()
    sites.set(address, site)
    for (let page = 0; page < web.counts[host]!; page++)
      addDocument(site, web.pathOf(page), web.render(host, page, random), mediaType)
  }
  return sites
}

/** `counts`: the pages of each host. */
export type Web = {
  counts: number[]
  pathOf(page: number): string
  render(host: number, page: number, random: Random): Buffer
}

export function createWeb(options: WebOptions, random: Random): Web {
  const prose = createProse(random)
  const slugs = Array.from({ length: 997 }, () => `${random.pick(prose.words)}-${random.pick(prose.words)}`)
  const pathOf = (page: number): string =>
    page === 0 ? '/' : `/${prose.words[page % sections]}/${slugs[page % slugs.length]}-${page}.html`
  const counts = options.hosts.map(
    (_, host) =>
      Math.floor(options.pages / options.hosts.length) + (host < options.pages % options.hosts.length ? 1 : 0),
  )
  function render(host: number, page: number, random: Random): Buffer {
    const hrefs = pickTargets(host, page, counts, options.linksPerPage, random).map((target) =>
      target.host === host
        ? sameHostHref(pathOf(target.page), page === 0, random)
        : `http://${options.hosts[target.host]}:${options.port}${pathOf(target.page)}`,
    )
    return renderPage(
      { title: prose.phrase(5), hrefs, targetBytes: pageBytes(options.meanBytes, random) },
      prose,
      random,
    )
  }
  return { counts, pathOf, render }
}

function pageBytes(meanBytes: number, random: Random): number {
  const median = meanBytes / Math.exp(sigma ** 2 / 2)
  const wanted = median * Math.exp(sigma * random.normal())
  return Math.round(Math.min(maxPageBytes, Math.max(Math.min(minPageBytes, meanBytes), wanted)))
}

type Target = { host: number; page: number }

function pickTargets(host: number, page: number, counts: number[], wanted: number, random: Random): Target[] {
  const count = counts[host]!
  const targets: Target[] = []
  for (let child = page * fanOut + 1; child <= page * fanOut + fanOut && child < count; child++)
    targets.push({ host, page: child })
  while (targets.length < wanted) {
    const dice = random.next()
    if (dice < 0.1 && counts.length > 1) {
      const other = random.below(counts.length)
      targets.push({ host: other, page: random.below(counts[other]!) })
    } else if (dice < 0.6) targets.push({ host, page: (page + random.below(200)) % count })
    else targets.push({ host, page: Math.floor(random.next() ** 2 * count) })
  }
  return targets
}

/** Links within a host: from the root, relative, or with a fragment. */
function sameHostHref(path: string, fromRoot: boolean, random: Random): string {
  const dice = random.next()
  if (dice < 0.5) return path
  if (dice < 0.6) return `${path}#main`
  return fromRoot ? path.slice(1) || './' : `..${path}`
}
