import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type AppError, type ErrorCode, isAppError } from '../../core/errors.ts'
import { openPool, type PostgresPool, versionFault } from './connection/pool.ts'
import { postgresError } from './connection/postgres-error.ts'
import { migrate, migrationStates, readSeed } from './schema/migrate.ts'
import { createDatabase, postgres, usePostgres } from './testkit/postgres.testkit.ts'
import { startPostgres } from './testkit/postgres-server.testkit.ts'

usePostgres({ own: true })

/** The failure of working with an address, which must be a one-line error. */
async function failureOf(address: string, work: (pool: PostgresPool) => Promise<unknown>): Promise<AppError> {
  const pool = openPool({ address, maxConnections: 1, name: 'bad input' })
  try {
    await work(pool)
  } catch (error) {
    assert.ok(isAppError(error), String(error))
    assert.doesNotMatch(error.message, /\n/)
    return error
  } finally {
    await pool.close()
  }
  return assert.fail('it worked')
}

type Change = (url: URL) => unknown

/** Each with the expected code, and a message that users can act on. */
const addresses: readonly (readonly [name: string, Change, ErrorCode, RegExp])[] = [
  ['a port where nobody listens', (url) => (url.port = '1'), 'store-unreachable', /check host and port.*server runs/],
  [
    'a host that does not exist',
    (url) => (url.hostname = 'no-such-host.invalid'),
    'store-unreachable',
    /no-such-host\.invalid.*check host and port/,
  ],
  ['a wrong password', (url) => (url.password = 'wrong'), 'store-refused', /check the user and the password/],
  ['no password', (url) => (url.password = ''), 'store-refused', /check the user and the password/],
  ['an unknown user', (url) => (url.username = 'nobody_here'), 'store-refused', /check the user and the password/],
  [
    'a missing database',
    (url) => (url.pathname = '/missing'),
    'store-refused',
    /"missing" does not exist.*CREATE DATABASE/,
  ],
  [
    'a server without TLS where it is demanded',
    (url) => url.searchParams.set('sslmode', 'verify-full'),
    'store-refused',
    /SSL.*check sslmode/,
  ],
]

describe('a wrong store address', () => {
  for (const [name, change, code, words] of addresses)
    test(`${name}: ${code}`, async () => {
      const url = new URL((await postgres()).address)
      change(url)
      const error = await failureOf(url.href, migrationStates)
      assert.equal(error.code, code, error.message)
      assert.match(error.message, words)
      if (url.password !== '') assert.ok(!error.message.includes(url.password))
    })

  test('a server that does not speak the PostgreSQL protocol: store-unreachable or store-refused', async () => {
    const web = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => web.once('listening', resolve))
    const { port } = web.address() as AddressInfo
    const error = await failureOf(`postgres://x:y@127.0.0.1:${port}/z`, migrationStates)
    assert.match(error.code, /^store-(?:unreachable|refused)$/)
    web.close()
  })

  test('an invalid URL: store-refused', async () => {
    const error = await failureOf('postgres://a:b@host:not-a-port/x', migrationStates)
    assert.equal(error.code, 'store-refused')
    assert.match(error.message, /must be postgres:\/\/USER:PASSWORD@HOST:PORT\/DATABASE/)
  })
})

