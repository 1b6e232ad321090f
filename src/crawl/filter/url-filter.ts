import { createPattern } from '../../core/pattern/pattern.ts'
import { hostKey } from '../../core/url/partition.ts'
import type { WorkBudget } from '../../core/work/work-budget.ts'

/** One of Mercator's URL filters: whether a normalised URL may be fetched. False if the budget doesn't suffice to find out. */
export type UrlFilter = { readonly name: string; accepts(url: string, budget?: WorkBudget): boolean }

/** Whether the host or one of its parent domains is in the set: one look-up per label. */
export function isWithin(domains: ReadonlySet<string>, host: string): boolean {
  for (let from = 0; ; ) {
    if (domains.has(from === 0 ? host : host.slice(from))) return true
    const dot = host.indexOf('.', from)
    if (dot === -1) return false
    from = dot + 1
  }
}

/** The expression may match anywhere in the URL. Throws `usage-wrong` if it is invalid. */
export function regexFilter(source: string): UrlFilter {
  const pattern = createPattern(source)
  return { name: `regex(${source})`, accepts: pattern.matches }
}

/** Paths that widely used software links to on every page and that never lead to a document. */
const knownPaths = new RegExp(
  [
    // Sort links of directory listings: Apache 2, Apache 1.3.
    '\\?(?:C=[NMSD](?:[;&]O=[AD])?|[NMSD]=[AD])$',
    // One page for each comment to reply to and each sharing button.
    '[?&](?:replytocom=\\d|share=(?:twitter|facebook|linkedin|pinterest|reddit|tumblr|email|telegram|x)(?:&|$))',
    // Sign-in, protected addresses, remnants of site editors.
    '/(?:wp-login\\.php(?:\\?|$)|cdn-cgi/|_vti_(?:bin|history|cnf)/)',
  ].join('|'),
)

/** Rejects paths that are known not to be documents. */
export function knownPathsFilter(): UrlFilter {
  return { name: 'known-paths', accepts: (url) => !knownPaths.test(url) }
}

/**
 * Caches the answer for the last host, since consecutive links of a page mostly have the same one. Comparing with the last
 * authority costs a tenth of extracting the host and looking it up.
 */
export function rememberHost<T>(ask: (host: string) => T): (url: string) => T {
  let authority = ''
  let answer: T | undefined
  return (url) => {
    if (authority !== '' && url.charCodeAt(authority.length) === 0x2f && url.startsWith(authority)) return answer as T
    const slash = url.indexOf('/', 8)
    answer = ask(hostKey(url))
    authority = slash === -1 ? '' : url.slice(0, slash)
    return answer
  }
}
