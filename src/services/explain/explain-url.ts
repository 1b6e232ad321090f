import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Scope } from '../../core/profile.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { createAddressGuard, parseAddress } from '../../core/url/address.ts'
import { hostKey, hostNameOf } from '../../core/url/partition.ts'
import { readFileLists } from '../../crawl/crawl-settings.ts'
import { readCollectedTypes } from '../../crawl/filter/collected-types.ts'
import { createFilterTree } from '../../crawl/filter/filter-tree.ts'
import { createTrapFilter } from '../../crawl/filter/trap.ts'
import { knownPathsFilter } from '../../crawl/filter/url-filter.ts'
import { namingOf } from '../../crawl/normalize/naming.ts'
import { createNormaliser } from '../../crawl/normalize/normaliser.ts'
import { productToken } from '../../crawl/robots/agent-token.ts'
import { rulesFromResponse } from '../../crawl/robots/robots-verdict.ts'
import { createListRefusal } from '../../crawl/worker/links/filter-steps.ts'
import type { DocumentKey } from '../../store/contracts/documents.ts'
import type { FrontierView } from '../../store/contracts/frontier-view.ts'
import type { CataloguedDocument, VersionStore } from '../../store/contracts/versions.ts'
import { createSourceCover } from '../preview/source-cover.ts'
import { createCoverage } from '../visibility/coverage.ts'
import type { OwnedSource } from '../visibility/visibility.ts'
import { createLinkDistance, type LinkDistance } from './link-distance.ts'

/**
 * Why a URL was or was not fetched: the steps of the crawl in order, up to the first that rejects it. Nothing is fetched to
 * find out. Hosts and documents that don't concern the owner are not revealed, not even whether they are known.
 */
export type UrlExplanation = {
  url: string
  verdict: 'fetched' | 'queued' | 'refused' | 'failed' | 'not-covered' | 'unknown'
  sentence: string
  steps: ExplainedStep[]
  document: number | null
}

export type ExplainedStep = { name: string; ok: boolean | null; text: string }

export type ExplainDeps = {
  config: Config
  frontier: FrontierView
  versions: Pick<VersionStore, 'document' | 'links'>
  clock: Clock
  keyOf(url: string): DocumentKey | null
}

export type ExplainAsked = {
  url: string
  sources: readonly OwnedSource[]
  /** Whether to reveal hosts and queues that no source of the owner covers. */
  all: boolean
  /** As the owner sees it; null if there is none. */
  document(): Promise<CataloguedDocument | null>
}

const MAX_NAMED = 3
/** Maximum number of sources to measure the distance from. */
const MAX_MEASURED = 10

/** A source with the page in its scope; `hops` is null if the distance is unknown. */
type Reach = { owned: OwnedSource; hops: number | null; isTooFar: boolean }

