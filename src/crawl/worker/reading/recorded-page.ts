import type { CaptureOutcome } from '../../../store/contracts/documents.ts'

/** A page whose body and version another shard has stored. */
export type RecordedPage = {
  outcome: CaptureOutcome
  digest: Uint8Array
  at: number
  /** Its links are with their owners, or not. */
  settled(accepted: boolean): void
}
