/** Profiles changed per second while documents are matched: what an engine with that many profiles takes when people change them. */
import { buildIndex, createDocuments, createWords, SIZES, UPDATES, UPDATES_EACH, updateWhileMatching } from './match.ts'
import { createRandom } from './origin/random.ts'
import type { Benchmark } from './table.ts'

export const optionNames = ['profiles']

export const run: Benchmark = async ({ values }) => {
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
      `${UPDATES} profiles are changed, each into other interests, with a document matched after every ${UPDATES_EACH}; profiles and documents as in match.`,
      `longest ms is the longest ${UPDATES_EACH} changes together, match ms the mean of a document right behind them; interests are compiled before.`,
    ],
  }
}
