/** Mercator's rewindable input stream: read once from the network, and any number of times by modules. */
export type RewindableBody = {
  readonly length: number
  /** All of it. */
  bytes(): Promise<Uint8Array>
  /** From the beginning, in pieces; each call starts anew. */
  stream(): AsyncIterable<Uint8Array>
}
