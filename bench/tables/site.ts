import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { createRandom, type Random } from '../origin/random.ts'

export type SiteShape = {
  /** Chains of list pages, each with links to the next list and to its own articles. */
  chains: number
  /** List pages per chain. */
  lists: number
  /** Articles per list page. */
  articles: number
  pageBytes: number
  seed: number
}

/** Like blogs and archives: each list links to a few articles and to the next list, so a crawler discovers pages slowly. */
export function writeSite(folder: string, { chains, lists, articles, pageBytes, seed }: SiteShape): number {
  const random = createRandom(seed)
  const put = (path: string, title: string, links: readonly string[]): void => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, pageOf(title, links, pageBytes, random))
  }
  put(
    'index.html',
    'Archives',
    Array.from({ length: chains }, (_, chain) => `c${chain}/0.html`),
  )
  for (let chain = 0; chain < chains; chain++)
    for (let list = 0; list < lists; list++) {
      const names = Array.from({ length: articles }, (_, article) => `${list}-${article}.html`)
      put(`c${chain}/${list}.html`, `List ${list}`, list + 1 < lists ? [...names, `${list + 1}.html`] : names)
      for (const name of names) put(`c${chain}/${name}`, `Article ${name}`, ['../index.html'])
    }
  return 1 + chains * lists * (1 + articles)
}

/** Writes a sitemap of all pages in the folder; `isNamed` lists it in robots.txt. */
export function writeSitemap(folder: string, root: string, isNamed: boolean): void {
  const pages = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.html'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .map((path) => path.replace(/^index\.html$/, ''))
    .sort()
  const entries = pages.map((path) => `<url><loc>${root}${path}</loc></url>\n`).join('')
  const xmlns = 'http://www.sitemaps.org/schemas/sitemap/0.9'
  writeFileSync(join(folder, 'sitemap.xml'), `<?xml version="1.0"?>\n<urlset xmlns="${xmlns}">\n${entries}</urlset>\n`)
  rmSync(join(folder, 'robots.txt'), { force: true })
  if (isNamed) writeFileSync(join(folder, 'robots.txt'), `User-agent: *\nAllow: /\nSitemap: ${root}sitemap.xml\n`)
}

const words = 'the of a report on water prices in towns with many old bridges and few new roads'.split(' ')

/** Links come first, as in a menu. On a slow line they arrive early, but no crawler reads half a page. */
function pageOf(title: string, links: readonly string[], bytes: number, random: Random): string {
  const anchors = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')
  return `<!doctype html><title>${title}</title><h1>${title}</h1><ul>${anchors}</ul><p>${fillerOf(bytes, random)}</p>\n`
}

/** Random words, about as many bytes as requested. */
export function fillerOf(bytes: number, random: Random): string {
  let text = ''
  while (text.length < bytes) text += `${words[random.below(words.length)]} `
  return text
}
