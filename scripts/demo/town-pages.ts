/** Pages of the newspaper's town. Each changes in its own way, so that the inbox shows every kind of change. */
export type TownPages = {
  /** Changes one page; returns a description of the change. */
  step(): string
  /** Null for any other path. */
  answerTo(path: string): { type: string; title: string; body: string } | null
}

type Town = {
  price: string
  stock: string
  notices: string[]
  ferry: { state: string; next: string; seats: number }
}

const FIRST_NOTICES = [
  'The library is open until eight on Thursdays.',
  'Swimming lessons for adults begin in the first week of May.',
  'The well in Candle Lane is being repaired; please use the one at the market.',
  'Lost: a green umbrella with a wooden duck for a handle.',
]

/** Repeated in this order; the first rounds show every kind of change. */
const changes: readonly { about: string; make(town: Town, round: number): void }[] = [
  {
    about: 'the kettle costs less',
    make(town, round) {
      town.price = ['34.50', '36.00', '29.90', '39.90'][round % 4]!
      town.stock = ['Only 3 left', 'In stock', 'Only 1 left', 'In stock'][round % 4]!
    },
  },
  {
    about: 'a notice is added',
    make(town, round) {
      town.notices = [`Bridge at Juniper Ridge closed from ${3 + round} May.`, ...town.notices].slice(0, 8)
    },
  },
  {
    about: 'the ferry reports its seats',
    make(town, round) {
      town.ferry = {
        state: round % 2 === 0 ? 'delayed' : 'running',
        next: `${8 + (round % 10)}:30`,
        seats: 12 + ((round * 7) % 30),
      }
    },
  },
  {
    about: 'a notice moves to the end',
    make(town) {
      const [first, ...rest] = town.notices
      town.notices = [...rest, first!]
    },
  },
  {
    about: 'a notice is removed',
    make(town) {
      town.notices = town.notices.toSpliced(1, 1)
      if (town.notices.length < 3) town.notices = [...town.notices, ...FIRST_NOTICES.slice(0, 2)]
    },
  },
  {
    about: 'the kettle is sold out',
    make(town) {
      town.stock = 'Sold out'
    },
  },
]

export function createTownPages(): TownPages {
  const town: Town = {
    price: '39.90',
    stock: 'In stock',
    notices: [...FIRST_NOTICES],
    ferry: { state: 'running', next: '7:30', seats: 40 },
  }
  let steps = 0
  let visitors = 1234

  return {
    step() {
      const { about, make } = changes[steps % changes.length]!
      make(town, Math.floor(steps / changes.length))
      steps++
      return about
    },
    answerTo(path) {
      const html = 'text/html; charset=utf-8'
      if (path === '/shop/kettle') return { type: html, title: 'Kettle "Heron" – Tin & Copper', body: shopPage(town) }
      if (path === '/notices') return { type: html, title: 'Notices of the town', body: noticesPage(town) }
      if (path === '/ferry.json')
        return { type: 'application/json', title: '', body: `${JSON.stringify({ ferry: town.ferry }, null, 2)}\n` }
      // The visitor count changes with every visit, so that the page is muted automatically.
      if (path !== '/harbour') return null
      visitors += 1 + (visitors % 3)
      return { type: html, title: 'Harbour guestbook', body: harbourPage(visitors) }
    },
  }
}

function shopPage({ price, stock }: Town): string {
  const availability = stock === 'Sold out' ? 'OutOfStock' : stock === 'In stock' ? 'InStock' : 'LimitedAvailability'
  const offer = { '@type': 'Offer', price, priceCurrency: 'EUR', availability: `https://schema.org/${availability}` }
  const data = { '@context': 'https://schema.org', '@type': 'Product', name: 'Kettle "Heron"', offers: offer }
  return `<h1>Shop</h1><h2>Kettle "Heron"</h2><p class="price">€ ${price}</p><p class="stock">${stock}</p>
<p>Copper, two litres, with a whistle that can be turned off.</p>
<script type="application/ld+json">${JSON.stringify(data)}</script>`
}

function noticesPage({ notices }: Town): string {
  return `<h1>Notices</h1><ul>${notices.map((notice) => `<li>${notice}</li>`).join('\n')}</ul>`
}

function harbourPage(visitors: number): string {
  return `<h1>Harbour guestbook</h1><p>The harbour is open from six to ten.</p><footer><p>${visitors.toLocaleString('en')} visitors</p></footer>`
}
