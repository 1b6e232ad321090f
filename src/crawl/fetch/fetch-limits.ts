export type FetchLimits = {
  /** DNS, TCP and TLS together, over all addresses tried. */
  connectTimeoutMs: number
  /** From the request to the end of the response header; not extended by bytes that trickle in. */
  headersTimeoutMs: number
  /** Maximum silence within a body. */
  bodyTimeoutMs: number
  /** The whole exchange, from connecting to the last byte. */
  totalTimeoutMs: number
  maxHeaderBytes: number
  /** Bytes as sent, before content decoding. */
  maxBodyBytes: number
  /** For bodies of redirects and errors: read so that the connection can be reused, kept because they explain. */
  maxErrorBodyBytes: number
  perHostConnections: number
  /** Open connections in total. Idle ones are closed to stay below it; those in use never are. */
  maxConnections: number
  /** How long an idle connection stays open, unless the server asked for less. */
  keepAliveMs: number
}

export const defaultFetchLimits: FetchLimits = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 20_000,
  bodyTimeoutMs: 20_000,
  totalTimeoutMs: 60_000,
  maxHeaderBytes: 64 << 10,
  maxBodyBytes: 10 << 20,
  maxErrorBodyBytes: 64 << 10,
  perHostConnections: 1,
  maxConnections: 512,
  keepAliveMs: 15_000,
}
