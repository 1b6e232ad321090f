import type { Client } from 'pg'
import { AppError } from '../../core/errors.ts'

/** Where a message's content begins: behind its type and length. */
const headerBytes = 5
/** Of errors and notices. */
const maxReportBytes = 256 * 1024
const errorType = 0x45
const noticeType = 0x4e

type Stream = { on(event: string, listener: (chunk: Buffer) => void): unknown }
/** The part of the driver's class that is changed here. */
type DriverConnection = { attachListeners(stream: Stream): void }

/**
 * Makes the driver survive what a server may send: it never stops reading an error message without an end, and whatever is not a message
 * of the protocol makes it throw where nothing can catch it.
 */
export function guardMessages(client: Client, refuse: (error: AppError) => void): void {
  const { connection } = client as unknown as { connection: DriverConnection }
  const attach = connection.attachListeners
  connection.attachListeners = (stream) => {
    const check = createMessageCheck()
    let isRefused = false
    const guarded = (listener: (chunk: Buffer) => void) => (chunk: Buffer) => {
      if (isRefused) return
      try {
        check(chunk)
        listener(chunk)
      } catch {
        isRefused = true
        refuse(new AppError('protocol-failed', 'the server said something that its protocol does not allow'))
      }
    }
    attach.call(connection, {
      on: (event, listener) => stream.on(event, event === 'data' ? guarded(listener) : listener),
    })
  }
}

/** Follows the messages through the chunks of a stream. Throws at an error or notice that isn't one. */
function createMessageCheck(): (chunk: Buffer) => void {
  let header: Buffer = Buffer.alloc(0)
  let report: Buffer[] | null = null
  let left = 0

  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (left === 0) {
        const added = chunk.subarray(at, at + headerBytes - header.length)
        header = Buffer.concat([header, added])
        at += added.length
        if (header.length < headerBytes) return
        left = header.readUInt32BE(1) - 4
        if (left < 0) throw new Error('a length that is too small')
        const isReport = header[0] === errorType || header[0] === noticeType
        if (isReport && (left === 0 || left > maxReportBytes)) throw new Error('a report of an impossible length')
        report = isReport ? [] : null
        header = Buffer.alloc(0)
      }
      const content = chunk.subarray(at, at + left)
      at += content.length
      left -= content.length
      report?.push(content)
      if (left === 0 && report !== null && !isReport(Buffer.concat(report))) throw new Error('a report without an end')
    }
  }
}

/** Fields of a code and a text that ends with a zero, and a zero behind the last. */
function isReport(content: Buffer): boolean {
  let at = 0
  while (at < content.length && content[at] !== 0) {
    const end = content.indexOf(0, at + 1)
    if (end === -1) return false
    at = end + 1
  }
  return at < content.length
}