export function createExplainUrl({ config, frontier, versions, clock, keyOf }: ExplainDeps) {
  const distance = createLinkDistance({ versions, keyOf })
  const { crawl, network } = config
  const normalise = createNormaliser(namingOf(crawl))
  const guard = createAddressGuard({ allow: network.allow })
  const follows = createFilterTree(crawl.filter)
  let lists: ReturnType<typeof readLists> | undefined
  const traps = createTrapFilter({
    maxUrlLength: crawl.maxUrlLength,
    maxPathSegments: crawl.maxPathSegments,
    maxRepeatedSegments: crawl.maxRepeatedSegments,
  })
  const knownPaths = knownPathsFilter()
  const agent = productToken(crawl.userAgent)

  async function readLists() {
    const files = await readFileLists(config)
    return { refuses: createListRefusal(files), hasIgnoredSuffix: readCollectedTypes(files).hasIgnoredSuffix }
  }

  /** Filters apply to links; a source is fetched regardless, unless one of the configured lists forbids it. */
  async function filters(url: string, isSource: boolean): Promise<ExplainedStep> {
    const name = 'filters'
    lists ??= readLists().catch((error) => {
      lists = undefined
      throw error
    })
    const { refuses, hasIgnoredSuffix } = await lists
    const listed = refuses(url)
    if (listed === 'blocked') return { name, ok: false, text: "It's on this service's block list." }
    if (listed !== null) return { name, ok: false, text: "This service doesn't fetch files with this extension." }
    if (isSource) return { name, ok: true, text: 'It is a source itself, and filters apply only to links.' }
    if (hasIgnoredSuffix(url)) return { name, ok: false, text: 'Links with this file extension are not followed.' }
    if (!follows.accepts(url))
      return { name, ok: false, text: "This service's filter doesn't let links to it through." }
    const verdict = traps.check(url)
    if (verdict.kind === 'skip' && verdict.reason === 'length')
      return { name, ok: false, text: 'The URL is too long to follow.' }
    if (verdict.kind === 'skip' || !knownPaths.accepts(url))
      return { name, ok: false, text: 'The URL looks like part of an endless series (a crawler trap).' }
    return { name, ok: true, text: 'No filter blocks it.' }
  }

  function address(url: string): ExplainedStep {
    const name = 'address'
    const host = hostNameOf(hostKey(url)).replace(/^\[|\]$/g, '')
    if (parseAddress(host) === null)
      return { name, ok: null, text: 'The address guard decides once the host name is resolved.' }
    const verdict = guard.check(host)
    if (verdict.kind === 'allowed') return { name, ok: true, text: 'The address guard allows it.' }
    return { name, ok: false, text: `The address guard blocks it: ${verdict.range}.` }
  }

  async function robots(url: string): Promise<ExplainedStep> {
    const name = 'robots'
    if (!crawl.respectRobots) return { name, ok: true, text: 'robots.txt is ignored, by configuration.' }
    const kept = await frontier.robots(new URL(url).origin)
    if (kept === null) return { name, ok: null, text: "The host's robots.txt has not been read yet." }
    const response = { status: kept.kind === 'rules' ? 200 : 404, body: kept.body }
    const { rules } = rulesFromResponse(kept.kind === 'disallow-all' ? 'unreachable' : response)
    if (rules.isAllowed(agent, url)) return { name, ok: true, text: "The host's robots.txt allows it." }
    return { name, ok: false, text: "The host's robots.txt disallows it." }
  }

  async function queue(url: string): Promise<ExplainedStep & { isQueued: boolean }> {
    const name = 'queue'
    const key = keyOf(url)
    const host = key === null ? null : await frontier.host(key.host)
    if (key === null || host === null)
      return { name, ok: null, isQueued: false, text: 'Nothing has been requested from its host yet.' }
    const isQueued = await frontier.isQueued(key)
    const place = isQueued ? "It is in its host's queue" : "It is not in its host's queue"
    return { name, ok: host.givenUp ? false : isQueued ? true : null, isQueued, text: `${place}. ${hostText(host)}` }
  }

  function hostText({ queued, nextAt, failures, givenUp }: NonNullable<Awaited<ReturnType<FrontierView['host']>>>) {
    if (givenUp) return 'The host failed repeatedly and was given up.'
    const waits =
      queued === 0
        ? 'The queue is empty.'
        : `${queued === 1 ? '1 request is' : `${queued} requests are`} waiting there.`
    const rests = nextAt > clock.now() ? ` Next request at ${new Date(nextAt).toISOString()}.` : ''
    return `${waits}${failures > 0 ? ` The host failed ${failures === 1 ? 'once' : `${failures} times in a row`}.` : ''}${rests}`
  }

  /**
   * The distance of the page from each source that has it in its scope, according to the stored pages. Only the first few are measured;
   * the others count as near enough. Only pages that the owner sees are read.
   */
  async function reachesOf(inScope: readonly OwnedSource[], url: string): Promise<Reach[]> {
    const reaches: Reach[] = []
    for (const [n, owned] of inScope.entries()) {
      const { source, landed, visited } = owned
      const from = [...new Set([source.uri, landed === '' ? source.uri : landed])]
      const { has } = createCoverage([owned])
      const isKnown = visited && n < MAX_MEASURED
      const found: LinkDistance = isKnown
        ? await distance({ from, to: url, depth: source.depth, follows: has })
        : { kind: 'unknown' }
      const hops = found.kind === 'links' ? found.hops : null
      reaches.push({ owned, hops, isTooFar: hops !== null && hops > source.depth })
    }
    return reaches
  }

  return async ({ url: given, sources, all, document: find }: ExplainAsked): Promise<UrlExplanation> => {
    const named = normalise(URL.parse(given)?.href ?? given)
    const steps: ExplainedStep[] = []
    if (named.kind === 'rejected') {
      const text = refusals[named.reason]
      steps.push({ name: 'url', ok: false, text })
      return { url: given.slice(0, crawl.maxUrlLength), verdict: 'refused', sentence: text, steps, document: null }
    }
    const { url } = named
    const text = named.key === url ? `Known as ${url}.` : `Fetched as ${url} and identified as ${named.key}.`
    steps.push({ name: 'url', ok: true, text })
    const document = await find()
    const inScope = coveringOf(sources, url)
    const reaches = await reachesOf(inScope, url)
    const covering = reaches.filter(({ isTooFar }) => !isTooFar).map(({ owned }) => owned)
    const end = (verdict: UrlExplanation['verdict'], sentence: string): UrlExplanation => ({
      url,
      verdict,
      sentence,
      steps,
      document: document?.id ?? null,
    })
    const covers = coverText(reaches)
    steps.push({ name: 'sources', ok: covering.length > 0, text: covers })
    const isSource = covering.some(({ source, landed }) =>
      [source.uri, landed].some((uri) => withoutAccess(uri) === url),
    )
    const notCovered = inScope.length === 0 ? 'None of your sources covers this address.' : covers
    if (covering.length === 0 && !all && document === null) return end('not-covered', notCovered)
    for (const step of [await filters(url, isSource), address(url)]) {
      steps.push(step)
      if (step.ok === false && document === null) return end('refused', step.text)
    }
    // Which hosts other users watch stays private.
    if (all || document !== null || createCoverage(covering).has(url)) {
      const rules = await robots(url)
      steps.push(rules)
      if (rules.ok === false && document === null) return end('refused', rules.text)
      const { isQueued, ...waits } = await queue(url)
      steps.push(waits)
      if (document !== null) return outcomeOf(document, steps, end, all)
      if (isQueued) return end('queued', 'Waiting to be fetched.')
    }
    if (covering.length === 0) return end('not-covered', notCovered)
    steps.push({ name: 'outcome', ok: null, text: 'Not fetched yet, or not for you.' })
    return end('unknown', 'One of your sources covers it, but no page found so far links to it.')
  }
}