/** A role that may sign in, and an address for it. */
async function createRole(
  pool: PostgresPool,
  address: string,
  options = '',
): Promise<{ role: string; address: string }> {
  const role = `guest_${randomBytes(4).toString('hex')}`
  await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'guest' ${options}`)
  const url = new URL(address)
  url.username = role
  url.password = 'guest'
  return { role, address: url.href }
}

describe('an unusable server', () => {
  test('a role that may not create tables gets an error naming the rights it needs', async () => {
    const { pool, address, destroy } = await createDatabase()
    const guest = await createRole(pool, address)
    await pool.query('DROP TABLE migrations')
    const error = await failureOf(guest.address, migrate)
    assert.equal(error.code, 'store-refused')
    assert.match(error.message, /permission denied for schema public; .*needs CREATE and USAGE/)
    await pool.query(`DROP ROLE ${guest.role}`)
    await destroy()
  })

  test('a role that may not read tables gets an error naming the rights it needs', async () => {
    const { pool, address, destroy } = await createDatabase()
    const guest = await createRole(pool, address)
    const error = await failureOf(guest.address, migrationStates)
    assert.equal(error.code, 'store-refused')
    assert.match(error.message, /permission denied for table migrations; .*all rights on its tables/)
    await pool.query(`DROP ROLE ${guest.role}`)
    await destroy()
  })

  test('the error for too many connections names the settings to change and can be retried', async () => {
    const { pool, address, destroy } = await createDatabase()
    const guest = await createRole(pool, address, 'CONNECTION LIMIT 0')
    const error = await failureOf(guest.address, migrationStates)
    assert.deepEqual([error.code, error.retry], ['store-unavailable', 'later'])
    assert.match(error.message, /raise max_connections.*lower cluster\.connections/)
    await pool.query(`DROP ROLE ${guest.role}`)
    await destroy()
  })

  test('the error for a read-only role says how to make it writable', async () => {
    const { pool, address, destroy } = await createDatabase()
    const guest = await createRole(pool, address, 'SUPERUSER')
    await pool.query(`ALTER ROLE ${guest.role} SET default_transaction_read_only = on`)
    for (const work of [
      (other: PostgresPool) => other.query(`INSERT INTO control (name, value) VALUES ('x', '1')`),
      (other: PostgresPool) =>
        other.transaction((tx) => tx.query(`INSERT INTO control (name, value) VALUES ('x', '1')`)),
      migrate,
    ]) {
      const error = await failureOf(guest.address, work)
      assert.deepEqual([error.code, error.retry], ['store-read-only', 'later'])
      assert.match(error.message, /read-only transaction; the database or its role was made read-only.*ALTER ROLE/)
    }
    await pool.query(`DROP ROLE ${guest.role}`)
    await destroy()
  })

  test('a standby is distinguished from a read-only role', async () => {
    const server = await startPostgres()
    const address = await server.createDatabase('stands_by')
    const pool = openPool({ address, maxConnections: 1, name: 'test' })
    await migrate(pool)
    const [row] = await pool.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`)
    await pool.close()
    await server.stop()
    writeFileSync(join(row!.folder, 'standby.signal'), '')
    // Not awaited: a standby never becomes as ready as `start` expects.
    void server.start()
    let error = await failureOf(address, readSeed)
    while (error.code !== 'store-read-only') {
      assert.match(error.code, /^store-un(?:reachable|available)$/, error.message)
      error = await failureOf(address, readSeed)
    }
    assert.deepEqual([error.code, error.retry], ['store-read-only', 'later'])
    assert.match(error.message, /read-only transaction; it is a standby; name the primary server in the address/)
    await server.end()
  })

  test('a schema from a newer version is rejected and left alone', async () => {
    const { pool, address, destroy } = await createDatabase()
    await pool.query('DROP SCHEMA public CASCADE')
    await pool.query('CREATE SCHEMA public')
    await pool.query('CREATE TABLE migrations (id int PRIMARY KEY, name text, at timestamptz NOT NULL DEFAULT now())')
    await pool.query(`INSERT INTO migrations (id, name) VALUES (9999, 'later')`)
    for (const work of [migrate, migrationStates]) {
      const error = await failureOf(address, work)
      assert.equal(error.code, 'store-too-new')
      assert.match(error.message, /has schema 9999, this program knows \d+\. Use the newer program\./)
    }
    const tables = await pool.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)
    assert.deepEqual(tables, [{ name: 'migrations' }])
    assert.deepEqual(await pool.query('SELECT id FROM migrations'), [{ id: 9999 }])
    await destroy()
  })

  test('the error for a missing table names the command that creates it', async () => {
    const { pool, address, destroy } = await createDatabase()
    await pool.query('DROP TABLE queue')
    const error = await failureOf(address, (guest) => guest.query('SELECT count(*) FROM queue'))
    assert.match(error.message, /"queue" does not exist; .*erace migrate makes it/)
    await destroy()
  })

  test('a server that is too old is rejected with its version number', () => {
    for (const [number, words] of [
      [140_019, /^PostgreSQL 14\.19 is too old; 15 or later is needed/],
      [90_624, /^PostgreSQL 9\.624 is too old/],
      [Number.NaN, /^PostgreSQL of an unknown version is too old/],
    ] as const) {
      const fault = versionFault(number)
      assert.equal(fault?.code, 'store-refused')
      assert.match(fault.message, words)
    }
    for (const number of [150_000, 160_004, 180_001, 200_000]) assert.equal(versionFault(number), null)
  })

  test('errors are mapped to codes with advice, in one line of bounded length', () => {
    const errorOf = (code: string, message: string) => postgresError(Object.assign(new Error(message), { code }))
    const systemError = (syscall: string, code: string) =>
      postgresError(Object.assign(new Error(`${syscall} ${code}`), { code, syscall }))
    assert.equal(errorOf('53100', 'could not extend file: No space left on device').code, 'store-full')
    for (const [state, code, advice] of [
      ['25006', 'store-read-only', /standby, or was made read-only/],
      ['53300', 'store-unavailable', /raise max_connections/],
      ['57P03', 'store-unavailable', /starting or shutting down/],
      ['57P01', 'store-unreachable', /shutting down, or has ended the connection/],
      ['08006', 'store-unreachable', /check host and port/],
      ['57014', 'store-busy', /overloaded, or another session holds a lock/],
      ['55P03', 'store-busy', /another session holds a lock/],
      ['40001', 'store-busy', /each other's way/],
      ['40P01', 'store-busy', /waited for each other/],
    ] as const) {
      const error = errorOf(state, 'as the server says it')
      assert.deepEqual([error.code, error.retry], [code, 'later'], state)
      assert.match(error.message, advice)
    }
    assert.equal(errorOf('constructor', 'a name that every object has').code, 'internal')
    assert.equal(errorOf('26000', 'prepared statement "e1" does not exist').code, 'store-refused')
    assert.equal(errorOf('XX000', 'a'.repeat(10_000)).message.length < 600, true)
    assert.equal(errorOf('23505', 'one\n two\n').message, 'PostgreSQL: one two')
    assert.equal(errorOf('ERL01', 'partition 1 is not held').code, 'lease-lost')
    for (const code of ['EMFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'ENETRESET', 'EPROTO', 'EPERM'])
      assert.equal(systemError('connect', code).retry, 'later', code)
    assert.equal(systemError('getaddrinfo', 'EAI_FAIL').retry, 'later')
    assert.equal(systemError('spawn', 'EACCES').code, 'internal')
    const closed = new Error('Client was closed and is not queryable')
    assert.equal(postgresError(closed).code, 'store-unreachable')
    assert.equal(postgresError(new TypeError('x is not a function')).code, 'internal')
  })
})

/** Why a small disk can't be mounted here, or false. */
function withoutDisk(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'erace-disk-'))
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'erace-test', folder])
  if (status === 0) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return status === 0 ? false : `no file system in memory can be mounted: ${error?.message ?? stderr}`
}

