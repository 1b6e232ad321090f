import type { UrlFilter } from '../filter/url-filter.ts'
import { loadPart } from './load-part.ts'

type Log = (level: 'warn', message: string, fields: Record<string, unknown>) => void

/**
 * Loads the URL filters of the configuration for one crawling thread. They run for each link in that same thread, so they must be fast.
 * A filter that throws refuses the link, and is logged the first time.
 */
export async function loadFilters(paths: readonly string[], log: Log): Promise<Pick<UrlFilter, 'accepts'>[]> {
  return Promise.all(
    paths.map(async (path) => {
      const part = await loadPart('filter', path)
      const filter = part.create()
      let hasThrown = false
      return {
        accepts(url) {
          try {
            return filter.accepts(url) === true
          } catch (error) {
            if (!hasThrown)
              log('warn', `the URL filter ${part.name} failed; such links are not followed`, {
                url,
                error: String(error),
              })
            hasThrown = true
            return false
          }
        },
      }
    }),
  )
}
