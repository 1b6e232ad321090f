/** Request counts of all servers of a shared store, so that a limit per minute applies to them together. */
export type RequestCountStore = {
  /** Adds this server's requests since its last report and returns the totals for the same keys. Removes earlier windows. */
  add(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>
}
