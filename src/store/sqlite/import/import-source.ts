import { createHash } from 'node:crypto'
import { AppError } from '../../../core/errors.ts'
import type {
  CountedTable,
  ImportCursor,
  ImportFacts,
  ImportKind,
  ImportPortion,
  ImportRow,
  ImportSource,
} from '../../contracts/import.ts'
import { firstForeignVersion } from '../../rules/adoption.ts'
import { createSqliteObjects } from '../archive/objects.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { openCatalogForReading, paths, readFacts } from '../folder/folder.ts'
import { lockFolder } from '../folder/lock.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { frontierMigrations } from '../folder/schema-frontier.ts'
import { archiveKinds } from './archive-kinds.ts'
import { frontierKinds } from './frontier-kinds.ts'
import { findHostAliases } from './host-aliases.ts'
import { accountKinds } from './people-kinds.ts'
import { createKindReader, idBeforeImport, type KindReader, type Raw, type SourceKind } from './source-kind.ts'
import { createVersionContent, type VersionContentDeps } from './version-content.ts'

export type ImportSourceOptions = { folder: string; holder: string; isWhole: VersionContentDeps['isWhole'] }

/** A portion of versions ends with the record that exceeds this. */
const MAX_CONTENT_BYTES = 8 << 20
/** Yields after this many bytes, so that the previous portion can be sent in the meantime. */
const TURN_BYTES = 256 << 10

/**
 * Opens a data folder for import and locks it while it is read: no crawl, compression or collection can run, and no process can write to
 * the catalogue, whose write lock is held by an empty transaction. If the process dies, its locks are released.
 */
export function openImportSource({ folder, holder, isWhole }: ImportSourceOptions): ImportSource {
  // Migrates a catalogue with an older schema first, like every command that reads one.
  openCatalogForReading(folder).close()
  const opened: { close(): void }[] = []
  const close = (): void => {
    for (const each of opened.splice(0).reverse()) each.close()
  }
  try {
    for (const name of ['lock', 'housekeeping'] as const) {
      const lock = lockFolder(folder, holder, undefined, name)
      opened.push({ close: () => lock.release() })
    }
    const db = openCatalogForReading(folder)
    opened.push(db)
    opened.push(holdWrites(folder))
    const facts = readFacts(db)
    if (facts === null) throw new AppError('store-missing', `${folder} holds nothing yet: there is nothing to move.`)
    const frontiers = Array.from({ length: facts.shards }, (_, shard) => openFrontier(paths.frontier(folder, shard)))
    opened.push(...frontiers)
    return createSource({ folder, db, frontiers, seed: facts.seed, isWhole, close })
  } catch (error) {
    close()
    throw error
  }
}

function holdWrites(folder: string): { close(): void } {
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  try {
    db.read(() => db.exec('BEGIN IMMEDIATE'))
  } catch (error) {
    db.close()
    throw error
  }
  return {
    close() {
      db.exec('ROLLBACK')
      db.close()
    },
  }
}

function openFrontier(path: string): Database {
  const db = openDatabase(path, { migrations: frontierMigrations, readOnly: true })
  const { user_version: schema } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  if (schema === frontierMigrations.at(-1)!.id) return db
  db.close()
  openDatabase(path, { migrations: frontierMigrations, mustExist: true }).close()
  return openDatabase(path, { migrations: frontierMigrations, readOnly: true })
}

type SourceParts = {
  folder: string
  db: Database
  frontiers: readonly Database[]
  seed: [number, number]
  isWhole: VersionContentDeps['isWhole']
  close(): void
}

type Step = { shard: number; reader: KindReader; toRow(raw: Raw): ImportRow | null }

function createSource({ folder, db, frontiers, seed, isWhole, close }: SourceParts): ImportSource {
  const objects = createSqliteObjects(db, paths.archive(folder))
  const withContent = createVersionContent({ db, objects, isWhole })
  const steps = createSteps(db, frontiers)
  const [versions] = steps.get('versions')!

  async function readContents(after: ImportCursor | null): Promise<ImportPortion> {
    const { reader, toRow } = versions!
    const page = reader.page(after)
    const rows: ImportRow[] = []
    let bytes = 0
    let turn = 0
    for (const { raw, key } of page.rows) {
      const row = await withContent(raw, toRow(raw)!)
      rows.push(row)
      const length = (row.content as Buffer | null)?.length ?? 0
      bytes += length
      turn += length
      if (bytes > MAX_CONTENT_BYTES) return { rows, after: key }
      if (turn <= TURN_BYTES) continue
      turn = 0
      await new Promise(setImmediate)
    }
    return { rows, after: page.isLast ? null : page.rows.at(-1)!.key }
  }

  /** The first element of a cursor is the shard. */
  function readPlain(kind: ImportKind, after: ImportCursor | null): ImportPortion {
    const [shard = 0, ...key] = after ?? []
    const all = steps.get(kind)!
    const step = all[shard as number]!
    const page = step.reader.page(key.length === 0 ? null : key)
    const rows = page.rows.map(({ raw }) => step.toRow(raw)).filter((row) => row !== null)
    if (!page.isLast) return { rows, after: [shard, ...page.rows.at(-1)!.key] }
    return { rows, after: step.shard + 1 < all.length ? [step.shard + 1] : null }
  }

  return {
    identity: identityOf(db, seed),
    facts: () => readImportFacts(db, frontiers, seed),
    count(kind) {
      const table = tableOf(kind)
      const files = isOfFrontier(kind) ? frontiers : [db]
      return files.reduce((sum, file) => sum + numberFrom(file, `SELECT count(*) AS n FROM ${table}`), 0)
    },
    async read(kind, after, { content }) {
      return kind === 'versions' && content
        ? readContents(after === null ? null : after.slice(-1))
        : readPlain(kind, after)
    },
    async readVersion(id) {
      const number = idBeforeImport(id)
      const [found] = versions!.reader.page([number - 1], 1).rows
      return found?.raw.id === number ? withContent(found.raw, versions!.toRow(found.raw)!) : null
    },
    close,
  }
}

