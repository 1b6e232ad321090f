import { createHash } from 'node:crypto'
import { responseRecord } from '../../src/archive/warc/record-writer.ts'
import { noCheck, type Offer, UNLIMITED_DEPTH } from '../../src/core/request.ts'
import { bodyDigest, digestText } from '../../src/core/url/fingerprint.ts'
import { hostKey } from '../../src/core/url/partition.ts'
import { extractLinks } from '../../src/crawl/extract/page.testkit.ts'
import type { Capture } from '../../src/store/contracts/documents.ts'
import type { Sites } from '../origin/site-table.ts'
import { generateWeb } from '../origin/web.ts'

export type Page = { url: string; host: string; body: Buffer; etag: string; offer: Offer }

/** A generated web as seen by a crawl: pages by URL, and the capture of each. */
export type Pages = {
  sites: Sites
  pageOf(url: string): Page
  /** Batches of pages, each of one host. */
  batches(size: number): Page[][]
  captureOf(page: Page, run: number, how: 'body' | 'unchanged'): Capture
  /** The same page with another URL and its own body. */
  renamed(page: Page): Page
  textOf(url: string): { host: string; title: string; text: string }
}

const PORT = 8000

export function createPages({ pages, hosts, bytes }: { pages: number; hosts: number; bytes: number }): Pages {
  const names = Array.from({ length: hosts }, (_, n) => `www.site-${n}.example`)
  const web = { hosts: names, port: PORT, pages, seed: 1, meanBytes: bytes, linksPerPage: 40 }
  const sites = generateWeb(web)

  function pageOf(url: string): Page {
    const { hostname, pathname } = new URL(url)
    const document = sites.get(hostname)!.get(pathname)!
    return pageWith(url, document.bytes.subarray(document.headerBytes), document.etag)
  }

  return {
    sites,
    pageOf,
    batches(size) {
      const all: Page[][] = []
      for (const [host, site] of sites) {
        const paths = [...site.keys()]
        for (let at = 0; at < paths.length; at += size)
          all.push(paths.slice(at, at + size).map((path) => pageOf(`http://${host}:${PORT}${path}`)))
      }
      return all
    },
    captureOf,
    renamed: ({ url, body, etag }) =>
      pageWith(`${url}?edition=2`, Buffer.concat([body, Buffer.from(`<p>${url}</p>`)]), etag),
    textOf(url) {
      const { host, body } = pageOf(url)
      const html = body.toString()
      const title = /<title>([^<]*)/.exec(html)?.[1] ?? ''
      const text = html
        .replaceAll(/<(script|style)[^>]*>.*?<\/\1>/gs, ' ')
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
      return { host, title, text }
    },
  }
}

function pageWith(url: string, body: Buffer, etag: string): Page {
  const host = hostKey(url)
  return { url, host, body, etag, offer: offerOf(url, '', 0) }
}

function captureOf({ url, host, body, etag, offer }: Page, run: number, how: 'body' | 'unchanged'): Capture {
  const at = Date.now()
  const address = '192.0.2.1'
  const base = { host, fp: offer.fp, url, parent: '', check: noCheck, hops: 3, at, run, status: 200, address }
  if (how === 'unchanged')
    return { ...base, status: 304, kind: 'note', outcome: 'unchanged', reason: '', location: '', freshUntil: null }
  const digest = bodyDigest(body)
  const links = extractLinks(body, url).map((link) => link.url)
  const rawHeaders = ['Server', 'origin', 'ETag', etag, 'Content-Type', 'text/html; charset=utf-8']
  const lastModified = 'Wed, 31 Dec 2025 00:00:00 GMT'
  return {
    ...base,
    kind: 'body',
    type: 'text/html',
    digest,
    size: body.length,
    etag,
    lastModified,
    truncated: '',
    title: /<title>([^<]*)/.exec(body.toString('latin1', 0, 1000))?.[1] ?? '',
    text: null,
    textRules: 0,
    sameTextAs: 0,
    freshUntil: 0,
    links,
    linkKeys: Buffer.concat(links.map((link) => keyOf(link))),
    linkNaming: 1,
    render: () =>
      responseRecord({
        uri: url,
        date: at,
        address,
        statusLine: 'HTTP/1.1 200 OK',
        rawHeaders: [...rawHeaders, 'Last-Modified', lastModified],
        payloadDigest: digestText(digest),
        body,
        truncated: null,
      }).parts,
  }
}

const keyOf = (url: string): Buffer => createHash('md5').update(url).digest().subarray(0, 8)

function offerOf(url: string, parent: string, hops: number): Offer {
  const fp = keyOf(url).readBigInt64LE(0)
  const rest = { depth: UNLIMITED_DEPTH, hops, redirects: 0, priority: hops, check: noCheck }
  return { url, host: hostKey(url), fp, parent, ...rest }
}

/** The links of a page, as offered to the frontier. */
export function offersOf({ url, body }: Page, { hops }: Pick<Offer, 'hops'>): Offer[] {
  return extractLinks(body, url).map((link) => offerOf(link.url, url, hops + 1))
}

export function seedsOf({ sites }: Pages): Offer[] {
  return [...sites.keys()].map((host) => offerOf(`http://${host}:${PORT}/`, '', 0))
}

/** URLs outside the generated web. */
export function otherOffers(from: number, to: number): Offer[] {
  return Array.from({ length: to - from }, (_, n) => {
    const host = `www.other-${(from + n) % 997}.example`
    return offerOf(
      `https://${host}/section-${n % 40}/a-page-of-its-own-${from + n}.html`,
      `https://${host}/section-${n % 40}/`,
      4,
    )
  })
}
