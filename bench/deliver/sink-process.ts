// Receivers of messages in their own process: an HTTP server and a mail server. They record what arrived on each channel.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { SMTPServer } from 'smtp-server'
import { answerCalls } from './child.ts'

/** Ids of messages, including repeats, and of the annotations in machine-readable ones. */
export type Received = { ids: string[]; annotations: number[] }

const received = new Map<string, Received>()
const noTraffic = { posts: 0, postBytes: 0, mails: 0, mailBytes: 0 }
let traffic = { ...noTraffic }

function note(channel: string, id: string, annotations: readonly number[] = []): void {
  const known = received.get(channel) ?? { ids: [], annotations: [] }
  received.set(channel, known)
  known.ids.push(id)
  known.annotations.push(...annotations)
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}

function noteRequest({ url = '', headers }: IncomingMessage, body: Buffer): void {
  const { pathname, searchParams } = new URL(url, 'http://sink.example')
  const channel = pathname.slice(1)
  // Messages without an id are identified by their content: no two annotations have the same title.
  const id = headers['webhook-id'] ?? searchParams.get('id') ?? createHash('sha256').update(body).digest('base64')
  traffic.posts++
  traffic.postBytes += body.length
  note(channel, String(id), headers['webhook-id'] === undefined ? [] : annotationsIn(body.toString('utf8')))
}

/** Ids of the annotations in a webhook's JSON or XML. */
function annotationsIn(text: string): number[] {
  const found = text.startsWith('{') ? text.matchAll(/\{"id":(\d+),"kind"/g) : text.matchAll(/<aci\b[^>]*? id="(\d+)"/g)
  return [...found].map(([, id]) => Number(id))
}

const web = createServer(async (request, response) => {
  noteRequest(request, await bytesOf(request))
  response.end('ok')
})
web.listen(0, '127.0.0.1')
await once(web, 'listening')

const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  maxClients: 1_000,
  async onData(stream, { envelope }, done) {
    const bytes = await bytesOf(stream)
    const text = bytes.toString('utf8')
    traffic.mails++
    traffic.mailBytes += bytes.length
    const [recipient] = envelope.rcptTo
    note(recipient!.address.split('@')[0]!, /^message-id: <([^@>]+)/im.exec(text)?.[1]?.replace('erace.', '') ?? '')
    done()
  },
})
mail.listen(0, '127.0.0.1')
await once(mail.server, 'listening')

const calls = {
  ports: () => ({
    http: (web.address() as AddressInfo).port,
    mail: (mail.server.address() as AddressInfo).port,
  }),
  /** Returns what arrived since the last call. */
  take() {
    const all = { channels: [...received], ...traffic }
    received.clear()
    traffic = { ...noTraffic }
    return all
  },
  async end() {
    web.closeAllConnections()
    web.close()
    await new Promise<void>((resolve) => mail.close(() => resolve()))
  },
}
export type SinkCalls = typeof calls
answerCalls(calls)
