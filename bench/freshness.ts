import { type Simulated, type SimulatedPolicy, simulate } from '../src/services/scheduler/simulation/simulate.ts'
import { known, lambdaCrawl, nutch, stormCrawler, uniformPolicy } from './freshness/rules.ts'
import { createWorld, type Rates } from './freshness/world.ts'
import { type Benchmark, numbersOf } from './table.ts'

export const optionNames = ['pages', 'watchers', 'days', 'seeds', 'only']

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

type Setting = { name: string; rates: Rates; times: number }

const settings: readonly Setting[] = [
  { name: '¼ ×', rates: 'heavy-tailed', times: 0.25 },
  { name: '1 ×', rates: 'heavy-tailed', times: 1 },
  { name: '4 ×', rates: 'heavy-tailed', times: 4 },
  { name: 'log-normal', rates: 'log-normal', times: 1 },
]

type Row = { setting: Setting; policy: string } & Simulated & { ofUniform: number }

export const run: Benchmark = async ({ values }) => {
  const number = numbersOf(values)
  const count = number('pages', 10_000)
  const watchers = number('watchers', Math.round(count * 1.9875))
  const lengthMs = number('days', 30) * DAY_MS
  const seeds = number('seeds', 3)
  const wanted = settings.filter(({ name }) => values.only === undefined || values.only.split(',').includes(name))
  const rows = wanted.flatMap((setting) => measure(setting, { count, watchers, lengthMs, seeds }))
  const of = (setting: string, policy: string): Row | undefined =>
    rows.find((row) => row.setting.name === setting && row.policy === policy)
  const rivals = (setting: string, key: 'ofUniform' | 'fresh'): number[] =>
    ["Nutch's rule", "StormCrawler's rule"].map((name) => of(setting, name)?.[key] ?? Number.NaN)
  return {
    name: 'freshness',
    columns: ['budget', 'policy', 'fresh', 'delay h', '÷ uniform', 'budget used %'],
    rows: rows.map(({ setting, policy, fresh, delayMs, ofUniform, used }) => [
      ...[setting.name, policy, fresh, delayMs / HOUR_MS, ofUniform, 100 * used],
    ]),
    stats: Object.fromEntries(
      wanted.flatMap(({ name }) => [
        [`delay ÷ uniform, ${name}`, of(name, 'value')!.ofUniform],
        [
          `delay ÷ best of Nutch and StormCrawler, ${name}`,
          of(name, 'value')!.ofUniform / Math.min(...rivals(name, 'ofUniform')),
        ],
        [
          `fresh ÷ best of Nutch and StormCrawler, ${name}`,
          of(name, 'value')!.fresh / Math.max(...rivals(name, 'fresh')),
        ],
        [`budget used, ${name}`, of(name, 'value')!.used],
      ]),
    ),
    notes: [
      `${count} pages, ${watchers} watchers, ${lengthMs / DAY_MS} days from the first check on, mean of ${seeds} seeds. 1 × is one request per page and day.`,
      'The real scheduler in simulated time. Delay is from each change to the check that finds it, weighted by watchers; fresh is the share of time that a page is as last seen.',
      'Every page may be checked every 15 minutes at most, and is to be checked every 30 days at least. Rules of others start at one check per page and budget, and keep their own bounds.',
    ],
  }
}

function measure(
  setting: Setting,
  { count, watchers, lengthMs, seeds }: { count: number; watchers: number; lengthMs: number; seeds: number },
): Row[] {
  const sums = new Map<string, Simulated>()
  for (let seed = 1; seed <= seeds; seed++) {
    const pages = createWorld(count, watchers, setting.rates, seed)
    const budget = (setting.times * count) / DAY_MS
    const everyMs = count / budget
    const policies: SimulatedPolicy[] = [
      uniformPolicy(everyMs),
      { name: 'before, every = everyMax', kind: 'adaptive' },
      { name: 'before, adaptive', kind: 'adaptive' },
      nutch(everyMs),
      stormCrawler(everyMs),
      lambdaCrawl(pages, budget),
      known(pages, budget),
      { name: 'value', kind: 'value' },
    ]
    for (const policy of policies) {
      const isFixed = policy.name === 'before, every = everyMax'
      const world = isFixed ? pages.map((page) => ({ ...page, everyMaxMs: page.everyMs })) : pages
      const found = simulate({ pages: world, policy, budget, lengthMs, seed })
      const sum = sums.get(policy.name) ?? { fresh: 0, delayMs: 0, used: 0 }
      sums.set(policy.name, {
        fresh: sum.fresh + found.fresh / seeds,
        delayMs: sum.delayMs + found.delayMs / seeds,
        used: sum.used + found.used / seeds,
      })
    }
  }
  const base = sums.get('uniform polling')!.delayMs
  return [...sums].map(([policy, found]) => ({ setting, policy, ...found, ofUniform: found.delayMs / base }))
}
