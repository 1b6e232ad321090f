import { createKeptText } from '../../archive/kept-text.ts'
import type { ShardEnvironment } from '../../crawl/worker/assemble.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import { createPostgresVersions } from '../../store/postgres/archive/versions.ts'
import type { PostgresPool } from '../../store/postgres/connection/pool.ts'

/** Reads the kept content of versions, retrying until the database answers. */
export function keptVersionsOf(
  pool: PostgresPool,
  objects: ObjectStore,
  untilDone: <T>(read: () => Promise<T>) => Promise<T>,
): Pick<ShardEnvironment, 'keptText' | 'keptAspects' | 'keptBody'> {
  const kept = createKeptText({ versions: createPostgresVersions(pool), objects })
  return {
    keptText: (versionId, omit) => untilDone(() => kept.text(versionId, omit)),
    keptAspects: (versionId, asked) => untilDone(() => kept.aspects(versionId, asked)),
    keptBody: (versionId) => untilDone(() => kept.body(versionId)),
  }
}