function createSteps(db: Database, frontiers: readonly Database[]): Map<ImportKind, Step[]> {
  const aliases = findHostAliases(frontiers)
  const links = new Map(strayLinks(db))
  const hostOfLinks = (id: number): string | null => links.get(id) ?? null
  const steps = new Map<ImportKind, Step[]>()
  const step = <C>(file: Database, kind: SourceKind<C>, context: C, shard: number): Step => ({
    shard,
    reader: createKindReader(file, kind),
    toRow: (raw) => kind.toRow(raw, context),
  })
  for (const kind of accountKinds) steps.set(kind.kind, [step(db, kind, null, 0)])
  for (const kind of archiveKinds) steps.set(kind.kind, [step(db, kind, { hostOfLinks }, 0)])
  for (const kind of frontierKinds)
    steps.set(
      kind.kind,
      frontiers.map((file, shard) => step(file, kind, { shard, shards: frontiers.length, aliases }, shard)),
    )
  return steps
}

/** Hosts of link lists whose own version was collected: that of the document that still refers to them. */
function strayLinks(db: Database): [id: number, host: string][] {
  const rows = db.read(() =>
    db
      .prepare(
        `SELECT v.links AS id, d.host FROM versions v JOIN documents d ON d.id = v.document
         WHERE v.links <> 0 AND v.links <> v.id AND NOT EXISTS (SELECT 1 FROM versions own WHERE own.id = v.links)`,
      )
      .all(),
  ) as { id: number; host: string }[]
  return rows.map(({ id, host }) => [id, host])
}

const isOfFrontier = (kind: ImportKind): boolean => frontierKinds.some((each) => each.kind === kind)

function tableOf(kind: ImportKind): string {
  const all: readonly { kind: ImportKind; table: string }[] = [...accountKinds, ...archiveKinds, ...frontierKinds]
  return all.find((each) => each.kind === kind)!.table
}

const numberFrom = (db: Database, sql: string): number => (db.read(() => db.prepare(sql).get()) as { n: number }).n

/** Changes with the epoch, which grows when the folder is opened for a crawl. */
function identityOf(db: Database, seed: readonly number[]): string {
  const epoch = numberFrom(db, `SELECT coalesce((SELECT value FROM facts WHERE name = 'epoch'), 0) AS n`)
  return `${createHash('sha256')
    .update(`erace ${seed.join(' ')}`)
    .digest('hex')
    .slice(0, 24)}-${epoch}`
}

function readImportFacts(db: Database, frontiers: readonly Database[], seed: [number, number]): ImportFacts {
  const fact = (name: string): unknown =>
    (db.read(() => db.prepare('SELECT value FROM facts WHERE name = ?').get(name)) as { value: unknown } | undefined)
      ?.value
  const setup = fact('setup')
  const shardFacts = (name: string): number[] =>
    frontiers.map((file) =>
      numberFrom(file, `SELECT coalesce((SELECT value FROM facts WHERE name = '${name}'), 0) AS n`),
    )
  return {
    seed,
    run: Math.max(0, ...shardFacts('run')),
    clean: shardFacts('clean').every((clean) => clean === 1),
    setup: setup instanceof Uint8Array ? Buffer.from(setup).toString('hex') : null,
    revisions: { profiles: Number(fact('profiles') ?? 0), accounts: Number(fact('accounts') ?? 0) },
    highest: readHighest(db),
  }
}

/** Includes ids of deleted rows that may still be referenced somewhere. */
function readHighest(db: Database): Record<CountedTable, number> {
  const highest = (...columns: [table: string, column: string][]): number =>
    Math.max(
      0,
      // Excludes versions of other systems, whose ids are never assigned.
      ...columns.map(([table, column]) =>
        numberFrom(
          db,
          `SELECT coalesce(max(${column}), 0) AS n FROM ${table} WHERE ${column} < ${firstForeignVersion}`,
        ),
      ),
    )
  const given = (table: string): number =>
    Math.max(
      highest([table, 'id']),
      numberFrom(db, `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0) AS n`),
    )
  return {
    ids: Math.max(
      given('tasks'),
      highest(['documents', 'id'], ['versions', 'id'], ['links', 'id'], ['bodies', 'version'], ['holds', 'version']),
      highest(['annotations', 'version'], ['also_at', 'version'], ['stories', 'version'], ['watches', 'mark']),
      highest(['prices', 'version'], ['urds', 'selected_version']),
    ),
    accounts: given('accounts'),
    sessions: given('sessions'),
    tokens: given('tokens'),
    watches: highest(['watches', 'id']),
    crawls: given('crawls'),
    urds: given('urds'),
    annotations: given('annotations'),
  }
}
