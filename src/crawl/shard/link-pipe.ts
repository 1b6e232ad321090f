import type { FingerprintCache } from '../../core/fingerprint-cache.ts'
import { hostKey } from '../../core/partition.ts'
import { linkDepth, type Offer, UNLIMITED_DEPTH } from '../../core/request.ts'
import type { SkipReason } from '../../core/skip-reason.ts'
import { baseOfSerialised, type ParsedBase, prepareBase, resolve } from '../../core/url.ts'
import { type Fingerprinter, toBigInt } from '../../core/url-key.ts'
import type { FoundLink } from '../extract/fastfind.ts'
import type { LinkNormaliser } from '../normalise/link-normaliser.ts'
import type { Normalised } from '../normalise/normaliser.ts'
import type { UrlOrder } from './url-order.ts'

/** A link on its way through the steps. One object serves all links of a shard. */
export type LinkDraft = {
  href: string
  /** Resolves against the page's base and normalises. */
  normalise(href: string): Normalised
  /** Host of the page. */
  pageHost: string
  depth: number
  url: string
  key: string
  fp: Uint32Array
}

/** What a step says of a link: nothing (it goes on), a reason to leave it, `known`, or `unparsable`. */
export type StepVerdict = null | SkipReason | 'known' | 'unparsable'

/** WebRACE's pipe as a list: a step looks at the draft, may fill in its share, and lets it pass or not. */
export type LinkStep = { name: string; run(draft: LinkDraft): StepVerdict }

export type PageContext = { url: string; host: string; baseHref: string | undefined; depth: number; hops: number }

export type LinkPipe = {
  /** All links of a page at once: its outgoing links as they are kept, and those that are worth offering. */
  run(links: readonly FoundLink[], page: PageContext): { links: string[]; offers: Offer[] }
  /** The target of a redirect. Where a seed leads is part of the crawl, in scope or not. */
  admit(url: string, page: PageContext, fromSeed: boolean): StepVerdict | Offer
}

export type LinkPipeOptions = {
  steps: readonly LinkStep[]
  normaliser: LinkNormaliser
  seen: FingerprintCache
  order: UrlOrder
  maxHops: number
  onSkip(reason: SkipReason): void
  onUnparsable(href: string, pageUrl: string): void
}

export function createLinkPipe({
  steps,
  normaliser,
  seen,
  order,
  maxHops,
  onSkip,
  onUnparsable,
}: LinkPipeOptions): LinkPipe {
  const draft: LinkDraft = {
    href: '',
    normalise: normaliser.onPage(prepareBase('http://invalid/')),
    pageHost: '',
    depth: 0,
    url: '',
    key: '',
    fp: new Uint32Array(2),
  }

  function pass(): StepVerdict {
    for (const step of steps) {
      const verdict = step.run(draft)
      if (verdict !== null) return verdict
    }
    return null
  }

  function enterPage(page: PageContext): void {
    draft.normalise = normaliser.onPage(baseOf(page))
    draft.pageHost = page.host
  }

  function offerOf(page: PageContext, depth: number, hops: number, redirects: number): Offer {
    const { url, key, fp } = draft
    // By the key, so that hosts which the host rules declare equal share one queue and one set of seen URLs.
    const host = hostKey(key)
    return {
      url,
      host,
      fp: toBigInt(fp[0]!, fp[1]!),
      parent: page.url,
      depth,
      hops,
      redirects,
      priority: order(url, hops),
    }
  }

  return {
    run(found, page) {
      const depth = linkDepth(page.depth)
      const links = new Set<string>()
      const offers: Offer[] = []
      enterPage(page)
      draft.depth = depth ?? -1
      for (const { href } of found) {
        draft.href = href
        draft.url = ''
        const verdict = pass()
        if (draft.url !== '') links.add(draft.url)
        if (verdict === null && depth !== null) {
          if (page.hops >= maxHops) onSkip('trap')
          else offers.push(offerOf(page, depth, page.hops + 1, 0))
          seen.set(draft.fp[0]!, draft.fp[1]!, page.hops >= maxHops ? UNLIMITED_DEPTH : depth)
        } else if (verdict === 'unparsable') onUnparsable(href, page.url)
        else if (verdict !== null && verdict !== 'known') {
          onSkip(verdict)
          // Looked at once: what is refused stays refused, whatever the depth.
          if (draft.url !== '') seen.set(draft.fp[0]!, draft.fp[1]!, UNLIMITED_DEPTH)
        }
      }
      return { links: [...links], offers }
    },
    admit(url, page, fromSeed) {
      draft.href = url
      enterPage(page)
      draft.depth = page.depth
      draft.url = ''
      const verdict = pass()
      if (verdict === null || (verdict === 'scope' && fromSeed && draft.url !== ''))
        return offerOf(page, page.depth, page.hops, 0)
      return verdict
    },
  }
}

function baseOf({ url, baseHref }: PageContext): ParsedBase {
  // What is queued was normalised: its parts can be told without parsing it again.
  const own = baseOfSerialised(url)
  const declared = baseHref === undefined ? null : resolve(baseHref, own)
  return declared === null || !/^https?:/.test(declared) ? own : prepareBase(declared)
}

/** The first half of the pipe: from what stands in the page to a URL with its fingerprint. */
export function createNamingSteps(deps: {
  hasIgnoredSuffix(href: string): boolean
  fingerprinter: Fingerprinter
  seen: FingerprintCache
}): LinkStep[] {
  const { hasIgnoredSuffix, fingerprinter, seen } = deps
  return [
    {
      name: 'normalise',
      run(draft) {
        const named = draft.normalise(draft.href)
        if (named.kind === 'rejected') return refusals[named.reason]
        draft.url = named.url
        draft.key = named.key
        fingerprinter.write(named.key, draft.fp, 0)
        return null
      },
    },
    {
      name: 'drop known',
      run: ({ fp, depth }) => (seen.get(fp[0]!, fp[1]!) >= Math.max(0, depth) ? 'known' : null),
    },
    // Behind the cache, so that an icon that stands on every page is looked at once.
    { name: 'drop ignored types', run: ({ url }) => (hasIgnoredSuffix(url) ? 'type' : null) },
  ]
}

const refusals = { length: 'length', scheme: 'scope', invalid: 'unparsable' } as const
