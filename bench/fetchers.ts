/**
 * The cost of our fetchers: everything at a source is read by the protocol and by plain clients, alternating; the fastest plain client
 * counts. Then many feeds are polled by the crawler with conditional requests.
 */
import { type Arena, type ContestResult, hold } from './fetchers/contest.ts'
import { openMariadb, openPostgres, openSqlite } from './fetchers/databases.ts'
import { type FeedRound, pollFeeds } from './fetchers/feeds.ts'
import { openFiles, openFtp } from './fetchers/files.ts'
import { openMail } from './fetchers/mail.ts'
import { openNews } from './fetchers/news.ts'
import { openQuery } from './fetchers/web.ts'
import { withFolder } from './measure.ts'
import { type Benchmark, type BenchTable, chosenOf, numbersOf } from './table.ts'

export const optionNames = [
  ...['messages', 'files', 'rows', 'rounds', 'only'],
  ...['feeds', 'feed-hosts', 'polls', 'fetchers', 'per-host', 'threads'],
]

type Sizes = { messages: number; files: number; rows: number }

const arenas: Record<string, (sizes: Sizes, folder: string) => Promise<Arena>> = {
  mail: ({ messages }) => openMail(messages),
  news: ({ messages }) => openNews(messages),
  ftp: ({ files }) => openFtp(files),
  file: ({ files }, folder) => openFiles(folder, files),
  postgres: ({ rows }) => openPostgres(rows),
  mariadb: ({ rows }) => openMariadb(rows),
  sqlite: ({ rows }, folder) => openSqlite(folder, rows),
  query: ({ rows }) => openQuery(rows),
}

export const run: Benchmark = async ({ values }) => {
  const number = numbersOf(values)
  const sizes = { messages: number('messages', 300), files: number('files', 300), rows: number('rows', 2000) }
  const rounds = number('rounds', 3)
  const feedOptions = {
    ...{ feeds: number('feeds', 1000), hosts: number('feed-hosts', 100), polls: number('polls', 4) },
    ...{ fetchers: number('fetchers', 128), perHost: number('per-host', 8), threads: number('threads', 2) },
  }
  const wanted = chosenOf('only', values.only, [...Object.keys(arenas), 'feeds'])
  const notes: string[] = []
  const results: ContestResult[] = []
  for (const [name, open] of Object.entries(arenas))
    if (wanted.includes(name)) results.push(...(await holdAll(name, (folder) => open(sizes, folder), rounds, notes)))
  const feeds = wanted.includes('feeds')
    ? await withFolder((folder) => pollFeeds({ ...feedOptions, folder: `${folder}/data` }))
    : []
  return tableOf(results, feeds, [
    `Messages, articles and files of about 4 KB; the best of ${rounds} rounds. A reading is all of open, list, read and close.`,
    ...notes,
    ...(feeds.length > 0
      ? [
          `${feedOptions.feeds} feeds of 8 KB on ${feedOptions.hosts} hosts, ${feedOptions.fetchers} requests at once; politeness relaxed for both. Live memory is that of the objects of all threads after a garbage collection, RSS that of the process before it.`,
        ]
      : []),
  ])
}

async function holdAll(
  name: string,
  open: (folder: string) => Promise<Arena>,
  rounds: number,
  notes: string[],
): Promise<ContestResult[]> {
  return await withFolder(async (folder) => {
    const arena = await open(folder)
    if ('missing' in arena) {
      notes.push(`${name} was left out: ${arena.missing}`)
      return []
    }
    const results: ContestResult[] = []
    try {
      for (const contest of arena.contests) {
        const result = await hold(contest, rounds)
        process.stderr.write(`${contest.name}: ${result.ours.perSecond.toFixed(0)}/s\n`)
        for (const { name: slower, perSecond } of result.plain.slice(1))
          notes.push(`${contest.name}: ${slower} read ${perSecond.toFixed(0)} items/s.`)
        results.push(result)
      }
      return results
    } finally {
      await arena.close()
    }
  })
}

function tableOf(results: readonly ContestResult[], feeds: readonly FeedRound[], notes: string[]): BenchTable {
  const stats: Record<string, number> = {}
  for (const { contest, ours, plain } of results) stats[`ratio ${contest.name}`] = ours.perSecond / plain[0]!.perSecond
  const rates = feeds.map(({ poll, moved, plainSeconds }) => ({
    ours: moved.distinct / poll.seconds,
    plain: moved.distinct / plainSeconds,
  }))
  if (feeds.length > 0) {
    const [first, second, last] = [feeds[0]!, feeds[1]!, feeds.at(-1)!]
    const middle = feeds[feeds.length >> 1]!
    const best = (of: 'ours' | 'plain') => Math.max(...rates.slice(1).map((rate) => rate[of]))
    stats['ratio feeds, first poll'] = rates[0]!.ours / rates[0]!.plain
    stats['ratio feeds, not modified'] = best('ours') / best('plain')
    stats['bytes of a poll, to the first'] = last.moved.bytes / first.moved.bytes
    stats['live memory after the last poll, to the second'] = last.live!.heapBytes / second.live!.heapBytes
    for (const [name, part] of [
      ['live memory', 'heapBytes'],
      ['memory outside of the heap', 'externalBytes'],
      ['RSS after a collection', 'rssBytes'],
    ] as const)
      stats[`${name}, last third to first third`] = lastToFirst(feeds.flatMap(({ live }) => live?.[part] ?? []))
    stats['RSS after the last poll, to half of them'] = last.poll.rssBytes / middle.poll.rssBytes
    stats['feeds per second, not modified'] = best('ours')
  }
  for (const { contest, ours } of results) stats[`${contest.name} per second`] = ours.perSecond
  return {
    name: 'fetchers',
    columns: [
      ...['what', 'items', 'items/s', 'plain client', 'items/s', 'ratio', 'moved MB', '304'],
      ...['live MB', 'outside MB', 'RSS then', 'RSS MB'],
    ],
    rows: [
      ...results.map(({ contest, ours, plain: [fastest] }) => [
        ...[contest.name, contest.items, ours.perSecond, fastest!.name, fastest!.perSecond],
        ...[ours.perSecond / fastest!.perSecond, ours.bytes / 1e6, '', '', '', '', ''],
      ]),
      ...feeds.map(({ label, poll, moved, live }, at) => [
        ...[label, moved.distinct, rates[at]!.ours, 'undici, nothing kept', rates[at]!.plain],
        ...[rates[at]!.ours / rates[at]!.plain, moved.bytes / 1e6, moved.notModified],
        ...(live === null ? ['', ''] : [live.heapBytes / 1e6, live.externalBytes / 1e6]),
        ...[live === null ? '' : live.rssBytes / 1e6, poll.rssBytes / 1e6],
      ]),
    ],
    stats,
    notes,
  }
}

/** Ratio of the mean of the last third of the values to that of the first. */
function lastToFirst(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3))
  const sumOf = (some: readonly number[]): number => some.reduce((sum, value) => sum + value, 0)
  return sumOf(values.slice(-third)) / sumOf(values.slice(0, third))
}
