/**
 * How evenly a crawl's work is distributed over partitions and workers: registrable domains by Zipf's law, each in the partition of
 * its name, and partitions assigned as leases do. Pure arithmetic.
 */

import { AppError } from '../../src/core/errors.ts'
import { partitionCount, partitionOf } from '../../src/core/url/partition.ts'
import { createRandom } from '../origin/random.ts'
import type { Benchmark } from '../table.ts'

export const optionNames = ['domains', 'exponent', 'pages']

const PARTITIONS = [partitionCount, 4096]
const HOLDERS = [10, 100, 256, 1000]
/** Pages per day and domain: one request at a time, a fetch and a pause of one second each. */
const DAY_PAGES = 43_200

type Weigh = { name: string; stat: string; of(pages: number): number }

export const run: Benchmark = async ({ values }) => {
  const domains = Number(values.domains ?? 1_000_000)
  const exponent = Number(values.exponent ?? 1)
  const pages = Number(values.pages ?? 1e9)
  const hashes = hashesOf(domains)
  const sizes = zipf(domains, exponent, pages)
  const weighs: Weigh[] = [
    { name: 'pages', stat: 'Pages', of: (size) => size },
    { name: 'pages of one polite day', stat: 'PolitePages', of: (size) => Math.min(size, DAY_PAGES) },
    { name: 'domains', stat: 'Domains', of: () => 1 },
  ]
  const rows: (string | number)[][] = []
  const stats: Record<string, number> = {}
  for (const partitions of PARTITIONS)
    for (const { name, stat, of } of weighs) {
      const loads = loadsOf(partitions, hashes, (domain) => of(sizes[domain]!))
      const perHolder = HOLDERS.map((holders) => overMean(deal(loads, holders)))
      rows.push([partitions, name, overMean(loads), ...perHolder])
      stats[`of${partitions}${stat}MostToMean`] = overMean(loads)
    }
  return {
    name: 'load',
    columns: ['partitions', 'counted', 'per partition', ...HOLDERS.map((holders) => `of ${holders} holders`)],
    rows,
    stats: { ...stats, largestDomainShare: sizes[0]! / pages },
    notes: [
      `${domains} domains with ${pages} pages in all, the nth with 1/n^${exponent} of the first's ${Math.round(sizes[0]!)}; each value is the largest load divided by the mean over all holders, including idle ones.`,
      `A polite day: at most ${DAY_PAGES} pages from a domain of one host, one at a time with a pause of 1 s after a fetch of 1 s.`,
      'Domains: the load while every domain still has pages queued and all are crawled at the same rate.',
    ],
  }
}

function zipf(domains: number, exponent: number, pages: number): Float64Array {
  const sizes = Float64Array.from({ length: domains }, (_, n) => 1 / (n + 1) ** exponent)
  const sum = sizes.reduce((total, size) => total + size, 0)
  return sizes.map((size) => (size / sum) * pages)
}

/** `partitionOf` uses the low eight bits of these. */
function hashesOf(domains: number): Uint32Array {
  return Uint32Array.from({ length: domains }, (_, n) => {
    const name = `site-${n}.example`
    const hash = hashOf(name)
    if (n < 1000 && (hash & (partitionCount - 1)) !== partitionOf(name))
      throw new AppError('internal', 'the hash of a domain differs from that of partitionOf')
    return hash
  })
}

export function hashOf(domain: string): number {
  let h = 0x811c9dc5
  for (let at = 0; at < domain.length; at++) h = Math.imul(h ^ domain.charCodeAt(at), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

function loadsOf(partitions: number, hashes: Uint32Array, weight: (domain: number) => number): Float64Array {
  const loads = new Float64Array(partitions)
  for (let domain = 0; domain < hashes.length; domain++) {
    const partition = hashes[domain]! & (partitions - 1)
    loads[partition] = loads[partition]! + weight(domain)
  }
  return loads
}

/** Deals partitions at random, in numbers as equal as possible. */
function deal(loads: Float64Array, holders: number): Float64Array {
  const random = createRandom(7)
  const shuffled = [...loads]
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    ;[shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!]
  }
  const dealt = new Float64Array(holders)
  for (const [index, load] of shuffled.entries()) dealt[index % holders] = dealt[index % holders]! + load
  return dealt
}

function overMean(loads: Float64Array): number {
  let sum = 0
  let most = 0
  for (const load of loads) {
    sum += load
    most = Math.max(most, load)
  }
  return most / (sum / loads.length)
}
