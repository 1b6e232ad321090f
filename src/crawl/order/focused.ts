import type { Focus } from '../../config/focus.ts'
import { AppError } from '../../core/errors.ts'
import { createRelevance } from './relevance.ts'
import type { UrlOrder } from './url-order.ts'

/** Negated priority of a perfect link. */
export const FOCUS_SCALE = 1_000_000

/** Shares of page, link text and URL in the relevance of a link. The relevance of the page replaces missing ones. */
const SHARES = { page: 0.5, link: 0.35, url: 0.15 } as const

/**
 * Best-first: pages about a subject link to others about it, so links of relevant pages go first, above all those whose own text or URL
 * names the subject. A link that is found again on a better page moves ahead.
 */
export function createFocusedOrder(focus: Focus | null): UrlOrder {
  if (focus === null)
    throw new AppError('config-invalid', 'the order "focused" needs crawl.focus or crawl.focusExamples')
  const relevanceOf = createRelevance(focus)
  return {
    // For links without a page, such as the target of a redirect.
    priority: (url) => priorityOf(relevanceOf(wordsOfUrl(url)) ?? 0),
    rises: 'best',
    readsText: true,
    weigh(offers, { priority, text, linkTexts }) {
      // A page that was not read again has the relevance of its own link.
      const page = text === '' ? Math.max(0, Math.min(1, -priority / FOCUS_SCALE)) : (relevanceOf(text) ?? 0)
      for (const [at, offer] of offers.entries()) {
        const link = relevanceOf(linkTexts[at] ?? '') ?? page
        const url = relevanceOf(wordsOfUrl(offer.url)) ?? page
        offer.priority = priorityOf(SHARES.page * page + SHARES.link * link + SHARES.url * url)
      }
    },
  }
}

const priorityOf = (relevance: number): number => -Math.round(relevance * FOCUS_SCALE)

/** Omits scheme and host, which other links of the page share. */
function wordsOfUrl(url: string): string {
  const path = url.slice(Math.max(0, url.indexOf('/', 8)))
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
