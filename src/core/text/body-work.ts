import { bodyDigest } from '../url/fingerprint.ts'
import { type TextSource, textFingerprint } from './document-text.ts'

/** What takes the most time when a changed body is compared with a kept one. A thread that is busy may leave it to another one. */
export type BodyWork = {
  /** As `bodyDigest`. */
  digest(body: Buffer): Buffer | Promise<Buffer>
  /** As `textFingerprint`. */
  fingerprint(body: Buffer, source: TextSource): Buffer | null | Promise<Buffer | null>
}

export const ownThread: BodyWork = { digest: bodyDigest, fingerprint: textFingerprint }
