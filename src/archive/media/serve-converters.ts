import type { MessagePort } from 'node:worker_threads'
import { serveThread } from '../../core/work/thread-host.ts'
import { type Converter, type ConverterOptions, type LinkReader, type MediaFailure, Unreadable } from './converter.ts'
import type { MediaKind } from './media-type.ts'

export type ConverterRequest =
  /** Loading is separate from converting, so that the time limit doesn't apply to it. */
  | { kind: 'load'; media: MediaKind; linksOnly: boolean }
  | { kind: 'convert'; media: MediaKind; linksOnly: boolean; body: Uint8Array; options: ConverterOptions }

export type ConverterReply =
  | { kind: 'page'; html: Uint8Array }
  | { kind: 'failed'; reason: MediaFailure; message: string }

/** Answers requests in the thread. */
export function serveConverters(
  port: MessagePort,
  converters: Readonly<Partial<Record<MediaKind, () => Promise<Converter>>>>,
  linkReaders: Readonly<Partial<Record<MediaKind, () => Promise<LinkReader>>>> = {},
): void {
  async function answer(request: ConverterRequest): Promise<ConverterReply | null> {
    const { media, linksOnly } = request
    const readLinks = linksOnly ? await linkReaders[media]?.() : undefined
    if (readLinks === undefined) await converters[media]!()
    if (request.kind === 'load') return null
    const { buffer, byteOffset, byteLength } = request.body
    const body = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
    try {
      const html =
        readLinks?.(body, request.options.maxBytes) ?? (await (await converters[media]!())(body, request.options)).html
      // Not from the pool of small buffers, which can't be transferred.
      return { kind: 'page', html: new TextEncoder().encode(html) }
    } catch (error) {
      return { kind: 'failed', ...failureOf(error) }
    }
  }

  serveThread(port, answer, (value) => {
    const reply = value as ConverterReply | null
    return reply?.kind === 'page' ? [reply.html.buffer as ArrayBuffer] : []
  })
}

function failureOf(error: unknown): { reason: MediaFailure; message: string } {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Unreadable) return { reason: error.reason, message }
  if (error instanceof RangeError) return { reason: /call stack/.test(message) ? 'too-deep' : 'too-large', message }
  return { reason: 'damaged', message }
}
