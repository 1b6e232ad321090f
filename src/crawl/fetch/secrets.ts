import type { Secret } from './protocol.ts'

/** Opens credentials for the requests that are made with them. */
export type Secrets = {
  /** Null where there are none of that id. Throws `sign-in-failed` while they are not to be tried again: the source refused them. */
  open(id: string): Promise<Secret | null>
  /** The source refused them. */
  noteFailed(id: string, reason: string): Promise<void>
  /** The source took them. */
  noteUsed(id: string): Promise<void>
}
