import { execFile } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCitusDatabase } from './citus.testkit.ts'
import { administer, carelessFolder, databaseAddress, freePort } from './postgres-server.testkit.ts'

const run = promisify(execFile)

/** One server of a cluster, in a folder of its own. */
export type CitusServer = {
  address: string
  stop(): Promise<void>
  start(): Promise<void>
  /** Pid of the postmaster. */
  pid(): number
}

/** A coordinator and its nodes on the loopback interface; without nodes, a plain PostgreSQL of the same version. */
export type CitusCluster = {
  coordinator: CitusServer
  nodes: CitusServer[]
  /** Creates an empty database; resolves to its address. */
  createDatabase(name: string): Promise<string>
  end(): Promise<void>
}

export type CitusClusterOptions = {
  /** The folder of `initdb` and `pg_ctl`, of a PostgreSQL with Citus. */
  programs: string
  nodes: number
  /** Whether commits survive a power cut. */
  durable?: boolean
}

const citusSettings = [
  "shared_preload_libraries = 'citus'",
  'max_prepared_transactions = 300',
  "citus.node_conninfo = 'sslmode=disable'",
]
const careless = ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off']

/** PostgreSQL refuses to run as root: if this process does, the server runs as the packages' user. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const number = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await number('-u'), gid: await number('-g') }
}

export async function startCitusCluster({
  programs,
  nodes,
  durable = false,
}: CitusClusterOptions): Promise<CitusCluster> {
  const user = await serverUser()
  const folder = mkdtempSync(join(durable ? tmpdir() : carelessFolder(), 'erace-citus-'))
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const program = (name: string, ...args: string[]) =>
    run(join(programs, name), args, {
      ...user,
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C' },
    })

  async function startServer(name: string): Promise<CitusServer> {
    const data = join(folder, name)
    const port = await freePort()
    await program('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync')
    const settings = [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      'max_connections = 300',
      'max_worker_processes = 64',
      'max_locks_per_transaction = 512',
      ...(nodes > 0 ? citusSettings : []),
      'shared_buffers = 256MB',
      'max_wal_size = 4GB',
      ...(durable ? [] : careless),
    ]
    writeFileSync(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
    const control = (...args: string[]) =>
      program('pg_ctl', '-D', data, '-w', '-s', '-l', join(folder, `${name}.log`), ...args)
    await control('start')
    return {
      address: `postgres://postgres@127.0.0.1:${port}/postgres`,
      stop: async () => void (await control('stop', '-m', 'immediate')),
      start: async () => void (await control('start')),
      pid: () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    }
  }

  const coordinator = await startServer('coordinator')
  const others: CitusServer[] = []
  for (let node = 1; node <= nodes; node++) others.push(await startServer(`node-${node}`))
  if (nodes > 0) await introduce(coordinator, others)
  return {
    coordinator,
    nodes: others,
    async createDatabase(name) {
      if (nodes > 0) return createCitusDatabase(coordinator.address, name)
      await administer(coordinator.address, `CREATE DATABASE ${name}`)
      return databaseAddress(coordinator.address, name)
    },
    async end() {
      for (const server of [coordinator, ...others]) await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Registers the nodes in the coordinator's maintenance database, for code that creates databases on all of them. */
async function introduce(coordinator: CitusServer, nodes: readonly CitusServer[]): Promise<void> {
  for (const { address } of [coordinator, ...nodes]) await administer(address, 'CREATE EXTENSION citus')
  const { port } = new URL(coordinator.address)
  await administer(coordinator.address, `SELECT citus_set_coordinator_host('127.0.0.1', ${port})`)
  for (const { address } of nodes)
    await administer(coordinator.address, `SELECT citus_add_node('127.0.0.1', ${new URL(address).port})`)
}
