import { AppError } from '../../../core/errors.ts'
import { createZstdFrames } from '../../../core/work/zstd-frames.ts'
import type { ObjectBackend, PlacedRecord, Segment, SegmentWriter } from '../../contracts/object-backend.ts'
import type { S3Client } from './client.ts'

/**
 * Records on an S3 server. Records that arrive within a few milliseconds are packed into one object, to save a request per page, and
 * each is a separate zstd frame, so that it can be read alone with a range request. Objects are written once: those with few live records
 * are replaced as a whole (rewrite-segments.ts).
 */
export type S3BackendDeps = {
  client: S3Client
  address: string
  /** Prefix of all keys; empty, or ends with a slash. */
  prefix: string
  /** The record at the start of each object. */
  fileHeader(name: string): Uint8Array
}

/** Maximum number of objects per segment, so that objects can be listed one segment at a time. */
const MAX_PACKS = 1_000
const PARALLEL = 4
const GATHER_MS = 5

/** Compression runs on other threads of the process. */
const frameOf = createZstdFrames({ level: 1 })

export function createS3Backend({ client, address, prefix, fileHeader }: S3BackendDeps): ObjectBackend {
  const folderOf = (name: string): string => `${prefix}${name}/`
  const keyOf = (name: string, pack: number): string => `${folderOf(name)}${String(pack).padStart(6, '0')}.warc.zst`

  async function create(name: string): Promise<SegmentWriter> {
    const header = await frameOf(fileHeader(`${name}.warc.zst`))
    let packs = 0
    let bytes = 0
    return {
      async append(records) {
        const pack = ++packs
        const pieces: Uint8Array[] = [header]
        const places: PlacedRecord[] = []
        let offset = header.length
        for (const stored of await Promise.all(records.map(frameOf))) {
          places.push({ pack, offset, length: stored.length, isPacked: true })
          pieces.push(stored)
          offset += stored.length
        }
        await client.put(keyOf(name, pack), Buffer.concat(pieces))
        bytes += offset
        return places
      },
      get bytes() {
        return bytes
      },
      isFull: () => packs >= MAX_PACKS,
      async close() {},
    }
  }

  async function packs(segment: Segment) {
    const folder = folderOf(segment.name)
    const listed = await client.list(folder)
    return listed.map(({ key, bytes }) => {
      const pack = /^(\d+)\.warc\.zst$/.exec(key.slice(folder.length))?.[1]
      if (pack === undefined) throw new AppError('store-damaged', `${address} has an object that isn't ours: ${key}`)
      return { pack: Number(pack), bytes }
    })
  }

  return {
    kind: 's3',
    address,
    parallel: PARALLEL,
    gatherMs: GATHER_MS,
    create,
    read: ({ name }, { pack, offset, length }) => client.get(keyOf(name, pack), { offset, length }),
    packs,
    removePack: ({ name }, pack) => client.remove(keyOf(name, pack)),
    compress: null,
    async removePlain() {},
    async close() {
      client.close()
    },
  }
}
