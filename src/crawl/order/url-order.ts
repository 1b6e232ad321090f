import type { Offer } from '../../core/request.ts'

/**
 * The order in which a host's URLs are fetched: smaller numbers first, ties in order of arrival. Most orders look only at the link
 * (`priority`). Those that look at its page set the priorities of all its links together (`weigh`).
 */
export type UrlOrder = {
  priority(url: string, hops: number): number
  /** How another link changes the priority of a queued URL. If set, links to known URLs are offered, too. */
  readonly rises?: 'sum' | 'best'
  /** Links to known URLs are offered because every visit of a page counts. */
  readonly revisits?: boolean
  /** Whether `weigh` needs the text of the page and of its links. */
  readonly readsText?: boolean
  weigh?(offers: Offer[], page: WeighedPage): void
}

/** A page whose links are weighed. */
export type WeighedPage = {
  url: string
  /** Priority of its request. */
  priority: number
  /** Visible words, the title first; empty if the order reads none, or if the page was not read again. */
  text: string
  /** The link text of each offer, if it has one. */
  linkTexts: readonly string[]
}
