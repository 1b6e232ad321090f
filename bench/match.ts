/**
 * All profiles against one document: 10 k, 100 k and 1 M profiles of five weighted words, against pages with about 58 KB of text (a
 * page of 70 KB). The naive loop, which compares every profile with the document, is measured in the same run.
 */

import { type CompiledInterests, compileInterests } from '../src/matching/interests/compile-interests.ts'
import { createMatchIndex, type MatchIndex } from '../src/matching/match/match-index.ts'
import { matchNaively } from '../src/matching/match/naive-match.testkit.ts'
import { type DocumentTerms, readDocument } from '../src/matching/terms/document-terms.ts'
import { createRandom, type Random } from './origin/random.ts'
import type { Benchmark } from './table.ts'

export const optionNames = ['profiles']

const SIZES = [10_000, 100_000, 1_000_000]
const GOALS_MS: Record<number, number> = { 10000: 5, 100000: 10, 1000000: 10 }
const VOCABULARY = 200_000
/** The most common words, such as "and", are only in documents. */
const FUNCTION_WORDS = 1_000
const TERMS = 5
const THRESHOLD_SHARE = 0.6
const TEXT_LENGTH = 58_000
const DOCUMENTS = 60
/** Times that each document is matched. */
const ROUNDS = 5
const NAIVE_PROFILES = 10_000
const UPDATES = 20_000
const UPDATES_EACH = 500

type Words = { text(): string; interests(): CompiledInterests }

/** An artificial language with Zipf's law: the nth most common word has the frequency 1/n. */
function createWords(random: Random): Words {
  const sums = new Float64Array(VOCABULARY)
  let sum = 0
  for (let n = 0; n < VOCABULARY; n++) sums[n] = sum += 1 / (n + 2.7)
  const draw = (from: number): number => {
    const wanted = (sums[from - 1] ?? 0) + random.next() * (sum - (sums[from - 1] ?? 0))
    let low = 0
    for (let high = VOCABULARY - 1; low < high; ) {
      const middle = (low + high) >> 1
      if (sums[middle]! < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    text() {
      let text = ''
      while (text.length < TEXT_LENGTH) text += `${spell(draw(0))} `
      return text
    },
    interests() {
      const keywords = Array.from({ length: TERMS }, () => ({
        key: spell(draw(FUNCTION_WORDS)),
        weight: 1 + random.below(5),
      }))
      const total = keywords.reduce((weights, { weight }) => weights + weight, 0)
      const threshold = Math.ceil(total * THRESHOLD_SHARE)
      return compileInterests({
        keywords,
        exclude: [],
        expression: '',
        threshold,
        stemming: '',
        scorer: '',
        ignore: [],
        match: 'change',
      })
    },
  }
}

const onsets = ['b', 'c', 'd', 'f', 'g', 'h', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'st', 'tr', 'pl', 'qu', 'sh']
const nuclei = ['a', 'e', 'i', 'o', 'u', 'ea', 'io', 'ou']

/** More common words are shorter. */
function spell(rank: number): string {
  let text = ''
  for (let rest = rank + 20; rest > 0; rest = Math.floor(rest / (onsets.length * nuclei.length)))
    text += onsets[rest % onsets.length]! + nuclei[Math.floor(rest / onsets.length) % nuclei.length]!
  return rank % 7 === 0 ? `${text}s` : text
}

type Stats = {
  profiles: number
  builtPerSecond: number
  memoryMb: number
  p50Ms: number
  p95Ms: number
  /** 95th percentile over documents of each one's fastest time, since other load only adds to it. */
  leastP95Ms: number
  /** Mean CPU time of the thread. */
  cpuMs: number
  matches: number
  naiveMs: number
  updatesPerSecond: number
}

function createDocuments(words: Words): DocumentTerms[] {
  return Array.from({ length: DOCUMENTS }, () => readDocument({ url: '', title: '', text: words.text() }))
}

/** An index of this many profiles, and the first of them for the naive loop. */
function buildIndex(profiles: number, words: Words) {
  const index = createMatchIndex()
  const some: [number, CompiledInterests][] = []
  let setMs = 0
  for (let id = 0; id < profiles; id++) {
    const interests = words.interests()
    if (id < NAIVE_PROFILES) some.push([id, interests])
    const startedAt = performance.now()
    index.set(id, interests)
    setMs += performance.now() - startedAt
  }
  return { index, some, setMs }
}

function measure(profiles: number, words: Words, documents: readonly DocumentTerms[]): Stats {
  const { index, some, setMs } = buildIndex(profiles, words)
  for (const document of documents) index.match(document) // warm-up: compiles the code
  let matches = 0
  const all: number[] = []
  const least = documents.map(() => Number.POSITIVE_INFINITY)
  const cpuBefore = process.threadCpuUsage()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, document] of documents.entries()) {
      const startedAt = performance.now()
      matches += index.match(document).length
      const took = performance.now() - startedAt
      all.push(took)
      least[at] = Math.min(least[at]!, took)
    }
  }
  const cpu = process.threadCpuUsage(cpuBefore)
  all.sort((a, b) => a - b)
  least.sort((a, b) => a - b)
  const startedAt = performance.now()
  const naive = documents.slice(0, 5).map((document) => matchNaively(some, document).length)
  const naiveMs = ((performance.now() - startedAt) / naive.length) * (profiles / some.length)
  return {
    profiles,
    builtPerSecond: profiles / (setMs / 1000),
    memoryMb: index.memoryBytes() / 1e6,
    p50Ms: all[Math.floor(all.length * 0.5)]!,
    p95Ms: all[Math.floor(all.length * 0.95)]!,
    leastP95Ms: least[Math.floor(least.length * 0.95)]!,
    cpuMs: (cpu.user + cpu.system) / 1000 / all.length,
    matches: matches / all.length,
    naiveMs,
    updatesPerSecond: updateWhileMatching(index, words, documents).updatesPerSecond,
  }
}

