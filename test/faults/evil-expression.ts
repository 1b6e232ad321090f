import { setTimeout as pause } from 'node:timers/promises'
import { signIn, startService } from '../kit/service.ts'
import { type Account, accountOf, createAccount } from '../pages/account.ts'
import { createHandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { runAlone } from './experiment.ts'

/**
 * One user's scope is designed to be slow on a page full of long links. It must not delay another user's checks, the source is
 * set aside with its reason, and deleting the profile ends the work.
 */
const defaults = {
  links: 500,
  letters: 1700,
  /** Sources of the attacker, each with its own expression. */
  sources: 4,
  /** Checks of the other user without and with the attacker. */
  checks: 10,
  /** How much longer the other user's slowest check may take. */
  maxDelayMs: 1500,
}

type EvilExpressionReport = {
  slowestMsWithout: number
  slowestMsWith: number
  ratio: number
  attackerOutcomes: string[]
  faults: string[]
}

const POLL_MS = 20
const visitor = { email: 'bob@example.org', password: 'a long enough password' }

export async function runEvilExpression(given: Partial<typeof defaults> = {}): Promise<EvilExpressionReport> {
  const options = { ...defaults, ...given }
  const evil = await createHandlerSite((path, response) => {
    response.end(path === '/robots.txt' ? '' : evilPage(Number(path.slice(1)), options))
  })
  let edition = 0
  const plain = await createHandlerSite((path, response) => {
    response.end(
      path === '/robots.txt' ? '' : `<title>Plain</title><p>edition ${edition++} of ${path}, USD ${edition}</p>`,
    )
  }, '127.0.0.2')
  const service = await startService({ ERACE_SCHEDULE_PERUSERPERSECOND: '1000' })
  try {
    const attacker = await createAccount(service)
    await attacker.ask('POST', '/users', visitor)
    const other = accountOf(service, await signIn(service.api, visitor))
    for (let n = 0; n < 4; n++) await watch(other, `${plain.origin}/${n}`, { every: '1h' })
    await other.visited()
    await checkTimes(other, 3)
    const without = await checkTimes(other, options.checks)
    for (let n = 0; n < options.sources; n++) {
      const scope = { pattern: `.*a[ab]{${450 - n}}c` }
      await watch(attacker, `${evil.origin}/${n}`, { every: '300ms', depth: 1, scope })
    }
    await until('the attack', () => evil.asked.some((path) => path !== '/robots.txt'))
    const during = await checkTimes(other, options.checks)
    return await conclude(attacker, { without, during }, options)
  } finally {
    await service.destroy()
    await evil.close()
    await plain.close()
  }
}

async function conclude(
  attacker: Account,
  { without, during }: { without: number[]; during: number[] },
  { maxDelayMs }: typeof defaults,
): Promise<EvilExpressionReport> {
  const faults: string[] = []
  const slowestMsWithout = Math.max(...without)
  const slowestMsWith = Math.max(...during)
  if (slowestMsWith > slowestMsWithout + maxDelayMs)
    faults.push(`another user's check took ${slowestMsWith} ms instead of ${slowestMsWithout}`)
  // Compare outcomes: most of the time, the state of these sources is "checking".
  const isAside = ({ outcome }: { outcome: string }): boolean => outcome === 'skipped: expression-too-expensive'
  await until('the sources to be set aside', async () => (await attacker.sources()).every(isAside), 60_000).catch(() =>
    faults.push('the attacker does not see that the sources were set aside'),
  )
  const attackerOutcomes = [...new Set((await attacker.sources()).map(({ outcome }) => outcome))]
  for (const { profile } of await attacker.sources()) await attacker.ask('DELETE', `/profiles/${profile.id}`)
  if ((await attacker.sources()).length > 0) faults.push('the profiles of the attacker could not be deleted')
  const ratio = Math.round((slowestMsWith / slowestMsWithout) * 100) / 100
  return { slowestMsWithout, slowestMsWith, ratio, attackerOutcomes, faults }
}

function watch(account: Account, uri: string, source: Record<string, unknown>): Promise<unknown> {
  return account.watch(uri, { name: uri, sources: [{ uri, process: 'track', ...source }] })
}

/** Durations of `count` checks of all sources, as seen by their owner. */
async function checkTimes(account: Account, count: number): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now()
    const before = new Map((await account.sources()).map(({ id, lastCheckedAt }) => [id, lastCheckedAt]))
    await account.ask('POST', '/sources/check', {})
    const isDone = ({
      id,
      lastCheckedAt,
      state,
    }: {
      id: number
      lastCheckedAt: string | null
      state: string
    }): boolean => lastCheckedAt !== before.get(id) && state !== 'checking' && state !== 'queued'
    while (!(await account.sources()).every(isDone)) await pause(POLL_MS)
    times.push(Math.round(performance.now() - startedAt))
  }
  return times
}

/** Deterministic; no two links are alike. */
function evilPage(seed: number, { links, letters }: typeof defaults): string {
  let state = seed + 1
  const letter = (): string => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 16) & 1 ? 'a' : 'b'
  }
  const hrefs = Array.from({ length: links }, () => Array.from({ length: letters }, letter).join(''))
  return `<title>Links</title>${hrefs.map((href) => `<a href="/x${href}">·</a>`).join('\n')}`
}

if (import.meta.main) await runAlone(defaults, runEvilExpression)
