import type { MessagePort } from 'node:worker_threads'
import { serveThread } from '../../core/work/thread-host.ts'
import { type Converter, type ConverterOptions, type MediaFailure, Unreadable } from './converter.ts'
import type { MediaKind } from './media-type.ts'

export type ConverterRequest =
  /** Loading is no part of reading a document, and takes as long as it takes. */
  | { kind: 'load'; media: MediaKind }
  | { kind: 'convert'; media: MediaKind; body: Uint8Array; options: ConverterOptions }

export type ConverterReply =
  | { kind: 'page'; html: Uint8Array }
  | { kind: 'failed'; reason: MediaFailure; message: string }

/** Answers requests inside the thread. */
export function serveConverters(
  port: MessagePort,
  converters: Readonly<Partial<Record<MediaKind, () => Promise<Converter>>>>,
): void {
  async function answer(request: ConverterRequest): Promise<ConverterReply | null> {
    const convert = await converters[request.media]!()
    if (request.kind === 'load') return null
    const { buffer, byteOffset, byteLength } = request.body
    try {
      const { html } = await convert(Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), request.options)
      // Not from the pool of small buffers, which can't be handed over.
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
