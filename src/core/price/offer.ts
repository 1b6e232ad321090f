import { createPageTree, type PageElement, type PageNode } from '../text/page-tree.ts'
import { parsePrice } from './parse-price.ts'

/** An offer declared by a page. */
export type Offer = {
  /** Name of the product; '' if not given. */
  readonly name: string
  readonly amount: number | null
  /** ISO 4217, or as written on the page; '' if not given. */
  readonly currency: string
  readonly availability: Availability
}

export const availabilities = ['in-stock', 'out-of-stock', 'limited', 'preorder', 'unknown'] as const
export type Availability = (typeof availabilities)[number]

export const offerLimits = {
  /** Characters of a page's source. */
  source: 5_000_000,
  /** Characters of JSON-LD in total, and its maximum depth. */
  data: 1_000_000,
  depth: 20,
  nodes: 20_000,
  offers: 50,
  nameLength: 200,
  /** Larger amounts are ignored. */
  amount: 1e12,
} as const

/**
 * The offers that a page declares: in JSON-LD, or else microdata, or else OpenGraph. The first is the page's main one. Unreadable
 * declarations are ignored.
 */
export function readOffers(source: string): Offer[] {
  if (source.length > offerLimits.source || !offerWords.test(source)) return []
  const root = createPageTree(source, false)
  if (root === null) return []
  const elements = elementsOf(root)
  const found = offersOfJsonLd(elements)
  if (found.length > 0) return found
  const inItems = offersOfMicrodata(elements)
  return inItems.length > 0 ? inItems : offersOfMeta(elements)
}

const offerWords = /ld\+json|itemprop|price:amount/i

/** Whether a page is worth parsing. */
export function mentionsOffer(page: Buffer): boolean {
  return page.length <= offerLimits.source && offerWords.test(page.toString('latin1'))
}

type Fields = { name?: unknown; price?: unknown; currency?: unknown; availability?: unknown }

function offerOf({ name, price, currency, availability }: Fields): Offer | null {
  const written = wordsOf(price)
  const read =
    typeof price === 'number' ? { amount: price, currency: null, code: '' } : parsePrice(written, wordsOf(currency))
  const amount =
    read.amount !== null && Number.isFinite(read.amount) && Math.abs(read.amount) <= offerLimits.amount
      ? read.amount
      : null
  const state = availabilityOf(wordsOf(availability) ?? '')
  if (amount === null && state === 'unknown') return null
  const named = (wordsOf(currency) ?? '').trim().slice(0, 10)
  return {
    name: (wordsOf(name) ?? '').replace(/\s+/g, ' ').trim().slice(0, offerLimits.nameLength).toWellFormed(),
    amount,
    currency: named !== '' ? named.toUpperCase() : read.code || (read.currency ?? ''),
    availability: state,
  }
}

function wordsOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return Array.isArray(value) ? wordsOf(value.find((each) => typeof each === 'string')) : null
}

/** A schema.org term with or without its URL, or what shops write instead. */
export function availabilityOf(text: string): Availability {
  const word = text
    .slice(0, 200)
    .replace(/^.*[/#]/, '')
    .replace(/[\s_-]/g, '')
    .toLowerCase()
  if (/^(?:outofstock|soldout|discontinued|oos|notavailable|unavailable)$/.test(word)) return 'out-of-stock'
  if (/^(?:limitedavailability|limitedstock)$/.test(word)) return 'limited'
  if (/^(?:preorder|presale|backorder|madetoorder|availablefororder)$/.test(word)) return 'preorder'
  return /^(?:instock|instoreonly|onlineonly|available|reserved)$/.test(word) ? 'in-stock' : 'unknown'
}

function elementsOf(root: PageNode): PageElement[] {
  const found: PageElement[] = []
  const pending: PageNode[] = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'text') continue
    if (node.kind === 'element') found.push(node)
    for (let i = node.children.length - 1; i >= 0; i--) pending.push(node.children[i]!)
  }
  return found
}

function textOf(element: PageElement): string {
  const parts: string[] = []
  const pending: PageNode[] = [element]
  let length = 0
  for (let node = pending.pop(); node !== undefined && length < offerLimits.data; node = pending.pop()) {
    if (node.kind === 'text') {
      parts.push(node.text)
      length += node.text.length
    } else for (let i = node.children.length - 1; i >= 0; i--) pending.push(node.children[i]!)
  }
  return parts.join('')
}

function attribute({ attributes }: PageElement, name: string): string | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined
}

