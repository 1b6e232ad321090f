import { version } from '../../../config/version.ts'
import { AppError } from '../../../core/errors.ts'

/**
 * A backup is a tar file that starts with `backup.json` (the entries and their sizes), followed by the files of the data folder
 * under their names there, and ends with `SHA256SUMS`, in the format of `sha256sum -c`. Sizes come first so that a reader
 * knows in advance how much space it needs; digests come last so that each file is read only once.
 */
export type Manifest = {
  format: typeof BACKUP_FORMAT
  program: string
  /** ISO 8601 UTC. */
  madeAt: string
  documents: number
  versions: number
  entries: ManifestEntry[]
}

export type ManifestEntry = { name: string; bytes: number }

export const BACKUP_FORMAT = 1
export const manifestName = 'backup.json'
export const sumsName = 'SHA256SUMS'
/** Enough for a million archive files, far more than is realistic; a longer list is refused. */
export const maxManifestBytes = 128 * 1024 * 1024

/** Valid names of archive files in the catalogue: plain names, without a path. */
export const archiveFileName = /^[A-Za-z0-9][\w.-]{0,199}\.warc(?:\.gz)?$/

const frontierName = /^frontier\/\d{2,4}\.db$/

export function manifestOf(parts: Omit<Manifest, 'format' | 'program'>): Manifest {
  return { format: BACKUP_FORMAT, program: `eRACE/${version}`, ...parts }
}

export function manifestBytes(manifest: Manifest): number {
  return manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Validates everything: the file is untrusted. */
export function parseManifest(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw refused(`${manifestName} is no JSON`, error)
  }
  if (!isRecord(value)) throw refused(`${manifestName} is no object`)
  const { format, program, madeAt, documents, versions, entries } = value
  if (typeof format === 'number' && format > BACKUP_FORMAT)
    throw new AppError('store-too-new', `the backup has format ${format}, this program knows ${BACKUP_FORMAT}`)
  if (format !== BACKUP_FORMAT) throw refused('it is no backup of a data folder')
  if (typeof program !== 'string' || typeof madeAt !== 'string' || Number.isNaN(Date.parse(madeAt)))
    throw refused(`${manifestName} does not say what made it and when`)
  if (!isCount(documents) || !isCount(versions) || !Array.isArray(entries))
    throw refused(`${manifestName} is incomplete`)
  return {
    format: BACKUP_FORMAT,
    program,
    madeAt: new Date(madeAt).toISOString(),
    documents,
    versions,
    entries: checkEntries(entries),
  }
}

function checkEntries(values: unknown[]): ManifestEntry[] {
  const names = new Set<string>()
  let total = 0
  const entries = values.map((value): ManifestEntry => {
    if (!isRecord(value) || typeof value.name !== 'string' || !isCount(value.bytes))
      throw refused(`${manifestName} has an entry without name or size`)
    const { name, bytes } = value
    if (!isPlace(name)) throw refused(`a data folder has no file ${JSON.stringify(name.slice(0, 100))}`)
    if (names.has(name)) throw refused(`${name} is in it twice`)
    names.add(name)
    total += bytes
    return { name, bytes }
  })
  if (!names.has('catalog.db')) throw refused('it has no catalogue')
  if (!Number.isSafeInteger(total)) throw refused('the sizes in it are absurd')
  return entries
}

function isPlace(name: string): boolean {
  if (name === 'catalog.db' || frontierName.test(name)) return true
  return name.startsWith('archive/') && archiveFileName.test(name.slice('archive/'.length))
}

export function formatSums(sums: ReadonlyMap<string, string>): string {
  return [...sums].map(([name, digest]) => `${digest}  ${name}\n`).join('')
}

/** The first entry whose digest differs from the list, or is missing in it. */
export function findWrongSum(text: string, sums: ReadonlyMap<string, string>): string | null {
  const listed = new Map(text.split('\n').map((line) => [line.slice(66), line.slice(0, 64)]))
  for (const [name, digest] of sums) if (listed.get(name) !== digest) return name
  return null
}

export function refused(reason: string, cause?: unknown): AppError {
  return new AppError('file-invalid', `the backup is refused: ${reason}`, { cause })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
