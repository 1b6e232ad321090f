/**
 * Immediately frees the memory of bytes that are no longer needed: the garbage collector would take seconds, and a crawl has hundreds of
 * bodies a second. Later reads find an empty array. Bytes that share their buffer with others are left alone.
 */
export function releaseMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0) buffer.transfer(0)
}
