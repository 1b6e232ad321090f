import type { Offer } from '../../core/request.ts'
import type { UrlOrder, WeighedPage } from './url-order.ts'

/**
 * Importance computed during the crawl, in the manner of OPIC (Abiteboul, Preda, Cobena: Adaptive On-Line Page Importance Computation).
 * Every page has cash. A fetched page distributes its cash equally among the pages it links to, and the page with the most cash is
 * fetched next. The cash of a queued page is its negated priority: the queue is the table of cash, on disk with the rest of the
 * frontier, and memory does not grow with the number of pages. A share for a page that was fetched before is lost.
 *
 * As in PageRank, a part of the cash is lost (`DAMPING`), and every page adds some of its own (`INCOME`); otherwise pages found
 * late, when much was lost, would count less than pages found early.
 */
export const SEED_CASH = 2 ** 20
const INCOME = 2 ** 20
const DAMPING = 0.85

export const importanceOrder: UrlOrder = {
  priority: () => 0,
  rises: 'sum',
  weigh(offers: Offer[], page: WeighedPage) {
    if (offers.length === 0) return
    const cash = INCOME + DAMPING * Math.max(0, -page.priority)
    const share = Math.max(1, Math.round(cash / offers.length))
    for (const offer of offers) offer.priority = -share
  },
}
