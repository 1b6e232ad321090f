import type { Secret } from './protocol.ts'

/** Provides credentials for requests. */
export type Secrets = {
  /** Null if there are none with that id. Throws `sign-in-failed` while they must not be tried again because the source refused them. */
  open(id: string): Promise<Secret | null>
  /** Notes that the source refused them. */
  noteFailed(id: string, reason: string): Promise<void>
  /** Notes that the source accepted them. */
  noteUsed(id: string): Promise<void>
}
