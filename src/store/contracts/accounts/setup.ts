/** The one-time key of the set-up link, by which the first administrator is made. */
export type SetupStore = {
  /**
   * Returns the key to show. In a data folder it is `fresh`. In a store that several servers share, it is the key that the first of
   * them brought, until `setHash(null)`: all of them print the same link.
   */
  agree(fresh: string): Promise<string>
  /** The hash that a key is checked against; null where there is none. */
  hash(): Promise<Uint8Array | null>
  /** Null forgets the key as well. */
  setHash(hash: Uint8Array | null): Promise<void>
}
