import type { Checkpointed, ModuleTools, Page } from './module.ts'

/** A storage: gets every version after the archive has stored it. Runs like a processing module, with at-least-once delivery. */
export type Storage<State = unknown> = Checkpointed<State> & {
  readonly name: string
  store(version: StoredVersion, tools: ModuleTools): Promise<void> | void
}

/** A new version of a document. */
export type StoredVersion = Page & {
  /** Id of the version in the archive. */
  readonly versionId: number
}
