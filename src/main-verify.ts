import { type VerifyProgress, type VerifyReport, verifyArchive } from './cache/verify.ts'
import { decodeBody } from './crawl/fetch/decode.ts'
import { checkDatabases } from './store/embedded/checks.ts'
import { openCatalogForReading, paths } from './store/embedded/folder.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'

const MAX_DECODED_BYTES = 2 ** 30

/** `erace verify` on the embedded store. */
export async function verify(folder: string, onProgress: (progress: VerifyProgress) => void): Promise<VerifyReport> {
  const db = openCatalogForReading(folder)
  try {
    return await verifyArchive({
      objects: createEmbeddedObjects(db, paths.archive(folder)),
      storeFaults: async () => checkDatabases(folder),
      decode(body, contentEncoding) {
        const decoded = decodeBody(body, contentEncoding, MAX_DECODED_BYTES)
        return decoded.kind === 'decoded' ? decoded.body : null
      },
      onProgress,
    })
  } finally {
    db.close()
  }
}
