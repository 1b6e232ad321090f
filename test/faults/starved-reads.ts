import { setTimeout as pause } from 'node:timers/promises'
import { signIn, startService } from '../kit/service.ts'
import { type Account, accountOf, createAccount } from '../pages/account.ts'
import { createHandlerSite } from '../site/handler-site.ts'
import { runAlone } from './experiment.ts'

/**
 * One user has many profiles with a hundred slow expressions each on a large page, and requests its diff repeatedly. This must not
 * delay another user's diff of another page, nor the notification of its change.
 */
const defaults = {
  profiles: 40,
  expressions: 100,
  pageMB: 2,
  /** Concurrent requests of the attacker. */
  parallel: 40,
  /** Rounds of the other user without and with the attacker. */
  rounds: 9,
  /** Maximum additional wait of the other user. */
  maxDelayMs: 1000,
}

type Waits = { diffMs: number[]; noticeMs: number[] }
type Slowest = { diffMs: number; noticeMs: number }

type StarvedReadsReport = {
  /** The slowest round of each; `usual` has the medians. */
  without: Slowest
  with: Slowest
  usual: { without: Slowest; with: Slowest }
  /** The delay caused by the attacker: the difference of `usual`. The slowest of a few rounds says more about the machine. */
  delay: Slowest
  ratio: { diff: number; notice: number }
  /** Number of answers to the attacker by status. */
  attackerStatuses: Record<string, number>
  faults: string[]
}

const POLL_MS = 20
const MAX_WAIT_MS = 120_000
const visitor = { email: 'bob@example.org', password: 'a long enough password' }

export async function runStarvedReads(given: Partial<typeof defaults> = {}): Promise<StarvedReadsReport> {
  const options = { ...defaults, ...given }
  const faults: string[] = []
  let edition = 0
  const large = createLargePage(options.pageMB)
  const site = await createHandlerSite((path, response) => {
    if (path === '/robots.txt') return void response.end()
    response.end(
      path === '/large'
        ? large(edition)
        : `<title>Small</title><p>edition ${edition} of ${path} for USD ${edition}</p>`,
    )
  })
  const service = await startService()
  try {
    const attacker = await createAccount(service)
    await attacker.ask('POST', '/users', visitor)
    const other = accountOf(service, await signIn(service.api, visitor))
    const change = (): void => void edition++
    await watch(other, `${site.origin}/small`)
    await other.visited()
    await roundOf(other, change, faults)
    const without = await roundsOf(other, change, options.rounds, faults)
    for (let n = 0; n < options.profiles; n++) await watch(attacker, `${site.origin}/large`, ignoring(n, options))
    await attacker.visited()
    const statuses = new Map<string, number>()
    const attack = startAttack(attacker, service.url, options.parallel, statuses)
    const during = await roundsOf(other, change, options.rounds, faults)
    await attack.end()
    const slowest = { without: slowestOf(without), with: slowestOf(during) }
    const usual = { without: usualOf(without), with: usualOf(during) }
    const delay = {
      diffMs: usual.with.diffMs - usual.without.diffMs,
      noticeMs: usual.with.noticeMs - usual.without.noticeMs,
    }
    for (const kind of ['diffMs', 'noticeMs'] as const)
      if (delay[kind] > options.maxDelayMs)
        faults.push(`${kind} of the other user was ${usual.with[kind]} instead of ${usual.without[kind]}`)
    const ratio = {
      diff: ratioOf(usual.with.diffMs, usual.without.diffMs),
      notice: ratioOf(usual.with.noticeMs, usual.without.noticeMs),
    }
    return { ...slowest, usual, delay, ratio, attackerStatuses: Object.fromEntries(statuses), faults }
  } finally {
    await service.destroy()
    await site.close()
  }
}

function watch(account: Account, uri: string, interests: Record<string, unknown> = {}): Promise<unknown> {
  const name = `${uri} ${JSON.stringify(interests).slice(0, 40)}`
  return account.watch(uri, { name, interests, sources: [{ uri, process: 'track', every: '1h' }] })
}

/** No two profiles have an expression in common. */
function ignoring(n: number, { expressions }: typeof defaults) {
  return { ignore: Array.from({ length: expressions }, (_, at) => `x${n}y${at}|a[ab]{${300 + at}}b`) }
}

/** Changes the page; measures the time until its watcher is notified, and the time of a diff after that. */
async function roundOf(
  account: Account,
  change: () => void,
  faults: string[],
): Promise<{ diff: number; notice: number }> {
  const known = await changesOf(account)
  change()
  const startedAt = performance.now()
  await account.ask('POST', '/sources/check', {})
  while ((await changesOf(account)).length <= known.length) {
    if (performance.now() - startedAt > MAX_WAIT_MS) throw new Error('the other user was never notified')
    await pause(POLL_MS)
  }
  const notice = Math.round(performance.now() - startedAt)
  const [{ document } = { document: null }] = await account.sources()
  const askedAt = performance.now()
  await account.ask('GET', `/documents/${document}/diff`).catch((error: unknown) => faults.push(String(error)))
  return { notice, diff: Math.round(performance.now() - askedAt) }
}

async function roundsOf(account: Account, change: () => void, count: number, faults: string[]): Promise<Waits> {
  const waits: Waits = { diffMs: [], noticeMs: [] }
  for (let n = 0; n < count; n++) {
    const { diff, notice } = await roundOf(account, change, faults)
    waits.diffMs.push(diff)
    waits.noticeMs.push(notice)
  }
  return waits
}

async function changesOf(account: Account) {
  const { items } = await account.ask<{ items: { kind: string }[] }>('GET', '/annotations?limit=200')
  return items.filter(({ kind }) => kind === 'changed')
}

/** Requests checks of the large page and its diffs without pause. */
function startAttack(attacker: Account, url: string, parallel: number, statuses: Map<string, number>) {
  const stop = new AbortController()
  async function askOn(): Promise<void> {
    const { signal } = stop
    const [source] = await attacker.sources()
    while (!signal.aborted) {
      const path = source?.document == null ? '/sources' : `/documents/${source.document}/diff`
      const answer = await fetch(`${url}/api/v1${path}`, { headers: { cookie: attacker.cookie }, signal }).catch(
        () => null,
      )
      await answer?.arrayBuffer().catch(() => null)
      const status = String(answer?.status ?? 'aborted')
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  async function checkOn(): Promise<void> {
    while (!stop.signal.aborted) {
      await attacker.ask('POST', '/sources/check', {})
      await pause(10 * POLL_MS)
    }
  }
  const running = [checkOn(), ...Array.from({ length: parallel }, askOn)]
  return {
    async end() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

/** A large page whose editions differ in a few lines. */
function createLargePage(megabytes: number): (edition: number) => string {
  let state = 1
  const letter = (): string => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 16) & 1 ? 'a' : 'b'
  }
  const line = (): string => Array.from({ length: 1000 }, letter).join('')
  const lines = Array.from({ length: megabytes * 1000 }, line)
  return (edition) => `<title>Large</title><p>edition ${edition}</p>${lines.map((each) => `<p>${each}</p>`).join('\n')}`
}

function slowestOf({ diffMs, noticeMs }: Waits): Slowest {
  return { diffMs: Math.max(...diffMs), noticeMs: Math.max(...noticeMs) }
}

function usualOf({ diffMs, noticeMs }: Waits): Slowest {
  const median = (all: number[]): number => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)]!
  return { diffMs: median(diffMs), noticeMs: median(noticeMs) }
}

const ratioOf = (one: number, other: number): number => Math.round((one / other) * 100) / 100

if (import.meta.main) await runAlone(defaults, runStarvedReads)
