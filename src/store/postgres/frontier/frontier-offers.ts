import type { Check, Offer, QueuedRequest } from '../../../core/request.ts'
import { createFingerprintCache, type FingerprintCache } from '../../../core/url/fingerprint-cache.ts'
import { partitionOf } from '../../../core/url/partition.ts'
import type { CompletedRequests, HostClock } from '../../contracts/frontier.ts'
import { raisedPriority, riseNumbers, seenKey } from '../../rules/offers.ts'
import { numberArray, textArray } from '../connection/row-batch.ts'
import { partitionOfId } from './frontier-partitions.ts'

/**
 * A batch of offers for one partition, each link once. A link offered several times is sent with its latest round and greatest depth;
 * the others count as known.
 */
export type OfferParcel = {
  partition: number
  offers: Offer[]
  /** The key that identifies each offer. */
  keys: bigint[]
  /** Number of times each was offered. */
  times: number[]
}

/** A cache of links that the database knows. It may forget links, but has no false positives. */
export type KnownLinks = {
  has(offer: Offer, key: bigint): boolean
  add(offer: Offer, key: bigint): void
}

/** Maximum offers per database call: others wait for the partition meanwhile. */
const MAX_OFFERS = 2_000

export function sortOffers(offers: readonly Offer[], known: KnownLinks): { parcels: OfferParcel[]; known: number } {
  const open = new Map<number, OfferParcel & { places: Map<string, number> }>()
  const full: OfferParcel[] = []
  let knownCount = 0
  for (const offer of offers) {
    const key = seenKey(offer.fp, offer.check.watch, offer.visit)
    // The first link of a check revives its host, known or not.
    const isSeedOfCheck = offer.check.watch > 0 && offer.parent === ''
    if (!isSeedOfCheck && offer.rises === undefined && known.has(offer, key)) {
      knownCount++
      continue
    }
    const partition = partitionOf(offer.host)
    let parcel = open.get(partition)
    if (parcel === undefined) {
      parcel = { partition, offers: [], keys: [], times: [], places: new Map() }
      open.set(partition, parcel)
    }
    const name = `${key} ${offer.host}`
    const place = parcel.places.get(name)
    if (place !== undefined) {
      parcel.times[place]!++
      const before = parcel.offers[place]!
      const priority = raisedPriority(before.priority, offer)
      if (goesFurther(offer, before)) parcel.offers[place] = offer
      if (offer.rises !== undefined) parcel.offers[place] = { ...parcel.offers[place]!, priority }
      continue
    }
    parcel.places.set(name, parcel.offers.length)
    parcel.offers.push(offer)
    parcel.keys.push(key)
    parcel.times.push(1)
    if (parcel.offers.length < MAX_OFFERS) continue
    full.push(parcel)
    open.delete(partition)
  }
  return { parcels: [...full, ...open.values()].map(byHost), known: knownCount }
}

/** Puts offers of a host next to each other: the database looks up each run of them with one statement. */
function byHost({ partition, offers, keys, times }: OfferParcel): OfferParcel {
  const order = [...Map.groupBy(offers.keys(), (at) => offers[at]!.host).values()].flat()
  const inOrder = <T>(list: readonly T[]): T[] => order.map((at) => list[at]!)
  return { partition, offers: inOrder(offers), keys: inOrder(keys), times: inOrder(times) }
}

function goesFurther(a: Offer, b: Offer): boolean {
  return a.check.round > b.check.round || (a.check.round === b.check.round && a.depth > b.depth)
}

/** Values of `frontier_offer`. */
export function offerValues({ partition, offers, keys }: OfferParcel, run: number, maxUrlsPerHost: number): unknown[] {
  const hosts = createPlaces<string>()
  const parents = createPlaces<string>()
  const checks = createPlaces<Check>()
  const revived = new Set<string>()
  const places: { host: number[]; parent: number[]; check: number[] } = { host: [], parent: [], check: [] }
  for (const { host, parent, check } of offers) {
    places.host.push(hosts.of(host, host))
    places.parent.push(parents.of(parent, parent))
    if (check.watch === 0) continue
    const { watch, round, freshFrom, since, first } = check
    // The array ends with the last check: offers after it have none, and those without one before it have index 0.
    while (places.check.length < places.host.length - 1) places.check.push(0)
    places.check.push(checks.of(`${watch} ${round} ${freshFrom} ${since} ${first}`, check))
    if (parent === '') revived.add(host)
  }
  const numbers = (pick: (offer: Offer) => number | bigint): string => numberArray(offers.map(pick))
  const ofChecks = (pick: (check: Check) => number | boolean): string => numberArray(checks.list.map(pick))
  return [
    partition,
    run,
    maxUrlsPerHost,
    textArray(hosts.list),
    textArray([...revived]),
    textArray(parents.list),
    ofChecks(({ watch }) => watch),
    ofChecks(({ round }) => round),
    ofChecks(({ freshFrom }) => freshFrom),
    ofChecks(({ since }) => since),
    ofChecks(({ first }) => first),
    numberArray(places.host),
    numberArray(places.parent),
    numberArray(places.check),
    numbers(({ fp }) => fp),
    checks.list.length === 0 && offers.every(({ visit }) => visit === undefined) ? '{}' : numberArray(keys),
    numbers(({ depth }) => depth),
    numbers(({ hops }) => hops),
    numbers(({ redirects }) => redirects),
    numbers(({ priority }) => priority),
    textArray(offers.map(({ url }) => url)),
  ]
}

