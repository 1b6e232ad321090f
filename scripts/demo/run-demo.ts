import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { demoProfiles } from './demo-profiles.ts'
import { type EraceChild, placeOf, runErace, startErace } from './erace-child.ts'
import { createNewsDesk, type DeskEvent } from './news-desk.ts'
import { startNewsServer } from './news-server.ts'

export type DemoOptions = {
  /** Kept when the demo ends; null for a fresh one that goes with it. */
  dataDir: string | null
  port: number
  sitePort: number
  /** Between two things that happen on the site. */
  periodMs: number
  seed: number
  onEvent(event: DeskEvent): void
}

export type Demo = {
  url: string
  siteUrl: string
  dataDir: string
  email: string
  password: string
  /** When the program ends, whoever ended it. */
  ended: Promise<number | null>
  said(): string
  stop(): Promise<void>
}

const EMAIL = 'demo@example.org'

/** The whole system beside a small paper of its own, on loopback alone. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'erace-demo-')))
  await mkdir(dataDir, { recursive: true })
  const desk = createNewsDesk(options.seed)
  const site = await startNewsServer(desk, options.sitePort)
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
    const url = await placeOf(erace)
    timer = setInterval(() => options.onEvent(desk.step()), options.periodMs)
    const { ended, said } = erace
    return { url, siteUrl: `${site.origin}/`, dataDir, email: EMAIL, password, ended, said, stop }
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

/** A folder that is kept has the password of its first use. */
async function passwordOf(dataDir: string): Promise<string> {
  const file = join(dataDir, 'demo-password')
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim()
  const password = Array.from({ length: 4 }, syllables).join('-')
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  return password
}

/** To be read from a terminal and typed. */
function syllables(): string {
  const pick = (letters: string): string => letters[randomInt(letters.length)]!
  return Array.from({ length: 2 }, () => pick('bdfghjklmnprstvz') + pick('aeiou')).join('') + pick('klmnrst')
}
