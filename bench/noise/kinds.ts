import { type BenchDocument, pageOf } from './documents.ts'

/** A kind of edit. `body` is the document in state `n`, from 1; states differ only in this edit. */
export type EditKind = {
  readonly name: string
  readonly isWanted: boolean
  readonly type?: 'application/json' | 'application/rss+xml' | 'text/plain'
  body(document: BenchDocument, n: number): string
}

type Fragment = (n: number, seed: number) => string
type Where = 'middle' | 'top' | 'end' | 'footer'

const seedOf = ({ name }: BenchDocument): number =>
  [...name].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9973, 7)
export const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]!
/** Deterministic pseudo-random numbers. */
export function scatter(n: number, seed: number, below: number): number {
  let mixed = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) % below
}
export const hex = (n: number, seed: number, length: number): string =>
  Array.from({ length }, (_, k) => scatter(n * 31 + k, seed + k * k, 16).toString(16)).join('')

export function inserted(name: string, isWanted: boolean, fragment: Fragment, where: Where = 'middle'): EditKind {
  return {
    name,
    isWanted,
    body(document, n) {
      const html = fragment(n, seedOf(document))
      if (where === 'footer') return pageOf(document, html)
      const at = where === 'top' ? 0 : where === 'end' ? document.blocks.length : document.blocks.length >> 1
      return pageOf({ ...document, blocks: document.blocks.toSpliced(at, 0, html) })
    },
  }
}

export function rewritten(
  name: string,
  isWanted: boolean,
  edit: (blocks: readonly string[], n: number) => string[],
): EditKind {
  return { name, isWanted, body: (document, n) => pageOf({ ...document, blocks: edit(document.blocks, n) }) }
}

const clockOf = (n: number): string => `${String(8 + n).padStart(2, '0')}:${String((n * 17) % 60).padStart(2, '0')}`
const words =
  'amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh notch orbit plaza quarry ridge slope trail upland valley wharf yard'.split(
    ' ',
  )
export const phrase = (n: number, seed: number, length = 7): string =>
  Array.from({ length }, (_, k) => pick(words, scatter(n * 101 + k, seed, 997))).join(' ')
const item = (n: number, seed: number): string => `<li>The ${phrase(n, seed, 4)}</li>`

const ago = ['minutes ago', 'Minuten', 'minutes', 'minutos', 'minuti fa', 'минут назад', 'dakika önce', '分前']
const before = ['', 'vor ', 'il y a ', 'hace ', '', '', '', '']
const stamps = [
  'Last updated: ',
  'Stand: ',
  'Dernière mise à jour : ',
  'Última actualización: ',
  'Last modified on ',
  'Обновлено: ',
]

export const noiseEdits: readonly EditKind[] = [
  inserted('relative time', false, (n) => `<p>Posted ${n * 3} minutes ago by Ann</p>`),
  inserted('relative time, other languages', false, (n, seed) => {
    const k = seed % ago.length
    return `<p>${before[k]}${n * 4} ${ago[k]}</p>`
  }),
  inserted(
    '"last updated"',
    false,
    (n, seed) => `<p>${pick(stamps, seed)}${10 + n}.11.2026 ${clockOf(n)}</p>`,
    'footer',
  ),
  inserted('clock', false, (n) => `<p>Mon 16 Nov 2026 ${clockOf(n)}:${10 + n * 7} UTC</p>`, 'top'),
  inserted('views', false, (n, seed) => `<p>${(12_345 + seed + n * 17).toLocaleString('en')} views</p>`),
  inserted(
    'users online',
    false,
    (n, seed) => `<p>${3 + scatter(n, seed, 40)} users and ${1 + scatter(n, seed + 1, 9)} guests online</p>`,
    'footer',
  ),
  inserted(
    'people viewing',
    false,
    (n, seed) => `<p>${2 + scatter(n, seed, 30)} people are viewing this right now</p>`,
  ),
  inserted(
    'generation time',
    false,
    (n, seed) => `<p>Page generated in 0.${100 + scatter(n, seed, 800)} s with ${10 + scatter(n, seed, 9)} queries</p>`,
    'footer',
  ),
  inserted('request id', false, (n, seed) => `<p>Request ID: ${hex(n, seed, 8)}-${hex(n + 9, seed, 4)}</p>`, 'footer'),
  inserted('build and commit', false, (n, seed) => `<p>Build #${4000 + n}, commit ${hex(n, seed, 7)}1a</p>`, 'footer'),
  inserted('copyright year', false, (n) => `<p>© 2019–${2025 + n} Example Ltd. All rights reserved.</p>`, 'footer'),
  {
    name: 'feed build date',
    isWanted: false,
    type: 'application/rss+xml',
    body: (document, n) => feedOf(document, `<lastBuildDate>Mon, 16 Nov 2026 ${clockOf(n)}:00 GMT</lastBuildDate>`, 0),
  },
  {
    name: 'JSON time and request id',
    isWanted: false,
    type: 'application/json',
    body: (document, n) =>
      JSON.stringify({
        meta: {
          generatedAt: `2026-11-16T${clockOf(n)}:12Z`,
          requestId: hex(n, seedOf(document), 12),
          elapsedMs: n * 7,
        },
        items: document.blocks.slice(0, 5),
      }),
  },
  inserted('countdown', false, (n) => `<p>Sale ends in ${9 - n}:${20 + n}:${50 - n}</p>`),
  inserted(
    'number without a name',
    false,
    (n, seed) => `<p>Queue at gate ${pick('ABC'.split(''), seed)} now: ${5 + scatter(n, seed, 90)}</p>`,
  ),
  inserted(
    'rotating teaser, three texts',
    false,
    (n, seed) => `<div><p>Discover the ${phrase(n % 3, seed, 5)}.</p></div>`,
  ),
  inserted(
    'advertisement, always new',
    false,
    (n, seed) => `<div class="ad-slot"><p>Buy the ${phrase(n, seed, 6)} today!</p></div>`,
  ),
  inserted(
    'related articles',
    false,
    (n, seed) =>
      `<aside class="related"><h3>Related</h3><ul>${[1, 2, 3].map((k) => item(n * 3 + k, seed)).join('')}</ul></aside>`,
    'end',
  ),
  inserted('shuffled list', false, (n, seed) => {
    const items = Array.from({ length: 6 }, (_, k) => item(k, seed))
    return `<ul>${items
      .sort((a, b) => scatter(n, a.length * 7 + a.charCodeAt(9), 97) - scatter(n, b.length * 7 + b.charCodeAt(9), 97))
      .join('')}</ul>`
  }),
  inserted(
    'hidden text',
    false,
    (n, seed) => `<p hidden>${phrase(n, seed)}</p><p style="display:none">token ${hex(n, seed, 9)}</p>`,
  ),
]

