import { createRandom, type Random } from '../origin/random.ts'
import { type RealDocument, wordsOf } from './documents.ts'
import { createSite, type SiteTexts } from './sites.ts'

/** `story` is the same for near-duplicates. */
export type BenchPage = {
  readonly kind: PageKind
  readonly story: string
  readonly host: string
  readonly body: Buffer
}
export type PageKind = 'original' | 'rewrite' | 'notice' | 'shop' | 'slots'

export type PageCounts = { rewrites: number; templatePages: number }

/** Originals first, then everything else in any order. */
export function makePages(
  documents: readonly RealDocument[],
  texts: SiteTexts,
  { rewrites, templatePages }: PageCounts,
  seed: number,
): BenchPage[] {
  const random = createRandom(seed)
  const vocabulary = documents.flatMap(({ blocks }) => wordsOf(random.pick(blocks)))
  const originals = documents.map(({ host, body }, n): BenchPage => ({ kind: 'original', story: `d${n}`, host, body }))
  const sites = Array.from({ length: 20 }, (_, n) => createSite(`site${seed}-${n}`, texts, random))
  const copies = Array.from({ length: rewrites }, (_, n): BenchPage => {
    const which = n % documents.length
    const site = random.pick(sites)
    const share = 0.01 + random.next() * 0.09
    const blocks = documents[which]!.blocks.map((text) => rewritten(text, share, vocabulary, random))
    return { kind: 'rewrite', story: `d${which}`, host: site.host, body: site.page(blocks[0]!.slice(0, 80), blocks) }
  })
  // Each sentence is used once: manuals repeat some, and pages with the same sentences would be duplicates.
  const sentence = createSentences(documents, random)
  const others = [
    ...noticePages(Math.ceil(templatePages / 5), texts, sentence, random),
    ...shopPages(Math.ceil((templatePages * 2) / 5), texts, sentence, random, seed),
    ...slotPages(Math.ceil((templatePages * 2) / 5), texts, vocabulary, random, seed),
  ]
  return [...originals, ...shuffled([...copies, ...others], random)]
}

/** Replaces or removes this share of the words, or inserts one before them. */
function rewritten(text: string, share: number, vocabulary: readonly string[], random: Random): string {
  return wordsOf(text)
    .flatMap((word) => {
      if (random.next() >= share) return [word]
      const way = random.next()
      if (way < 0.6) return [random.pick(vocabulary)]
      return way < 0.8 ? [] : [random.pick(vocabulary), word]
    })
    .join(' ')
}

/** Short offers, each on its own host, with the same few long notices. */
function noticePages(count: number, texts: SiteTexts, sentence: () => string, random: Random): BenchPage[] {
  return Array.from({ length: count }, (_, n) => {
    const offer = wordsOf(sentence())
      .slice(0, 8 + random.below(40))
      .join(' ')
    const notice = texts.notices[n % texts.notices.length]
    const html = `<html><body><h1>Offer ${n}</h1><p>${offer}</p><p>${1 + random.below(900)} euros</p><div>${notice}</div></body></html>`
    return { kind: 'notice', story: `n${n}`, host: `offer${n}.example`, body: Buffer.from(html) }
  })
}

/** Shop pages: mostly text shared by the whole shop, plus a description of the product. */
function shopPages(count: number, texts: SiteTexts, sentence: () => string, random: Random, seed: number): BenchPage[] {
  const shops = Array.from({ length: 8 }, (_, n) => createSite(`shop${seed}-${n}`, texts, random))
  return Array.from({ length: count }, (_, n) => {
    const shop = shops[n % shops.length]!
    const description = Array.from({ length: 1 + random.below(3) }, () => sentence().slice(0, 400))
    const blocks = [...description, `${1 + random.below(900)} euros`, 'In stock', ...texts.about.slice(2)]
    return { kind: 'shop', story: `s${n}`, host: shop.host, body: shop.page(`Product ${n}`, blocks) }
  })
}

/** Pages made of sentences with slots, like reports on weather, games and houses. One word in ten fills a slot. */
function slotPages(
  count: number,
  texts: SiteTexts,
  vocabulary: readonly string[],
  random: Random,
  seed: number,
): BenchPage[] {
  const reports = Array.from({ length: 6 }, (_, n) => ({
    site: createSite(`report${seed}-${n}`, texts, random),
    sentences: Array.from({ length: 6 }, () =>
      Array.from({ length: 20 }, (_, at) => (at % 10 === 4 ? null : random.pick(vocabulary))),
    ),
  }))
  return Array.from({ length: count }, (_, n) => {
    const { site, sentences } = reports[n % reports.length]!
    const blocks = sentences.map((words) => words.map((word) => word ?? random.pick(vocabulary)).join(' '))
    return { kind: 'slots', story: `r${n}`, host: site.host, body: site.page(`Report ${n}`, blocks) }
  })
}

function createSentences(documents: readonly RealDocument[], random: Random): () => string {
  const seen = new Map<string, number>()
  for (const { blocks } of documents) for (const text of new Set(blocks)) seen.set(text, (seen.get(text) ?? 0) + 1)
  const fitting = [...seen].filter(([text, times]) => times === 1 && wordsOf(text).length >= 6).map(([text]) => text)
  const left = shuffled(fitting, random)
  return () => left.pop() ?? `nothing is left to say about number ${random.below(1_000_000)}`
}

function shuffled<T>(items: T[], random: Random): T[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const swapped = items[at]!
    items[at] = items[other]!
    items[other] = swapped
  }
  return items
}
