import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import mysql from 'mysql2/promise'
import { programSkip } from '../../../test/kit/programs.ts'
import { freePort } from '../../store/postgres/testkit/postgres-server.testkit.ts'

const run = promisify(execFile)
export const mariadbSkip = programSkip(['/usr/sbin/mariadbd', '/usr/bin/mariadb-install-db'], 'mariadb-server')

export type MariadbServer = {
  port: number
  /** Runs statements as root. */
  administer(...statements: string[]): Promise<unknown[]>
  end(): Promise<void>
}

/** A real MariaDB server in its own folder. */
export async function startMariadb(settings: readonly string[] = []): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-mariadb-'))
  const data = join(folder, 'data')
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  await run('/usr/bin/mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...asRoot,
  ])
  const port = await freePort()
  const server = spawn(
    '/usr/sbin/mariadbd',
    [
      '--no-defaults',
      ...asRoot,
      `--datadir=${data}`,
      `--socket=${join(folder, 'socket')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=16M',
      ...settings,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = once(server, 'close')
  let log = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-100_000)
  })
  while (!log.includes('ready for connections')) {
    if (server.exitCode !== null) throw new Error(`MariaDB did not start: ${log}`)
    await Promise.race([once(server.stderr, 'data'), ended])
  }
  return {
    port,
    async administer(...statements) {
      const connection = await mysql.createConnection({ socketPath: join(folder, 'socket'), user: 'root' })
      try {
        let last: unknown = []
        for (const statement of statements) [last] = await connection.query(statement)
        return last as unknown[]
      } finally {
        await connection.end()
      }
    },
    async end() {
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