type UpdateStats = { updatesPerSecond: number; longestMs: number; matchMs: number }

/** Changes profiles between documents, as in a running engine. */
function updateWhileMatching(index: MatchIndex, words: Words, documents: readonly DocumentTerms[]): UpdateStats {
  let spentMs = 0
  let longestMs = 0
  let matchMs = 0
  for (let done = 0; done < UPDATES; done += UPDATES_EACH) {
    const changed = Array.from({ length: UPDATES_EACH }, (_, n) => ({
      id: ((done + n) * 7_919) % index.size,
      interests: words.interests(),
    }))
    const startedAt = performance.now()
    for (const { id, interests } of changed) index.set(id, interests)
    const updatedAt = performance.now()
    index.match(documents[(done / UPDATES_EACH) % documents.length]!)
    matchMs += performance.now() - updatedAt
    spentMs += updatedAt - startedAt
    longestMs = Math.max(longestMs, updatedAt - startedAt)
  }
  return { updatesPerSecond: UPDATES / (spentMs / 1000), longestMs, matchMs: (matchMs / UPDATES) * UPDATES_EACH }
}

export const run: Benchmark = async ({ values }) => {
  const sizes = values.profiles === undefined ? SIZES : [Number(values.profiles)]
  const words = createWords(createRandom(11))
  const documents = createDocuments(words)
  const all = sizes.map((profiles) => measure(profiles, words, documents))
  const stats: Record<string, number> = {}
  for (const { profiles, p50Ms, p95Ms, leastP95Ms, cpuMs, naiveMs, memoryMb, updatesPerSecond } of all) {
    const name = `at${profiles / 1000}k`
    if (GOALS_MS[profiles] !== undefined) stats[`${name}P95OfGoal`] = p95Ms / GOALS_MS[profiles]
    Object.assign(stats, {
      [`${name}NaiveOverOurs`]: naiveMs / p50Ms,
      [`${name}P50Ms`]: p50Ms,
      [`${name}P95Ms`]: p95Ms,
      [`${name}LeastP95Ms`]: leastP95Ms,
      [`${name}CpuMs`]: cpuMs,
    })
    Object.assign(stats, { [`${name}MemoryMb`]: memoryMb, [`${name}UpdatesPerSecond`]: updatesPerSecond })
  }
  return {
    name: 'match',
    columns: [
      ...['profiles', 'p50 ms', 'p95 ms', 'least p95 ms', 'CPU ms', 'goal ms'],
      ...['naive ms', 'times', 'matches', 'MB', 'built/s', 'updates/s'],
    ],
    rows: all.map((row) => [
      row.profiles,
      row.p50Ms,
      row.p95Ms,
      row.leastP95Ms,
      row.cpuMs,
      GOALS_MS[row.profiles] ?? '',
      Math.round(row.naiveMs),
      row.naiveMs / row.p50Ms,
      Math.round(row.matches),
      row.memoryMb,
      Math.round(row.builtPerSecond),
      Math.round(row.updatesPerSecond),
    ]),
    stats,
    notes: [
      `Words by Zipf over ${VOCABULARY} words; profiles have ${TERMS} of them, excluding the ${FUNCTION_WORDS} most common, with weights 1 to 5 and a threshold of ${THRESHOLD_SHARE * 100} % of their sum.`,
      `${DOCUMENTS} documents of ${TEXT_LENGTH} characters, already parsed, each ${ROUNDS} times; matches is the mean per document.`,
      'least p95 ms counts each document by the least of its times, CPU ms is the mean processor time: both say more on a machine with other work.',
      `The naive loop ran over ${NAIVE_PROFILES} profiles; larger values are extrapolated.`,
      'MB is the size of the index, without the compiled interests of the caller.',
    ],
  }
}

/** Profile changes per second while documents are matched. */
export const runUpdate: Benchmark = async ({ values }) => {
  const sizes = values.profiles === undefined ? SIZES : [Number(values.profiles)]
  const words = createWords(createRandom(12))
  const documents = createDocuments(words)
  const all = sizes.map((profiles) => {
    const { index } = buildIndex(profiles, words)
    const measured = updateWhileMatching(index, words, documents)
    return { profiles, ...measured, memoryMb: index.memoryBytes() / 1e6 }
  })
  const stats: Record<string, number> = {}
  for (const { profiles, updatesPerSecond } of all) stats[`at${profiles / 1000}kUpdatesPerSecond`] = updatesPerSecond
  return {
    name: 'update',
    columns: ['profiles', 'updates/s', 'longest ms', 'match ms', 'MB'],
    rows: all.map((row) => [row.profiles, Math.round(row.updatesPerSecond), row.longestMs, row.matchMs, row.memoryMb]),
    stats,
    notes: [
      `${UPDATES} profiles get new interests, and a document is matched after every ${UPDATES_EACH}; profiles and documents as in match.`,
      `longest ms is the slowest batch of ${UPDATES_EACH} changes, match ms the mean of a document right after a batch; interests are compiled beforehand.`,
    ],
  }
}
