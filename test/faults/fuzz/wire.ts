import { connect, type Socket } from 'node:net'
import type { FuzzRequest } from './requests.ts'

export type Answer =
  | { kind: 'answer'; status: number; headers: Map<string, string>; body: Buffer; tookMs: number }
  /** `closed`: without a complete answer; `hang`: no answer within the limit. */
  | { kind: 'closed'; received: string; error: string; tookMs: number }
  | { kind: 'hang'; received: string; error: string; tookMs: number }

/** The request as bytes, in the pieces to write. */
export function bytesOf(request: FuzzRequest, host: string, credentials: readonly string[]): Buffer[] {
  const { method, target, headers, body, framing } = request
  const lines = [`${method} ${target} HTTP/1.1`]
  if (!headers.some(([name]) => name === 'host')) lines.push(`host: ${host}`)
  lines.push('connection: close', ...credentials, ...headers.map(([name, value]) => `${name}: ${value}`))
  const length = body?.length ?? 0
  const isChunked = framing === 'chunked' || framing === 'broken-chunks' || framing === 'both'
  if (isChunked) lines.push('transfer-encoding: chunked')
  if (body !== null && (!isChunked || framing === 'both') && !headers.some(([name]) => name === 'content-length'))
    lines.push(
      `content-length: ${framing === 'short' ? length + 10 : framing === 'long' ? Math.ceil(length / 2) : length}`,
    )
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (body === null) return [head]
  if (isChunked) return [head, chunksOf(body, framing === 'broken-chunks')]
  if (framing !== 'pieces') return [Buffer.concat([head, body])]
  const third = Math.ceil(length / 3)
  return [head.subarray(0, 10), head.subarray(10), body.subarray(0, third), body.subarray(third)]
}

function chunksOf(body: Buffer, isBroken: boolean): Buffer {
  const half = Math.ceil(body.length / 2)
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0)
  const coded = chunks.flatMap((chunk) => [
    Buffer.from(`${isBroken ? 'xyz' : chunk.length.toString(16)};name="value"\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...coded, Buffer.from('0\r\nx-trailer: 1\r\n\r\n')])
}

export type SendOptions = { port: number; pieces: readonly Buffer[]; limitMs: number; from: number; isCut: boolean }

/** Sends a request over its own connection and reads the first answer to its end. */
export async function send({ port, pieces, limitMs, from, isCut }: SendOptions): Promise<Answer> {
  const startedAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${from}`, allowHalfOpen: true })
  const received: Buffer[] = []
  const took = (): number => performance.now() - startedAt
  const text = (): string => Buffer.concat(received).toString('latin1', 0, 300)
  let error = ''
  const timer = setTimeout(() => resolve({ kind: 'hang', received: text(), error, tookMs: took() }), limitMs)
  socket.on('data', (chunk) => {
    received.push(chunk)
    // An event stream has no end; only its beginning matters here.
    const isLast = chunk.length < 5000 && Buffer.concat(received.slice(0, 2)).includes('text/event-stream')
    if (isLast) finish()
  })
  socket.on('end', finish)
  socket.on('close', finish)
  socket.on('error', (failure: NodeJS.ErrnoException) => {
    error = failure.code ?? failure.message
  })
  for (const piece of pieces) socket.write(piece)
  if (isCut) socket.end()

  function finish(): void {
    const answer = readAnswer(Buffer.concat(received))
    resolve(
      answer === null
        ? { kind: 'closed', received: text(), error, tookMs: took() }
        : { kind: 'answer', ...answer, tookMs: took() },
    )
  }

  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/** Null if the answer is incomplete. */
function readAnswer(bytes: Buffer): { status: number; headers: Map<string, string>; body: Buffer } | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return null
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0)
  if (status === 0) return null
  const rest = bytes.subarray(end + 4)
  if (status < 200) return readAnswer(rest)
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  if (headers.get('transfer-encoding') === 'chunked') return { status, headers, body: withoutChunks(rest) }
  const length = Number(headers.get('content-length') ?? rest.length)
  return { status, headers, body: rest.subarray(0, length) }
}

function withoutChunks(bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (lineEnd === -1 || !(size > 0)) break
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 4 + size
  }
  return Buffer.concat(pieces)
}
