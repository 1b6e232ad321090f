import { AppError, isAppError } from '../../../core/errors.ts'
import type { BackendKind, ObjectBackend, Segment } from '../../contracts/object-backend.ts'
import { readPlace, readPlaced } from './record-parts.ts'
import type { SegmentCatalogue } from './segments.ts'

/** Reads records outside of the database, by the row that holds their location. */
export type PlaceReader = { read(part: { coding: number; bytes: Buffer }, name: string): Promise<Buffer> }

export type PlaceReaderDeps = {
  segments: Pick<SegmentCatalogue, 'find'>
  /** Several while records are being moved. */
  backends: ReadonlyMap<BackendKind, ObjectBackend>
}

/** Cached rows of segments; some take 100 KB. */
const MAX_KNOWN = 100

export function createPlaceReader({ segments, backends }: PlaceReaderDeps): PlaceReader {
  const known = new Map<number, Segment>()

  async function look(id: number, name: string): Promise<Segment> {
    const segment = await segments.find(id)
    if (segment === null) throw new AppError('record-damaged', `${name} lies in segment ${id}, which is not there`)
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!)
    known.set(id, segment)
    return segment
  }

  function backendOf({ backend, name }: Segment): ObjectBackend {
    const found = backends.get(backend)
    if (found !== undefined) return found
    const what = backend === 'folder' ? 'a shared folder: set `objects.folder`' : 'an S3 bucket: set `objects.bucket`'
    throw new AppError('store-refused', `${name} lies in ${what}`)
  }

  return {
    async read({ coding, bytes }, name) {
      const place = readPlace(bytes, name)
      const segment = known.get(place.segment) ?? (await look(place.segment, name))
      try {
        return readPlaced(coding, await backendOf(segment).read(segment, place), name)
      } catch (error) {
        if (!isAppError(error, 'record-damaged')) throw error
        // It may have been compressed since its row was read.
        const now = await look(place.segment, name)
        if (now.state === segment.state) throw error
        return readPlaced(coding, await backendOf(now).read(now, place), name)
      }
    },
  }
}
