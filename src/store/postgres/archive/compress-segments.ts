import { partitionCount } from '../../../core/url/partition.ts'
import type { ObjectBackend, Segment } from '../../contracts/object-backend.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { placedCodings } from './record-parts.ts'
import type { SegmentCatalogue } from './segments.ts'

export type CompressDeps = {
  pool: PostgresPool
  backend: ObjectBackend
  segments: SegmentCatalogue
  onWarning(message: string): void
}

const behindStatement = `SELECT count(*) AS n FROM records WHERE partition = $1::smallint
  AND coding IN (${placedCodings.join(', ')}) AND substring(bytes FOR 8) = int8send($2::bigint)
  AND ('x' || encode(substring(bytes FROM 13 FOR 8), 'hex'))::bit(64)::bigint >= $3::bigint`

/**
 * Compresses one closed segment; segments of dead writers are closed first. The rows of records don't change: the segment's own row maps
 * them to their new locations, and is updated atomically before the uncompressed form is removed. A process that is killed in between
 * leaves both forms, and the next one removes what isn't needed. Resolves to false if there is nothing to compress.
 */
export async function compressNextSegment(deps: CompressDeps): Promise<boolean> {
  const { backend, segments } = deps
  if (backend.compress === null) return false
  await segments.closeAbandoned()
  const segment = await segments.claim(backend.kind)
  if (segment === null) return false
  if (segment.state === 'closed' && !(await compressSegment(deps, segment))) return true
  await backend.removePlain(segment)
  await segments.finished(segment.id)
  return true
}

async function compressSegment(deps: CompressDeps, segment: Segment): Promise<boolean> {
  const { backend, segments, onWarning } = deps
  if ((await backend.packs(segment)).length === 0) {
    await segments.keep(segment.id)
    return false
  }
  const result = await backend.compress!(segment)
  const { whole, length } = result
  if (whole < length && (await isUsedBehind(deps, segment, whole))) {
    onWarning(
      `${segment.name}: the record at ${whole} is damaged. The file stays as it is; erace verify tells what is lost.`,
    )
    await segments.keep(segment.id)
    return false
  }
  if (whole < length)
    onWarning(`${segment.name}: left out ${length - whole} bytes at the end that were written and never stored.`)
  return segments.compressed(segment.id, result)
}

/** Whether any row points past the readable part. Only needed if a file doesn't end with a whole record. */
async function isUsedBehind({ pool }: CompressDeps, { id }: Segment, offset: number): Promise<boolean> {
  for (let partition = 0; partition < partitionCount; partition++) {
    const [row] = await pool.query<{ n: number }>(behindStatement, [partition, id, offset])
    if (row!.n > 0) return true
  }
  return false
}