test('a full disk is reported, and writing continues once there is space', { skip: withoutDisk() }, async () => {
  const { pool, destroy } = await createDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'erace-disk-'))
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'erace-test', folder])
  try {
    chmodSync(folder, 0o700)
    const owner = spawnSync('id', ['-u', 'postgres']).stdout.toString().trim()
    const group = spawnSync('id', ['-g', 'postgres']).stdout.toString().trim()
    if (process.getuid?.() === 0) chownSync(folder, Number(owner), Number(group))
    await pool.query(`CREATE TABLESPACE small LOCATION '${folder}'`)
    await pool.query('CREATE TABLE filler (bytes bytea) TABLESPACE small')
    await pool.query('ALTER TABLE filler ALTER COLUMN bytes SET STORAGE EXTERNAL')
    writeFileSync(join(folder, 'in-the-way'), Buffer.alloc(8 << 20))
    const fill = () => pool.query('INSERT INTO filler VALUES ($1)', [randomBytes(1 << 20)])
    await assert.rejects(
      async () => {
        for (let n = 0; n < 100; n++) await fill()
      },
      (error) => isAppError(error, 'store-full') && /make room on the disk of the database server/.test(error.message),
    )
    rmSync(join(folder, 'in-the-way'))
    await fill()
    await pool.query('DROP TABLE filler')
    await pool.query('DROP TABLESPACE small')
  } finally {
    await destroy()
    spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  }
})
