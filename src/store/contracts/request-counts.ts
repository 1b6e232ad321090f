/** Requests counted by all servers of a shared store, so that a limit per minute holds for them together. */
export type RequestCountStore = {
  /**
   * Adds this server's requests since it last reported and returns the totals of the same keys. Windows before this one are
   * forgotten.
   */
  add(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>
}
