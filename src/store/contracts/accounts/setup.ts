/** The one-time key of the set-up link, which creates the first administrator. */
export type SetupStore = {
  /**
   * Returns the key to show. In a data folder it is `fresh`. In a store that several servers share, it is the key that the first of
   * them passed, until `setHash(null)`: all of them print the same link.
   */
  agree(fresh: string): Promise<string>
  /** The hash to check a key against; null if there is none. */
  hash(): Promise<Uint8Array | null>
  /** Null also removes the key. */
  setHash(hash: Uint8Array | null): Promise<void>
}
