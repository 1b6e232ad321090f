import { warcinfoRecord } from '../../archive/warc/record-writer.ts'
import type { Config } from '../../config/config.ts'
import { version } from '../../config/version.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { BackendKind, ObjectBackend } from '../../store/contracts/object-backend.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import { createFolderBackend } from '../../store/objects/folder/backend.ts'
import { createS3Backend } from '../../store/objects/s3/backend.ts'
import { createS3Client } from '../../store/objects/s3/client.ts'
import { createPostgresObjects } from '../../store/postgres/archive/objects.ts'
import { createPlaceReader } from '../../store/postgres/archive/place-reader.ts'
import { createOutsideKeeper, insideKeeper, type RecordKeeper } from '../../store/postgres/archive/record-keeper.ts'
import { createSegments, type SegmentCatalogue } from '../../store/postgres/archive/segments.ts'
import type { PostgresPool } from '../../store/postgres/connection/pool.ts'

/** The settings that say where bodies are. */
export type ObjectsConfig = Pick<Config, 'objects' | 'archive'>

/** Access to the bodies of a cluster, for one thread. */
export type OpenObjects = {
  objects: ObjectStore
  segments: SegmentCatalogue
  /** Backend for new bodies; null for the database. */
  target: ObjectBackend | null
  /** All configured backends. */
  backends: ReadonlyMap<BackendKind, ObjectBackend>
  createKeeper(writer: string): RecordKeeper
  close(): Promise<void>
}

export function openObjects(pool: PostgresPool, { objects, archive }: ObjectsConfig): OpenObjects {
  const backends = new Map<BackendKind, ObjectBackend>()
  const fileHeader = (filename: string) =>
    warcinfoRecord({ filename, software: `eRACE/${version}`, date: systemClock.now() })
  const { folder, endpoint, bucket, prefix } = objects
  if (folder !== '')
    backends.set('folder', createFolderBackend({ folder, maxFileBytes: archive.maxFileBytes, fileHeader }))
  if (endpoint !== '' && bucket !== '') {
    const address = `${endpoint.replace(/\/$/, '')}/${bucket}/${prefix}`
    backends.set('s3', createS3Backend({ client: createS3Client(objects), address, prefix, fileHeader }))
  }
  const target = objects.store === 'postgres' ? null : (backends.get(objects.store) ?? missing(objects.store))
  const segments = createSegments(pool)
  return {
    objects: createPostgresObjects(pool, createPlaceReader({ segments, backends })),
    segments,
    target,
    backends,
    createKeeper: (writer) =>
      target === null ? insideKeeper : createOutsideKeeper({ backend: target, segments, writer, clock: systemClock }),
    async close() {
      await Promise.all([...backends.values()].map((backend) => backend.close()))
    },
  }
}

/** The same for a thread that writes continuously. */
export function openObjectWriter(pool: PostgresPool, config: ObjectsConfig, writer: string) {
  const { objects, createKeeper, close } = openObjects(pool, config)
  const keeper = createKeeper(writer)
  return {
    objects,
    keeper,
    async close(): Promise<void> {
      await keeper.close()
      await close()
    },
  }
}

function missing(store: BackendKind): never {
  const keys = store === 'folder' ? 'objects.folder' : 'objects.endpoint and objects.bucket'
  throw new AppError('config-invalid', `objects.store is ${store}, so ${keys} must be set`)
}
