import { prepareBase, resolve } from '../src/core/url/url.ts'
import { createFingerprinter } from '../src/core/url/url-key.ts'
import { createLinkNormaliser } from '../src/crawl/normalize/link-normaliser.ts'
import type { BenchTable } from './table.ts'

/**
 * From a link as written in a page to the URL to fetch and the key to compare, against `new URL()`, which does only the
 * first half. The mix is that of encyclopaedias, shops and news sites, with forty links per page.
 */
const baseUrl = 'https://www.example.org/section/articles/2026/index.html'

const kinds: { name: string; share: number; links: string[] }[] = [
  {
    name: 'path',
    share: 17,
    links: ['/wiki/Main_Page', '/products/garden/tools/spade-21.html', '/2026/03/14/a-title-of-some-words/', '/about'],
  },
  { name: 'relative', share: 6, links: ['next.html', 'part/two.html', '../2025/index.html', './print.html'] },
  {
    name: 'absolute, same host',
    share: 8,
    links: ['https://www.example.org/news/world', 'https://www.example.org/section/articles/2026/07.html'],
  },
  {
    name: 'absolute, other host',
    share: 4,
    links: ['https://cdn.example.net/library/page.html', 'https://en.other.example/wiki/Crawler'],
  },
  { name: 'query', share: 2, links: ['/list?page=3&sort=name', 'search?q=garden+tools&from=20'] },
  {
    name: 'tracked',
    share: 1,
    links: ['/offer?id=7&utm_source=mail&utm_medium=x', 'https://www.example.org/?gclid=abc'],
  },
  { name: 'encoded', share: 1, links: ['/wiki/Caf%C3%A9', '/wiki/%E6%97%A5%E6%9C%AC'] },
  { name: 'fragment, other scheme', share: 1, links: ['#top', 'mailto:someone@example.org'] },
]

const passes = 7
const linksPerPass = 40_000

/** Microseconds per link, from the best pass: other load only ever adds time. */
function measure(links: string[], work: (link: string) => number): number {
  let best = Number.POSITIVE_INFINITY
  let sink = 0
  for (let pass = 0; pass < passes; pass++) {
    const start = performance.now()
    for (let i = 0; i < linksPerPass; i++) sink += work(links[i % links.length]!)
    best = Math.min(best, performance.now() - start)
  }
  if (sink < 0) throw new Error('unreachable: keeps the work from being optimised away')
  return (best * 1000) / linksPerPass
}

export async function run(): Promise<BenchTable> {
  const base = prepareBase(baseUrl)
  const normalise = createLinkNormaliser().onPage(base)
  const fingerprinter = createFingerprinter([1, 2])
  const pair = new Uint32Array(2)
  const byParser = (link: string): number => new URL(link, baseUrl).href.length
  const resolved = (link: string): number => resolve(link, base)?.length ?? 0
  const normalised = (link: string): number => {
    const result = normalise(link)
    return result.kind === 'ok' ? result.key.length : 0
  }
  const fingerprinted = (link: string): number => {
    const result = normalise(link)
    if (result.kind === 'ok') fingerprinter.write(result.key, pair, 0)
    return pair[0]! & 1
  }
  const mix = kinds.flatMap(({ share, links }) => Array.from({ length: share }, (_, n) => links[n % links.length]!))
  const rows: (string | number)[][] = []
  const stats: Record<string, number> = {}
  for (const { name, links } of [{ name: 'mixed page', links: mix }, ...kinds]) {
    const parser = measure(links, byParser)
    const plain = measure(links, resolved)
    const key = measure(links, normalised)
    const whole = measure(links, fingerprinted)
    rows.push([name, parser, plain, key, whole, parser / plain, parser / key])
    if (links !== mix) continue
    stats['new-url-over-resolve'] = parser / plain
    stats['new-url-over-resolve-and-normalise'] = parser / key
    stats['resolve-and-normalise-us'] = key
    stats['with-fingerprint-us'] = whole
  }
  return {
    name: 'normalise',
    columns: [
      'links',
      'new URL µs',
      'resolve µs',
      'resolve + normalise µs',
      '+ fingerprint µs',
      'new URL / resolve',
      'new URL / both',
    ],
    rows,
    stats,
  }
}
