import type { Offer } from '../../core/request.ts'

/**
 * In which order a host's URLs are fetched: smaller numbers first, equal ones as they came. Most orders look at a link alone
 * (`priority`). Those that look at its page set the priorities of all its links together (`weigh`).
 */
export type UrlOrder = {
  priority(url: string, hops: number): number
  /** What another link does to a URL that still waits. Where it does something, links to known URLs are offered, too. */
  readonly rises?: 'sum' | 'best'
  /** Links to known URLs are offered because each visit of a page is one of its own. */
  readonly revisits?: boolean
  /** Whether `weigh` needs the text of the page and of its links. */
  readonly readsText?: boolean
  weigh?(offers: Offer[], page: WeighedPage): void
}

/** A page whose links are weighed. */
export type WeighedPage = {
  url: string
  /** Of its request. */
  priority: number
  /** Visible words, the title first; empty where the order reads none, or where the page was not read again. */
  text: string
  /** Of each offer: the text of its link, if it has one. */
  linkTexts: readonly string[]
}
