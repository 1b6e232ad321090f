import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './postgres-server.testkit.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
const isThere = spawnSync(PROGRAM, ['--version']).status === 0

if (!isThere && process.env.CI) throw new Error('pgbouncer must be there in CI (Debian package pgbouncer)')

/** `skip` option for tests that need PgBouncer. */
export const pgbouncerSkip: string | false = isThere ? false : 'there is no pgbouncer (Debian package pgbouncer)'

export type PoolMode = 'session' | 'transaction' | 'statement'

export type Pgbouncer = {
  /** The database's address through PgBouncer. */
  address: string
  end(): Promise<void>
}

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534

/** The real PgBouncer in front of a database, with its package's settings by default. */
export async function startPgbouncer(
  address: string,
  mode: PoolMode,
  settings: Record<string, string> = {},
): Promise<Pgbouncer> {
  const target = new URL(address)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'erace-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    ...settings,
  }
  // An empty password is an error in its configuration file.
  const password = target.password === '' ? '' : ` password=${target.password}`
  const server = `host=${target.hostname} port=${target.port} user=${target.username}${password}`
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(file, ['[databases]', `* = ${server}`, '[pgbouncer]', ...lines, ''].join('\n'))
  chmodSync(folder, 0o755)
  const isRoot = process.getuid?.() === 0
  const child = spawn(PROGRAM, [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  })
  const ended = once(child, 'close')
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-100_000)
  })
  while (!log.includes('process up')) {
    await Promise.race([once(child.stderr, 'data'), ended])
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}: ${log}`)
  }
  const url = new URL(address)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    address: url.href,
    async end() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
