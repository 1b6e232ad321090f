import type { Focus } from '../../config/focus.ts'
import { AppError } from '../../core/errors.ts'
import { createRelevance } from './relevance.ts'
import type { UrlOrder } from './url-order.ts'

/** Priority of a link that could not be better. */
export const FOCUS_SCALE = 1_000_000

/** What a link is worth by its page, its text and its URL. Without a text it is worth what its page is. */
const SHARES = { page: 0.5, link: 0.35, url: 0.15 } as const

/**
 * Best first: pages about a subject link to pages about it, so links of relevant pages go first, above all those whose own text or URL
 * names the subject. A link that is found again on a better page moves ahead.
 */
export function createFocusedOrder(focus: Focus | null): UrlOrder {
  if (focus === null)
    throw new AppError('config-invalid', 'the order "focused" needs crawl.focus or crawl.focusExamples')
  const relevanceOf = createRelevance(focus)
  return {
    // Where there is no page to go by, such as for the target of a redirect.
    priority: (url) => priorityOf(relevanceOf(wordsOfUrl(url)) ?? 0),
    rises: 'best',
    readsText: true,
    weigh(offers, { priority, text, linkTexts }) {
      // A page that was not read again was worth what its own link was.
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

/** Without scheme and host, which say nothing that other links of the page don't. */
function wordsOfUrl(url: string): string {
  const path = url.slice(Math.max(0, url.indexOf('/', 8)))
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
