import type { BodyReader } from '../../archive/body-reader.ts'
import { systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { mapConcurrent } from '../../core/work/map-concurrent.ts'
import { type ImportKind, type ImportRow, type ImportState, importKinds } from '../../store/contracts/import.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { createStepper, type ImportParts, insist, kindLabels } from './copy.ts'

export type CheckParts = ImportParts & {
  versions: Pick<VersionStore, 'versions'>
  objects: Pick<ObjectStore, 'read'>
  bodies: BodyReader
  isWhole(record: Uint8Array): boolean
}

/** Maximum number of faults listed. */
const MAX_FAULTS = 200
/** How often progress is saved; an interrupted check continues from there. */
const NOTE_EVERY_MS = 1_000
const READS_AT_ONCE = 4

type Findings = { faults: string[]; bodies: number }

/** Compares the whole folder with the store. Does nothing before everything is copied. */
export async function compareImport(parts: CheckParts, begun: ImportState): Promise<ImportState> {
  const { target } = parts
  if (begun.phase !== 'checking' && begun.phase !== 'done') return begun
  const step = createStepper()
  let noted = begun
  let notedAt = systemClock.monotonic()
  const note = async (mark: ImportState): Promise<ImportState> => {
    const after = { ...mark, n: noted.n + 1 }
    const before = noted
    await insist(parts, () => target.note(before, after), after)
    noted = after
    notedAt = systemClock.monotonic()
    return after
  }
  let mark = begun.phase === 'done' ? await note(unchecked(begun)) : begun
  while (mark.phase === 'checking') {
    if (parts.hooks.signal.aborted) return note(mark)
    mark = step(mark, await checkBatch(parts, mark))
    if (systemClock.monotonic() - notedAt > NOTE_EVERY_MS || mark.phase === 'done') mark = await note(mark)
  }
  return mark
}

const unchecked = (mark: ImportState): ImportState => ({
  ...mark,
  ...{
    phase: 'checking',
    kind: importKinds[0],
    after: null,
    rows: 0,
    checked: {},
    bodies: 0,
    faults: [],
    faultCount: 0,
  },
})

/** Checks the next batch, and returns its changes to the mark. */
async function checkBatch(parts: CheckParts, mark: ImportState): Promise<Partial<ImportState>> {
  const { source, target, hooks } = parts
  const { kind } = mark
  const { rows, after } = await source.read(kind, mark.after, { content: false })
  const found = (await insist(parts, () => checkRows(parts, kind, rows)))!
  const checked = mark.rows + rows.length
  hooks.onProgress({
    what: `checking ${kindLabels[kind]}`,
    done: checked,
    total: Math.max(checked, totalOf(parts, kind)),
  })
  const bodies = mark.bodies + found.bodies
  if (after !== null) return { after, rows: checked, bodies, ...withFaults(mark, found.faults) }
  const there = await insist(parts, () => target.count(kind))
  if (there !== checked) found.faults.push(`${kindLabels[kind]}: ${checked} here, ${there} there`)
  const following = importKinds[importKinds.indexOf(kind) + 1]
  if (following === undefined) found.faults.push(...((await insist(parts, () => target.checkDerived())) ?? []))
  return {
    ...(following === undefined ? { phase: 'done' } : { kind: following, after: null, rows: 0 }),
    checked: { ...mark.checked, [kind]: checked },
    bodies,
    ...withFaults(mark, found.faults),
  }
}

const totals = new WeakMap<ImportParts['source'], Map<ImportKind, number>>()

/** Counted once: it reads every row. */
function totalOf({ source }: ImportParts, kind: ImportKind): number {
  const known = totals.get(source) ?? new Map<ImportKind, number>()
  totals.set(source, known)
  const total = known.get(kind) ?? source.count(kind)
  known.set(kind, total)
  return total
}

function withFaults(
  { faults, faultCount }: ImportState,
  more: readonly string[],
): Pick<ImportState, 'faults' | 'faultCount'> {
  return { faults: [...faults, ...more].slice(0, MAX_FAULTS), faultCount: faultCount + more.length }
}

async function checkRows(parts: CheckParts, kind: ImportKind, rows: readonly ImportRow[]): Promise<Findings> {
  const different = await parts.target.compare(kind, rows)
  if (kind === 'versions' && rows.length > 0) return checkVersions(parts, rows, different)
  return {
    faults: different.map((index) => `${kindLabels[kind]}: ${nameOf(rows[index]!)} is not the same there`),
    bodies: 0,
  }
}

/** The columns that identify a row to users. */
const names = [
  'url',
  'origin',
  'email',
  'key',
  'id',
  'version',
  'host',
  'watch',
  'annotation',
  'document',
  'fp',
  'digest',
] as const

function nameOf(row: ImportRow): string {
  const name = names.find((each) => row[each] !== undefined)
  const value = name === undefined ? null : row[name]!
  return `${name} ${Buffer.isBuffer(value) ? value.toString('hex') : value}`
}

/** A version whose record the folder itself can't read was imported as lost: it differs, and is reported as damaged. */
async function checkVersions(
  parts: CheckParts,
  rows: readonly ImportRow[],
  different: readonly number[],
): Promise<Findings> {
  const { source, target, versions } = parts
  const expected = [...rows]
  const damaged = new Set<number>()
  for (const index of different) {
    const again = await source.readVersion(rows[index]!.id as number)
    if (again === null) continue
    const { content: _, ...row } = again
    expected[index] = row
    if ((await target.compare('versions', [row])).length === 0) damaged.add(index)
  }
  // Versions of missing documents aren't listed, and others fill the page instead.
  const ids = new Set(rows.map(({ id }) => id))
  const page = await versions.versions({ after: (rows[0]!.id as number) - 1, limit: rows.length })
  const there = page.filter(({ id }) => ids.has(id))
  const urls = new Map(there.map(({ id, url }) => [id, url]))
  const faultAt = (index: number, what: string): string =>
    `version ${rows[index]!.n} of ${urls.get(rows[index]!.id as number) ?? `document ${rows[index]!.document}`}: ${what}`
  const faults = different.map((index) =>
    faultAt(
      index,
      damaged.has(index)
        ? 'its record is damaged in the folder; its content was not moved'
        : 'it is not the same there',
    ),
  )
  const repeats = [...expected.keys()].filter((index) => {
    const { body, original, id } = expected[index]!
    return body === 'kept' && original !== id
  })
  const strays = await target.strays(repeats.map((index) => expected[index]!))
  for (const stray of strays) faults.push(faultAt(repeats[stray]!, 'the body that it repeats is not there'))
  const contents = await checkContents(parts, there)
  return { faults: [...faults, ...contents.faults], bodies: contents.bodies }
}

async function checkContents(parts: CheckParts, versions: readonly Version[]): Promise<Findings> {
  const found: Findings = { faults: [], bodies: 0 }
  await mapConcurrent(versions, READS_AT_ONCE, async (version) => {
    const fault = await contentFault(parts, version)
    if (fault !== null) found.faults.push(`version ${version.n} of ${version.url}: ${fault}`)
    else if (version.body === 'kept' && version.originalId === version.id) found.bodies++
  })
  return found
}

/** A duplicate body is read once, with its original; a duplicate has only a record of its own. */
async function contentFault({ bodies, objects, isWhole }: CheckParts, version: Version): Promise<string | null> {
  if (version.body === 'kept' && version.originalId === version.id) {
    const read = await bodies.read(version)
    if (read.kind === 'body') return null
    return read.kind === 'damaged' ? read.message : `its body is ${read.why}`
  }
  if (version.record === null) return null
  try {
    return isWhole(await objects.read(version.record)) ? null : 'its record is not whole'
  } catch (error) {
    if (isAppError(error, 'record-damaged')) return error.message
    throw error
  }
}