function offersOfJsonLd(elements: readonly PageElement[]): Offer[] {
  const offers: Offer[] = []
  let left: number = offerLimits.data
  for (const element of elements) {
    if (element.name !== 'script' || attribute(element, 'type')?.trim().toLowerCase() !== 'application/ld+json')
      continue
    const text = textOf(element)
    left -= text.length
    if (left < 0) break
    collect(parsed(text), offers)
  }
  return offers
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*(?:<!--|\/\*<!\[CDATA\[\*\/)|(?:-->|\/\*\]\]>\*\/)\s*$/g, ''))
  } catch {
    // Broken declarations are common and not worth reporting.
    return null
  }
}

type Found = { readonly value: unknown; readonly name: unknown; readonly depth: number }

/** In document order. */
function collect(data: unknown, offers: Offer[]): void {
  const pending: Found[] = [{ value: data, name: '', depth: 0 }]
  let nodes = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, name, depth } = next
    if (typeof value !== 'object' || value === null || depth > offerLimits.depth || ++nodes > offerLimits.nodes)
      continue
    if (offers.length >= offerLimits.offers) return
    if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) pending.push({ value: value[i], name, depth: depth + 1 })
      continue
    }
    const fields = new Map<string, unknown>(Object.entries(value))
    const called = fields.get('name') ?? name
    if (isOffer(fields)) {
      const offer = offerOf(offerFields(fields, name === '' ? called : name))
      if (offer !== null) offers.push(offer)
      // An aggregate without a price of its own may list its offers.
      if (offer !== null || !fields.has('offers')) continue
    }
    for (const key of ['hasVariant', 'offers', 'itemOffered', 'mainEntity', '@graph']) {
      if (fields.has(key)) pending.push({ value: fields.get(key), name: called, depth: depth + 1 })
    }
  }
}

function isOffer(fields: ReadonlyMap<string, unknown>): boolean {
  const types = [fields.get('@type')].flat().map((type) => word(type).replace(/^.*[/#:]/, ''))
  return types.includes('Offer') || types.includes('AggregateOffer') || (fields.has('price') && !fields.has('offers'))
}

const word = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Types of prices that are shown, but not paid. */
const formerPrice = /(?:List|Strikethrough|Regular)Price|SRP/

function offerFields(fields: ReadonlyMap<string, unknown>, name: unknown): Fields {
  const specifications = [fields.get('priceSpecification')]
    .flat()
    .filter((each) => typeof each === 'object' && each !== null)
    .map((each) => new Map<string, unknown>(Object.entries(each as object)))
  const inner =
    specifications.find((each) => !formerPrice.test(word(each.get('priceType')))) ??
    specifications[0] ??
    new Map<string, unknown>()
  return {
    name,
    price: fields.get('price') ?? fields.get('lowPrice') ?? inner.get('price'),
    currency: fields.get('priceCurrency') ?? inner.get('priceCurrency'),
    availability: fields.get('availability'),
  }
}

/** Properties up to the next offer belong to the previous one; by far the most pages have a single product. */
function offersOfMicrodata(elements: readonly PageElement[]): Offer[] {
  const offers: Offer[] = []
  let name: unknown = ''
  let current: Fields = {}
  const end = (): void => {
    const offer = offerOf({ ...current, name })
    if (offer !== null && offers.length < offerLimits.offers) offers.push(offer)
    current = {}
  }
  for (const element of elements) {
    for (const property of (attribute(element, 'itemprop') ?? '').split(/\s+/)) {
      if (property === 'offers') end()
      else if (property === 'name' && current.price === undefined && name === '') name = contentOf(element)
      else if (property === 'price' || property === 'lowPrice') current.price ??= contentOf(element)
      else if (property === 'priceCurrency') current.currency ??= contentOf(element)
      else if (property === 'availability') current.availability ??= contentOf(element)
    }
  }
  end()
  return offers
}

function contentOf(element: PageElement): string {
  return (
    attribute(element, 'content') ??
    attribute(element, 'href') ??
    attribute(element, 'value') ??
    textOf(element)
  ).slice(0, 1000)
}

function offersOfMeta(elements: readonly PageElement[]): Offer[] {
  const metas = new Map<string, string>()
  for (const element of elements) {
    if (element.name !== 'meta') continue
    const name = (attribute(element, 'property') ?? attribute(element, 'name') ?? '').toLowerCase()
    if (name !== '' && !metas.has(name)) metas.set(name, attribute(element, 'content') ?? '')
  }
  const first = (...names: string[]): string | undefined => names.map((name) => metas.get(name)).find(Boolean)
  const offer = offerOf({
    name: first('og:title'),
    price: first('product:sale_price:amount', 'product:price:amount', 'og:price:amount'),
    currency: first('product:sale_price:currency', 'product:price:currency', 'og:price:currency'),
    availability: first('product:availability', 'og:availability'),
  })
  return offer === null ? [] : [offer]
}