/**
 * Values of `raise` for the offers at the given indexes (from 1): `fresh`, which were just queued with the numbers after `before`, and
 * `known`. Null if nothing rises.
 */
export function raiseValues(
  { partition, offers }: OfferParcel,
  { fresh, known, before }: { fresh: readonly number[]; known: readonly number[]; before: number },
): unknown[] | null {
  const rises = offers.find((offer) => offer.rises !== undefined)?.rises
  if (rises === undefined) return null
  const isRising = (n: number): boolean => offers[n - 1]!.rises === rises
  const rising = known.filter(isRising).map((n) => offers[n - 1]!)
  const marked = fresh.filter(isRising).map((n) => before + n)
  if (rising.length === 0 && marked.length === 0) return null
  return [
    partition,
    riseNumbers[rises],
    numberArray(marked),
    textArray(rising.map(({ host }) => host)),
    numberArray(rising.map(({ fp }) => fp)),
    numberArray(rising.map(({ priority }) => priority)),
  ]
}

/** Deduplicates repeated values: each is sent once and referred to by its index, from 1. */
function createPlaces<T>() {
  const places = new Map<string, number>()
  const list: T[] = []
  return {
    list,
    of(name: string, value: T): number {
      const known = places.get(name)
      if (known !== undefined) return known
      list.push(value)
      places.set(name, list.length)
      return list.length
    },
  }
}

export function createKnownLinks(entries: number): KnownLinks {
  const cache: FingerprintCache = createFingerprintCache(entries)
  let lastHost = ''
  let lastHash = 0

  // Links of one page come together, and most of them have the same host.
  function hashOf(host: string): number {
    if (host !== lastHost) {
      lastHost = host
      lastHash = hashText(host)
    }
    return lastHash
  }

  const high = (offer: Offer, key: bigint): number =>
    (Number(BigInt.asUintN(32, key >> 32n)) ^ hashOf(offer.host)) >>> 0
  const low = (offer: Offer, key: bigint): number =>
    (Number(BigInt.asUintN(32, key)) ^ Math.imul(offer.check.round % 0x7fffffff, 0x85ebca6b)) >>> 0

  return {
    has: (offer, key) => cache.get(high(offer, key), low(offer, key)) >= offer.depth,
    add: (offer, key) => cache.set(high(offer, key), low(offer, key), offer.depth),
  }
}

function hashText(text: string): number {
  let h = 0x811c9dc5
  for (let at = 0; at < text.length; at++) h = Math.imul(h ^ text.charCodeAt(at), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  return (h ^ (h >>> 13)) >>> 0
}

export type CompletionShare = { done: QueuedRequest[]; again: QueuedRequest[]; clocks: HostClock[] }

/** Splits a batch by partition. */
export function shareOut(batch: Omit<CompletedRequests, 'offers'>): Map<number, CompletionShare> {
  const shares = new Map<number, CompletionShare>()
  const shareOf = (id: number): CompletionShare => {
    const partition = partitionOfId(id)
    const known = shares.get(partition)
    if (known !== undefined) return known
    const share: CompletionShare = { done: [], again: [], clocks: [] }
    shares.set(partition, share)
    return share
  }
  for (const request of batch.done) shareOf(request.hostId).done.push(request)
  for (const request of batch.again) shareOf(request.hostId).again.push(request)
  for (const clock of batch.hosts) shareOf(clock.id).clocks.push(clock)
  return shares
}

/** Values of `frontier_complete`; those of `frontier_settle` have the epoch after the partition. */
export function completionValues(partition: number, run: number, { done, again, clocks }: CompletionShare): unknown[] {
  return [
    partition,
    run,
    numberArray(done.map(({ seq }) => seq)),
    numberArray(again.map(({ seq }) => seq)),
    numberArray(again.map(({ attempts }) => attempts)),
    numberArray(clocks.map(({ id }) => id)),
    numberArray(clocks.map(({ nextAt }) => Math.round(nextAt))),
    numberArray(clocks.map(({ failures }) => failures)),
    numberArray(clocks.map(({ rests }) => rests)),
  ]
}
