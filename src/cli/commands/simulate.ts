import type { SimulationReport } from '../../core/reports/simulation-report.ts'
import { refuseWords, wholeNumber } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import { createInterrupt } from '../interrupt.ts'
import { columns, formatCount, formatSpan, printable } from '../output/terminal-text.ts'

const DEFAULT_DAYS = 14
const DEFAULT_BUDGETS = [0.25, 0.5, 1, 2, 4]

export const command: Command = {
  name: 'simulate',
  group: 'Archive',
  summary: 'how fresh your sources would be under other budgets and policies, from their own history',
  usage: '',
  options: [
    { name: 'days', argument: 'N', about: `how long to simulate (default: ${DEFAULT_DAYS})` },
    {
      name: 'sources',
      argument: 'N',
      about: 'also list the N sources that change most, with their next check (default: 10)',
    },
    { name: 'seed', argument: 'N', about: 'another seed gives other random changes (default: 1)' },
  ],
  examples: [
    { line: 'erace simulate', about: 'a quarter of the requests of today up to four times as many' },
    { line: 'erace simulate --days 30 --sources 50', about: 'a longer time, and more of the plan' },
  ],
  async prepare({ positionals, options, target, engine, io, clock, json }, errors) {
    refuseWords(positionals, 'simulate takes no arguments', errors)
    const days = wholeNumber(options, 'days', [1, 365], errors) ?? DEFAULT_DAYS
    const listed = wholeNumber(options, 'sources', [0, 100_000], errors) ?? 10
    const seed = wholeNumber(options, 'seed', [1, 1_000_000], errors) ?? 1
    return async () => {
      const interrupt = createInterrupt({ io, clock })
      const request = { days, seed, listed, budgets: DEFAULT_BUDGETS }
      try {
        const report = await engine.simulate(target, request, interrupt.signal)
        io.stdout.write(json ? `${JSON.stringify(report)}\n` : simulationText(report, clock.now()))
        return exitCodes.done
      } catch (error) {
        if (interrupt.signal.aborted) return exitCodes.interrupted
        throw error
      } finally {
        interrupt.dispose()
      }
    }
  },
}

const span = (ms: number): string => formatSpan(ms / 1000)
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

function simulationText({ sources, of, days, requestsPerDay, rows, plan }: SimulationReport, now: number): string {
  if (sources === 0) return 'Nothing is watched yet, so there is nothing to simulate.\n'
  const head = `${formatCount(sources)} of ${formatCount(of)} sources, ${days} days; today they need ${formatCount(Math.round(requestsPerDay))} checks a day`
  const table = columns([
    ['budget', 'policy', 'fresh', 'delay', '÷ uniform', 'used'],
    ...rows.map(({ budget, policy, fresh, delayMs, ofUniform, used }) => [
      ...[`${budget} ×`, policy, percent(fresh), span(delayMs), ofUniform.toFixed(2), percent(used)],
    ]),
  ])
  const listed = columns([
    ['source', 'changes a day', 'checked every', 'expected delay', 'next check in', 'because of'],
    ...plan.map(({ uri, changesPerDay, everyMs, expectedDelayMs, nextAt, why }) => [
      ...[printable(uri, 60), changesPerDay === null ? '–' : changesPerDay.toPrecision(2), span(everyMs)],
      ...[span(expectedDelayMs), nextAt === null ? '–' : span(nextAt - now), why],
    ]),
  ])
  return `${[[head, ...table].join('\n'), ...(plan.length > 0 ? [listed.join('\n')] : [])].join('\n\n')}\n`
}
