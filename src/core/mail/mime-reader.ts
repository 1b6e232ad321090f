import type { Email, PostalMimeOptions } from 'postal-mime'

export type MimeReader = {
  parse(source: Buffer, options: PostalMimeOptions): Promise<Email>
  /** Decodes encoded words (RFC 2047). */
  decodeWords(text: string): string
}

type Decoder = { chunks?: unknown }
type MimeNode = { contentDecoder: Decoder | null; setupContentDecoder(encoding: string): void }

let loaded: Promise<MimeReader> | undefined

/**
 * postal-mime with one fix: it keeps every line of a body as a separate object and joins them as the parts of a Blob, which takes minutes
 * for a message of some megabytes of short lines, and anyone can send one. Here they are joined as they arrive.
 */
export function loadMimeReader(): Promise<MimeReader> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<MimeReader> {
  const { default: PostalMime, decodeWords } = await import('postal-mime')
  const { root } = new PostalMime() as unknown as { root: MimeNode }
  const node: MimeNode = Object.getPrototypeOf(root)
  const setUp = node.setupContentDecoder
  node.setupContentDecoder = function (encoding) {
    setUp.call(this, encoding)
    if (this.contentDecoder !== null && Array.isArray(this.contentDecoder.chunks))
      this.contentDecoder.chunks = createJoinedChunks()
  }
  return { parse: (source, options) => PostalMime.parse(source, options), decodeWords }
}

/** The part of the array interface that decoders use: chunks are pushed, and a Blob is made from the iterator, which yields one piece. */
function createJoinedChunks() {
  let bytes = Buffer.allocUnsafe(1024)
  let length = 0
  return {
    push(chunk: string | ArrayBuffer | Uint8Array): void {
      const added = typeof chunk === 'string' ? Buffer.from(chunk) : new Uint8Array(chunk as ArrayBuffer)
      if (length + added.length > bytes.length) {
        const longer = Buffer.allocUnsafe(2 * (length + added.length))
        bytes.copy(longer, 0, 0, length)
        bytes = longer
      }
      bytes.set(added, length)
      length += added.length
    },
    *[Symbol.iterator](): Generator<Uint8Array> {
      yield bytes.subarray(0, length)
    },
  }
}
