import type { Clock } from '../../core/clock.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { Protocol, ProtocolTools } from '../fetch/protocol.ts'
import type { UrlFilter } from '../filter/url-filter.ts'
import type { HostAssignment } from '../frontier/host-assignment.ts'
import type { ProcessingModule } from './module.ts'
import type { DocumentSet, UrlSet } from './set-types.ts'
import type { Storage } from './storage.ts'

/**
 * Mercator's exchangeable parts: files that `parts.*` in `erace.config.ts` names by path. A part file has a default export made by one of
 * the functions below, which adds its kind, so that a file in the wrong place is detected before anything starts. The kind is a plain
 * property, so it is the same for every copy of this package that a part may have been written with.
 */
export type PartKind = keyof Parts

/** The parts that files export, by kind. */
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

/** A part that is created once for each thread. */
export type NamedPart = {
  readonly name: string
  create(...given: never[]): unknown
}

/** Adds a protocol: its schemes can be crawled and watched. Created once for each crawling thread. */
export type ProtocolPart = {
  readonly name: string
  create(tools: ProtocolTools): Protocol
}

/** Adds a URL filter: a link is followed only if every filter accepts it. Created once for each crawling thread. */
export type FilterPart = {
  readonly name: string
  create(): Pick<UrlFilter, 'accepts'>
}

/** Resolves host names. Its answers are cached and checked like any others. Created once for each crawling thread. */
export type ResolverPart = {
  readonly name: string
  create(tools: { clock: Clock }): Resolver
}

/** Decides which thread crawls a host. */
export type FrontierPart = { readonly name: string; create(): HostAssignment }

/** The URL set of each crawling thread; `entries` is the number of URLs it should hold. */
export type UrlSetPart = { readonly name: string; create(given: { entries: number }): UrlSet }

/** Decides which pages count as copies, in each crawling thread. */
export type DocumentSetPart = { readonly name: string; create(given: { entries: number }): DocumentSet }

/** Scores the keywords found in a document, for profiles that name this scorer. Created once for each thread. */
export type ScorerPart = {
  /** Lower-case letters, digits and hyphens, as used in profiles. */
  readonly name: string
  create(): OwnScorer
}

export type OwnScorer = {
  /** No keyword is ever worth more than its weight, which makes the search for matching profiles faster. */
  readonly isBoundedByWeight?: boolean
  /** `count` is the number of occurrences, `tokens` the number of words in the document. Not negative. */
  worth(hit: { words: readonly string[]; weight: number; count: number }, document: { tokens: number }): number
}

/** Adds the kind to a part. For the functions below only. */
export function definePart<K extends PartKind>(kind: K, part: Omit<Parts[K], 'kind'>): Parts[K] {
  return { ...part, kind } as unknown as Parts[K]
}

/** A processing module: gets every page of its media types, in its own thread. */
export function defineModule<State = unknown>(module: ProcessingModule<State>): Parts['module'] {
  return definePart('module', module as unknown as ProcessingModule)
}

/** A protocol module: fetches URLs of its schemes. */
export const defineFetcher = (protocol: ProtocolPart): Parts['protocol'] => definePart('protocol', protocol)

/** A URL filter. */
export const defineFilter = (filter: FilterPart): Parts['filter'] => definePart('filter', filter)

/** A resolver of host names. */
export const defineResolver = (resolver: ResolverPart): Parts['resolver'] => definePart('resolver', resolver)

/** A storage: gets every stored version, in its own thread. */
export function defineStorage<State = unknown>(storage: Storage<State>): Parts['storage'] {
  return definePart('storage', storage as unknown as Storage)
}

/** A frontier: decides which thread crawls a host. */
export const defineFrontier = (frontier: FrontierPart): Parts['frontier'] => definePart('frontier', frontier)

/** A scorer of keywords. */
export const defineScorer = (scorer: ScorerPart): Parts['scorer'] => definePart('scorer', scorer)

/** A URL set. */
export const defineUrlSet = (urlSet: UrlSetPart): Parts['urlSet'] => definePart('urlSet', urlSet)

/** A document set. */
export const defineDocumentSet = (set: DocumentSetPart): Parts['documentSet'] => definePart('documentSet', set)
