export type FetchLimits = {
  /** For name, TCP and TLS together, over all addresses that are tried. */
  connectTimeoutMs: number
  /** From the request to the end of the response header; not prolonged by bytes that trickle in. */
  headersTimeoutMs: number
  /** The longest silence within a body. */
  bodyTimeoutMs: number
  /** The whole exchange, from connecting to the last byte. */
  totalTimeoutMs: number
  maxHeaderBytes: number
  /** Bytes as sent, before any content encoding is undone. */
  maxBodyBytes: number
  /** Bodies of redirects and errors: read so that the connection lives on, kept because they explain. */
  maxErrorBodyBytes: number
  perHostConnections: number
  /** Open connections in all. Idle ones are closed first; those in use are never closed for it. */
  maxConnections: number
  /** How long an unused connection stays open, unless the server asked for less. */
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
