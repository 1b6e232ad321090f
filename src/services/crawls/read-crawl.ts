import type { Config } from '../../config/config.ts'
import { AppError } from '../../core/errors.ts'
import { createAddressGuard, parseAddress } from '../../core/url/address.ts'
import { createScope } from '../../crawl/filter/scope.ts'
import { namingOf } from '../../crawl/normalize/naming.ts'
import { createNormaliser } from '../../crawl/normalize/normaliser.ts'
import type { CrawlDraft } from '../../store/contracts/crawls.ts'

export type CrawlRequest = Pick<CrawlDraft, 'seeds' | 'depth' | 'restrict' | 'maxPages'>

/** The settings that decide what the service may crawl. */
export type CrawlRules = Pick<Config, 'crawl'> & { network: Pick<Config['network'], 'allow'> }

export const crawlLimits = { seeds: 10_000, restrictLength: 2_000, depth: 1_000_000, pages: 10_000_000 } as const

const MAX_NAMED = 5

/**
 * Checks that the service can do a crawl. Throws `url-invalid` for seeds that can't be fetched, `address-refused` for seeds in networks
 * that the service may not access, `usage-wrong` for an invalid expression or limit. Host names are resolved only when fetched.
 */
export function checkCrawl(request: CrawlRequest, { crawl, network }: CrawlRules): void {
  const { seeds, depth, restrict, maxPages } = request
  if (seeds.length === 0) throw new AppError('usage-wrong', 'a crawl needs at least one seed')
  if (seeds.length > crawlLimits.seeds)
    throw new AppError(
      'usage-wrong',
      `a crawl in the service takes up to ${crawlLimits.seeds} seeds, not ${seeds.length}`,
    )
  checkNumber('depth', depth, 0, crawlLimits.depth)
  checkNumber('maxPages', maxPages, 1, crawlLimits.pages)
  if (restrict !== null && restrict.length > crawlLimits.restrictLength)
    throw new AppError('usage-wrong', `restrict is longer than ${crawlLimits.restrictLength} characters`)
  const normalise = createNormaliser(namingOf(crawl))
  refuse(
    'url-invalid',
    'seeds that cannot be fetched',
    seeds.flatMap((seed) => {
      const url = URL.parse(seed)
      const named = url === null ? null : normalise(url.href)
      if (named?.kind === 'ok') return []
      return `${seed.slice(0, 200)} (${named?.reason ?? 'invalid'})`
    }),
  )
  createScope({ seeds, ...(restrict === null ? {} : { restrict }) })
  const guard = createAddressGuard({ allow: network.allow })
  refuse(
    'address-refused',
    'the service may not fetch from these networks (network.allow opens them)',
    seeds.flatMap((seed) => {
      const address = addressIn(seed)
      const verdict = address === null ? null : guard.check(address)
      return verdict?.kind === 'refused' ? `${seed.slice(0, 200)} (${verdict.range})` : []
    }),
  )
}

function checkNumber(name: string, value: number | null, min: number, max: number): void {
  if (value !== null && !(Number.isInteger(value) && value >= min && value <= max))
    throw new AppError('usage-wrong', `${name} must be a whole number from ${min} to ${max}`)
}

function refuse(code: 'url-invalid' | 'address-refused', why: string, named: readonly string[]): void {
  if (named.length === 0) return
  const more = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : ''
  throw new AppError(code, `${why}: ${named.slice(0, MAX_NAMED).join(', ')}${more}`)
}

/** The literal IP address in a seed; null for a name that has to be resolved. */
function addressIn(seed: string): string | null {
  const host = new URL(seed).hostname.replace(/^\[|\]$/g, '')
  if (/(?:^|\.)localhost\.?$/.test(host)) return '127.0.0.1'
  return parseAddress(host) === null ? null : host
}
