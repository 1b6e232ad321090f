import type { QueuedRequest } from '../../../core/request.ts'
import type { Walk } from '../../order/walk.ts'
import type { Conclude, Conclusion } from './conclude.ts'

/** A random walk follows one link of a page, or none of them and restarts. `persist` retries while the store can't write. */
export function createWalkOn(
  conclude: Conclude,
  walk: Walk,
  persist: <T>(write: () => Promise<T>) => Promise<T>,
): Conclude {
  return async (request, result) => {
    const conclusion = await conclude(request, result)
    if (conclusion.again) return conclusion
    const { offers } = conclusion
    const offered = await persist(() => walk.next(request, offers, visitOf(request, conclusion)))
    return { ...conclusion, offers: offered }
  }
}

function visitOf({ redirects }: QueuedRequest, { offers, failure, skipped }: Conclusion) {
  if (offers.length === 1 && offers[0]!.redirects > redirects) return 'redirect'
  return offers.length === 0 && (failure !== undefined || skipped !== undefined) ? 'nothing' : 'visited'
}
