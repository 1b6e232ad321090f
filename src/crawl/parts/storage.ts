import type { Checkpointed, ModuleTools, Page } from './module.ts'

/** A storage of the chain: is given every version after the archive has stored it. Runs like a processing module, at least once. */
export type Storage<State = unknown> = Checkpointed<State> & {
  readonly name: string
  store(version: StoredVersion, tools: ModuleTools): Promise<void> | void
}

/** A new version of a document. */
export type StoredVersion = Page & {
  /** Of the version in the archive. */
  readonly versionId: number
}