const refusals = {
  scheme: 'Only http and https are supported.',
  length: 'The URL is too long.',
  invalid: "That isn't a URL.",
}

function coveringOf(sources: readonly OwnedSource[], url: string): OwnedSource[] {
  const landed = new Map(sources.map((each) => [each.source.uri, each.landed === '' ? each.source.uri : each.landed]))
  const covering = new Set(
    createSourceCover(
      sources.map(({ source }) => source),
      landed,
    ).covering(url),
  )
  return sources.filter(({ source }) => covering.has(source))
}

function coverText(reaches: readonly Reach[]): string {
  if (reaches.length === 0) return 'Outside the scope of all your sources.'
  const near = reaches.filter(({ isTooFar }) => !isTooFar)
  const shown = near.length > 0 ? near : reaches
  const told = shown.slice(0, MAX_NAMED).map(({ owned: { name, source, visited }, hops }) => {
    const first = visited ? '' : ', first check pending'
    const away = hops === null || hops === 0 ? '' : `${hops === 1 ? '1 link' : `${hops} links`} away, `
    return `${withoutAccess(source.uri)} in the profile ${JSON.stringify(name)} (${away}${scopeText(source.scope)}, depth ${source.depth}${first})`
  })
  const more = shown.length > MAX_NAMED ? ` and ${shown.length - MAX_NAMED} more` : ''
  return near.length > 0
    ? `Covered by ${told.join('; ')}${more}.`
    : `Too many links away from ${told.join('; ')}${more}.`
}

function scopeText(scope: Scope): string {
  return scope.kind === 'pattern' ? `URLs that match ${scope.source}` : `scope ${scope.kind}`
}

function outcomeOf(
  { outcome, reason, status, checkedAt, location }: CataloguedDocument,
  steps: ExplainedStep[],
  end: (verdict: UrlExplanation['verdict'], sentence: string) => UrlExplanation,
  isAdministrator: boolean,
): UrlExplanation {
  const answer = status === 0 ? '' : `, status ${status}`
  const to = location === '' ? '' : `, to ${location}`
  const text = `Last requested at ${new Date(checkedAt).toISOString()}: ${outcome}${answer}${to}.`
  const isFailed = outcome === 'failed' || outcome === 'skipped'
  // Only administrators may learn which names exist in a private network.
  if (isFailed && !isAdministrator && ['address', 'dns-not-found', 'dns-failed'].includes(reason)) {
    const nothing = `Last requested at ${new Date(checkedAt).toISOString()}: the host doesn't exist or isn't public.`
    steps.push({ name: 'outcome', ok: false, text: nothing })
    return end('failed', nothing)
  }
  steps.push({ name: 'outcome', ok: !isFailed, text })
  return end(isFailed ? (outcome === 'skipped' ? 'refused' : 'failed') : 'fetched', text)
}
