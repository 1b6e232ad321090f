import { type BodyWork, ownThread } from '../../../core/text/body-work.ts'
import type { ThreadScanner } from './thread-scanner.ts'

/** Bodies are compared by the scan thread, which has little to do while known pages are crawled; what it refuses is done here. */
export function threadBodyWork(scanner: Pick<ThreadScanner, 'scan' | 'text'>): BodyWork {
  return {
    async digest(body) {
      const scanned = await scanner.scan(body, null)
      return scanned?.digest ?? ownThread.digest(body)
    },
    async fingerprint(body, source) {
      // Rules for what to leave out are compiled in this thread.
      const found = source.omit == null ? await scanner.text(body, source.contentType) : null
      return found === null ? ownThread.fingerprint(body, source) : found.text
    },
  }
}
