import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../src/core/errors.ts'
import { createNewsDesk } from './news-desk.ts'
import { FRONT_PAGE_WORDS, startNewsServer } from './news-server.ts'
import { createTownPages } from './town-pages.ts'

type DemoOptions = {
  /** Kept when the demo ends; null for a temporary folder. */
  dataDir: string | null
  port: number
  sitePort: number
  /** Interval between two events on the site. */
  periodMs: number
  seed: number
  onEvent(about: string): void
}

type Demo = {
  url: string
  siteUrl: string
  dataDir: string
  email: string
  password: string
  /** Resolves when the program ends, for any reason. */
  ended: Promise<number | null>
  /** The last lines of the log. */
  lastLines(): string
  stop(): Promise<void>
}

const verbs = {
  new: 'an article appeared',
  corrected: 'an article was corrected',
  withdrawn: 'an article was withdrawn',
}
const EMAIL = 'demo@example.org'
const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const MAX_KEPT = 64 * 1024
const LAST_LINES = 15

/** The whole system and a sample news site, on loopback only. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'erace-demo-')))
  await mkdir(dataDir, { recursive: true })
  const desk = createNewsDesk(options.seed)
  const town = createTownPages()
  const site = await startNewsServer(desk, town, options.sitePort)
  let timer: NodeJS.Timeout | null = null
  let erace: EraceChild | null = null

  async function stop(): Promise<void> {
    if (timer !== null) clearInterval(timer)
    if (erace?.child.exitCode === null) erace.child.kill('SIGTERM')
    await erace?.ended
    await site.close()
    if (options.dataDir === null) await rm(dataDir, { recursive: true, force: true })
  }

  try {
    const password = await passwordOf(dataDir)
    const env = environmentOf(password)
    await importProfiles(dataDir, site.origin, env)
    erace = startErace(['up', '--json', '--data', dataDir, '--port', `${options.port}`], env)
    const url = await listeningUrl(erace)
    let turns = 0
    const step = (): string => {
      if (turns++ % 2 === 0) return town.step()
      const { kind, article } = desk.step()
      return `${verbs[kind]}: ${article.headline}`
    }
    timer = setInterval(() => options.onEvent(step()), options.periodMs)
    const { ended, lastLines } = erace
    return { url, siteUrl: `${site.origin}/`, dataDir, email: EMAIL, password, ended, lastLines, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function environmentOf(password: string): Record<string, string> {
  return {
    ERACE_NETWORK_ALLOW: '127.0.0.0/8',
    ERACE_SCHEDULE_MINEVERY: '1s',
    ERACE_CRAWL_DELAY: '0',
    ERACE_CRAWL_DELAYFACTOR: '0',
    ERACE_ADMIN_EMAIL: EMAIL,
    ERACE_ADMIN_PASSWORD: password,
  }
}

async function importProfiles(dataDir: string, origin: string, env: Record<string, string>): Promise<void> {
  const file = join(dataDir, 'demo-profiles.json')
  await writeFile(file, JSON.stringify(demoProfiles(origin), null, 2))
  await runErace(['profile', 'import', file, '--owner', EMAIL, '--data', dataDir, '--json'], env)
}

/** The password stored in the folder, or a new one. */
async function passwordOf(dataDir: string): Promise<string> {
  const file = join(dataDir, 'demo-password')
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim()
  const password = Array.from({ length: 4 }, syllables).join('-')
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  return password
}

/** Easy to read in a terminal and to type. */
function syllables(): string {
  const pick = (letters: string): string => letters[randomInt(letters.length)]!
  return Array.from({ length: 2 }, () => pick('bdfghjklmnprstvz') + pick('aeiou')).join('') + pick('klmnrst')
}

/** `erace` in its own process; `lastLines` returns the last lines of its standard error. */
type EraceChild = { child: ChildProcess; ended: Promise<number | null>; lastLines(): string }

function startErace(args: readonly string[], env: Record<string, string>): EraceChild {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let kept = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-MAX_KEPT)
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, ended, lastLines: () => kept.trimEnd().split('\n').slice(-LAST_LINES).join('\n') }
}

/** Runs a command to its end. */
async function runErace(args: readonly string[], env: Record<string, string>): Promise<void> {
  const { child, ended, lastLines } = startErace(args, env)
  child.stdout!.resume()
  const code = await ended
  if (code !== 0) throw new AppError('internal', `erace ${args[0]} ended with ${code}:\n${lastLines()}`)
}

/** Waits for `erace up --json` to print its URL. */
async function listeningUrl({ child, ended, lastLines }: EraceChild): Promise<string> {
  let text = ''
  const printed = new Promise<string>((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(0, MAX_KEPT)
      const end = text.indexOf('\n')
      if (end >= 0) resolve((JSON.parse(text.slice(0, end)) as { url: string }).url)
    })
  })
  const early = ended.then((code): never => {
    throw new AppError('internal', `erace up ended with ${code} before it was ready:\n${lastLines()}`)
  })
  early.catch(() => {}) // the process may also end later
  return Promise.race([printed, early])
}

/** Profiles for `erace profile import`: two ways to watch the newspaper, and one for every change of the town's pages. */
function demoProfiles(origin: string): unknown[] {
  const articles = { uri: `${origin}/`, every: '4s', depth: 1, scope: 'host', process: 'filter' }
  return [
    {
      id: 'demo-space',
      name: 'Space and science',
      sources: [articles],
      interests: {
        keywords: [
          { key: 'space', weight: 3 },
          { key: 'probe', weight: 3 },
          { key: 'telescope', weight: 3 },
          { key: 'satellite', weight: 3 },
          { key: 'moon', weight: 2 },
          { key: 'star', weight: 1 },
          { key: 'scientists', weight: 2 },
          { key: 'research', weight: 2 },
        ],
        exclude: [FRONT_PAGE_WORDS],
        threshold: 4,
      },
      urgency: 2,
    },
    {
      id: 'demo-council',
      name: 'City council',
      sources: [articles],
      interests: {
        keywords: [
          { key: 'city council', weight: 4 },
          { key: 'budget', weight: 2 },
          { key: 'tram', weight: 1 },
        ],
        exclude: ['sponsored', FRONT_PAGE_WORDS],
        threshold: 4,
      },
      urgency: 3,
    },
    {
      id: 'demo-town',
      name: 'Around town',
      sources: ['/shop/kettle', '/notices', '/ferry.json', '/feed.xml', '/harbour'].map((path) => ({
        ...{ uri: `${origin}${path}`, every: '5s', depth: 0, scope: 'page', process: 'track' },
      })),
      urgency: 1,
    },
  ]
}