export const wantedEdits: readonly EditKind[] = [
  inserted('price', true, (n, seed) => `<p>Price: € ${20 + scatter(n, seed, 60)}.${10 + n}</p>`),
  inserted('price, local format', true, (n, seed) => `<p>1.${100 + scatter(n, seed, 800)},00 €</p>`),
  inserted('stock count', true, (n) => `<p>Only ${9 - n} left in stock</p>`),
  inserted(
    'stock state',
    true,
    (n) =>
      `<p>${pick(['In stock', 'Sold out', 'Available for pre-order', 'Only 2 left', 'No longer available'], n)}</p>`,
  ),
  inserted('software version', true, (n) => `<p>Current release: 4.${n}.2</p>`),
  inserted('event date', true, (n) => `<p>The annual meeting is on ${n + 3} March 2027 at 19:30.</p>`),
  inserted('deadline', true, (n) => `<p>Applications close on 2027-0${n}-15.</p>`),
  inserted('score', true, (n) => `<p>Rovers ${n}:${n >> 1} United</p>`),
  inserted('telephone number', true, (n, seed) => `<p>Call +49 30 ${100_000 + scatter(n, seed, 90_000)}.</p>`),
  inserted(
    'service state',
    true,
    (n) =>
      `<p>The bridge is ${pick(['open', 'closed', 'open to cyclists', 'closed until noon', 'closed to cars'], n)}</p>`,
  ),
  inserted('new paragraph', true, (n, seed) =>
    Array.from({ length: n }, (_, k) => `<p>Announcement: the ${phrase(k + 3, seed, 12)}.</p>`).join(''),
  ),
  rewritten('removed paragraph', true, (blocks, n) => blocks.filter((_, k) => k < 4 || k >= 4 + n)),
  rewritten('changed words', true, (blocks, n) =>
    blocks.map((block, k) => (k === 3 + n && n > 1 ? block.replace(/(<(?:p|li|h\d)>)/, '$1Correction: ') : block)),
  ),
  inserted('headline', true, (n, seed) => `<h2>The ${phrase(n, seed, 5)}</h2><p>More about it inside.</p>`, 'top'),
  inserted(
    'news list',
    true,
    (n, seed) =>
      `<ul class="news">${[4, 3, 2, 1].map((k) => `<li>Report on the ${phrase(n + k, seed, 6)}</li>`).join('')}</ul>`,
  ),
  inserted(
    'table row',
    true,
    (n, seed) =>
      `<table>${Array.from({ length: n + 2 }, (_, k) => `<tr><td>${phrase(k, seed, 2)}</td><td>Room ${k + 1}</td></tr>`).join('')}</table>`,
  ),
  inserted('opening hours', true, (n) => `<p>Opening hours: Monday to Friday ${7 + n}:00–18:00</p>`),
  {
    name: 'JSON price and status',
    isWanted: true,
    type: 'application/json',
    body: (document, n) =>
      JSON.stringify({
        product: document.title,
        price: 10 + n,
        status: pick(['active', 'paused', 'ended'], n),
        tags: ['a', 'b'],
      }),
  },
  {
    name: 'feed entry',
    isWanted: true,
    type: 'application/rss+xml',
    body: (document, n) => feedOf(document, '', n),
  },
  inserted(
    'notice beside noise',
    true,
    (n, seed) =>
      `<p>Posted ${n} hours ago</p><p>${pick(['Water may be cloudy.', 'Trams are replaced by buses.', 'The library moves to Hill Road.', 'Swimming is not allowed.', 'Schools start an hour later.'], n)}</p><p>${seed + n * 3} views</p>`,
  ),
]

function feedOf(document: BenchDocument, channel: string, more: number): string {
  const seed = seedOf(document)
  const entries = Array.from({ length: 4 + more }, (_, k) => {
    const name = `The ${phrase(k, seed, 5)}`
    return `<item><title>${name}</title><guid>id-${k}</guid><link>http://a.example/${k}</link><description>${name} in short.</description></item>`
  })
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${channel}${entries.reverse().join('')}</channel></rss>`
}
