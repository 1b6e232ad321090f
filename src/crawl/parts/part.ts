import type { Clock } from '../../core/clock.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { Protocol, ProtocolTools } from '../fetch/protocol.ts'
import type { UrlFilter } from '../filter/url-filter.ts'
import type { HostAssignment } from '../frontier/host-assignment.ts'
import type { ProcessingModule } from './module.ts'
import type { DocumentSet, UrlSet } from './set-types.ts'
import type { Storage } from './storage.ts'

/**
 * Mercator's exchangeable parts: what `parts.*` in `erace.config.ts` names by a path. A part file has a default export made by one of the
 * functions below, which adds its kind, so that a file in the wrong place is found before anything starts. The kind is a plain property:
 * it is the same for every copy of this package that a part may have been written with.
 */
export type PartKind = keyof Parts

/** The part that a file of each kind exports. */
export type Parts = {
  module: ProcessingModule & Kind<'module'>
  protocol: ProtocolPart & Kind<'protocol'>
  filter: FilterPart & Kind<'filter'>
  storage: Storage & Kind<'storage'>
  frontier: FrontierPart & Kind<'frontier'>
  order: NamedPart & Kind<'order'>
  urlSet: UrlSetPart & Kind<'urlSet'>
  documentSet: DocumentSetPart & Kind<'documentSet'>
  scorer: ScorerPart & Kind<'scorer'>
  resolver: ResolverPart & Kind<'resolver'>
}

type Kind<K extends string> = { readonly kind: K }

/** A part that is made anew for each thread. */
export type NamedPart = {
  readonly name: string
  create(...given: never[]): unknown
}

/** Speaks a protocol of its own: its schemes can be crawled and watched. Made once for each crawling thread. */
export type ProtocolPart = {
  readonly name: string
  create(tools: ProtocolTools): Protocol
}

/** One more URL filter: a link is followed only if every filter accepts it. Made once for each crawling thread. */
export type FilterPart = {
  readonly name: string
  create(): Pick<UrlFilter, 'accepts'>
}

/** Finds the addresses of host names. What it answers is kept and judged like any answer; made once for each crawling thread. */
export type ResolverPart = {
  readonly name: string
  create(tools: { clock: Clock }): Resolver
}

/** Which thread crawls a host. */
export type FrontierPart = { readonly name: string; create(): HostAssignment }

/** The URL set of each crawling thread; `entries` is how many it should hold. */
export type UrlSetPart = { readonly name: string; create(given: { entries: number }): UrlSet }

/** Which pages count as copies, for each crawling thread. */
export type DocumentSetPart = { readonly name: string; create(given: { entries: number }): DocumentSet }

/** How much a keyword that a document has is worth, for profiles that name this scorer. Made once for each thread. */
export type ScorerPart = {
  /** Small letters, digits and hyphens: what profiles write. */
  readonly name: string
  create(): OwnScorer
}

export type OwnScorer = {
  /** No keyword is ever worth more than its weight: the search for matching profiles is faster then. */
  readonly isBoundedByWeight?: boolean
  /** `count` is the number of occurrences, `tokens` the number of words in the document. Not negative. */
  worth(hit: { words: readonly string[]; weight: number; count: number }, document: { tokens: number }): number
}

/** Adds the kind to a part. Only the functions for the kinds need it. */
export function definePart<K extends PartKind>(kind: K, part: Omit<Parts[K], 'kind'>): Parts[K] {
  return { ...part, kind } as unknown as Parts[K]
}

/** A processing module: is given every page of its media types, in a thread of its own. */
export function defineModule<State = unknown>(module: ProcessingModule<State>): Parts['module'] {
  return definePart('module', module as unknown as ProcessingModule)
}

/** A protocol module: fetches what is at URLs of its schemes. */
export const defineFetcher = (protocol: ProtocolPart): Parts['protocol'] => definePart('protocol', protocol)

/** A URL filter. */
export const defineFilter = (filter: FilterPart): Parts['filter'] => definePart('filter', filter)

/** A resolver of host names. */
export const defineResolver = (resolver: ResolverPart): Parts['resolver'] => definePart('resolver', resolver)

/** A storage: is given every version that is stored, in a thread of its own. */
export function defineStorage<State = unknown>(storage: Storage<State>): Parts['storage'] {
  return definePart('storage', storage as unknown as Storage)
}

/** A frontier: says which thread crawls a host. */
export const defineFrontier = (frontier: FrontierPart): Parts['frontier'] => definePart('frontier', frontier)

/** A scorer of keywords. */
export const defineScorer = (scorer: ScorerPart): Parts['scorer'] => definePart('scorer', scorer)

/** A URL set. */
export const defineUrlSet = (urlSet: UrlSetPart): Parts['urlSet'] => definePart('urlSet', urlSet)

/** A document set. */
export const defineDocumentSet = (set: DocumentSetPart): Parts['documentSet'] => definePart('documentSet', set)
