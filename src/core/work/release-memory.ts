/**
 * Gives the memory of bytes that nobody will look at again back at once: the collector would find them seconds later, and a crawl has
 * hundreds of bodies a second. Whoever looks nevertheless finds nothing. Bytes that share their memory with others stay.
 */
export function releaseMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0) buffer.transfer(0)
}
