import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExportFolder } from '../../archive/export/export.testkit.ts'
import { createRecordingIo, engineWith } from '../../cli/cli.testkit.ts'
import type { Engine } from '../../cli/engine.ts'
import { runCli } from '../../cli/run-cli.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import { createPostgresDocuments } from '../../store/postgres/documents/documents.ts'
import { createDatabase, type TestDatabase } from '../../store/postgres/testkit/postgres.testkit.ts'
import * as archive from '../commands/archive.ts'
import * as channels from '../commands/channels.ts'
import * as credentials from '../commands/credentials.ts'
import * as maintenance from '../commands/maintenance.ts'
import * as profiles from '../commands/profiles.ts'
import * as users from '../commands/users.ts'

export type PlaceRun = { code: number; out: string; err: string; json(): Record<string, unknown> }

/** A target with the given captures; commands run on it as from the command line. */
export type CommandTarget = {
  name: string
  /** Folder for output files. */
  out: string
  run(argv: readonly string[], given?: { env?: Record<string, string>; store?: string }): Promise<PlaceRun>
  destroy(): Promise<void>
}

export type FolderCommandTarget = CommandTarget & { data: string }

export type ClusterCommandTarget = CommandTarget & { database: TestDatabase }

/** The engine as assembled by the program. */
const engine: Engine = engineWith({
  ...archive,
  ...profiles,
  ...users,
  ...channels,
  ...credentials,
  ...maintenance,
  export: archive.exportArchive,
})

async function run(argv: readonly string[], cwd: string, env: Record<string, string>): Promise<PlaceRun> {
  const world = createRecordingIo()
  const code = await runCli({ argv: [...argv], env, cwd, io: world.io, engine })
  const out = world.out()
  return { code, out, err: world.err(), json: () => JSON.parse(out) as Record<string, unknown> }
}

export async function createSqliteTarget(captures: Iterable<Capture>): Promise<FolderCommandTarget> {
  const folder = await createExportFolder(captures)
  return {
    name: 'a data folder',
    data: folder.folder,
    out: folder.out,
    run: (argv, { env = {} } = {}) => run([...argv, '--data', folder.folder], folder.out, env),
    destroy: async () => folder.remove(),
  }
}

export async function createPostgresTarget(captures: Iterable<Capture>): Promise<ClusterCommandTarget> {
  const database = await createDatabase()
  await recordCaptures(database, captures)
  const out = mkdtempSync(join(tmpdir(), 'erace-place-'))
  return {
    name: 'a shared store',
    out,
    database,
    run: (argv, { env = {}, store = database.address } = {}) => run([...argv, '--store', store], out, env),
    async destroy() {
      await database.destroy()
      rmSync(out, { recursive: true, force: true })
    },
  }
}

/** Records captures like a worker that holds all partitions. */
export async function recordCaptures({ pool }: Pick<TestDatabase, 'pool'>, captures: Iterable<Capture>): Promise<void> {
  await pool.query(`UPDATE leases SET epoch = 1, holder = 'test', until = now() + interval '1 hour' WHERE epoch < 1`)
  const documents = createPostgresDocuments({ pool, epochOf: () => 1 })
  const all = [...captures]
  for (let start = 0; start < all.length; start += 500) await documents.record(all.slice(start, start + 500))
}
