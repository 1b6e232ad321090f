import type { CaptureOutcome } from '../../../store/contracts/documents.ts'

/** A page whose body and version another shard has stored. */
export type RecordedPage = {
  outcome: CaptureOutcome
  digest: Uint8Array
  at: number
  /** Reports whether the owners of its links have accepted them. */
  settled(accepted: boolean): void
}
