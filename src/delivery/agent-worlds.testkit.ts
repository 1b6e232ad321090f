import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import type { AgentWorld } from './agent-suite.testkit.ts'
import { createHttpSender } from './http-sender.ts'
import { agreePushKeys } from './push-keys.ts'
import { createSink, type SinkRequest, toolsOf } from './sink.testkit.ts'
import { createSubscriber } from './web-push.testkit.ts'

type Given = (url: string) => Record<string, unknown>

/** For each kind that speaks HTTP: its settings for a server at a URL. */
export const httpKinds: ReadonlyMap<string, Given> = new Map<string, Given>([
  ['webhook', (url) => ({ url: `${url}/hook`, secret: 'whsec_c2VjcmV0' })],
  ['ntfy', (url) => ({ url, topic: 'news', token: 'tk_x' })],
  ['slack', (url) => ({ url: `${url}/services/x` })],
  ['discord', (url) => ({ url: `${url}/api/webhooks/1/x` })],
  ['teams', (url) => ({ url: `${url}/workflows/x` })],
  ['telegram', (url) => ({ url, token: '123:abcdef', chat: '@news' })],
  ['gotify', (url) => ({ url, token: 'secret-token' })],
  ['matrix', (url) => ({ url, room: '!abc:example.org', token: 'secret-token' })],
  ['http', (url) => ({ url: `${url}/sms?to=1`, body: '{"text":"{{text}}"}', secretHeader: 'Authorization: Bearer x' })],
  ['webpush', (url) => ({ endpoint: `${url}/push`, p256dh: browser.p256dh, auth: browser.auth })],
])

const browser = createSubscriber()
const guard = createAddressGuard({ allow: ['127.0.0.0/8'] })

/** Starts a real server for an agent of the kind. */
export async function openWorld(kind: string): Promise<AgentWorld> {
  const network = createHttpSender(guard)
  const tools = toolsOf(network, createManualClock())
  const given = httpKinds.get(kind)
  if (given !== undefined) {
    const sink = await createSink()
    const keys = await agreePushKeys({ agree: async (_, fresh) => fresh })
    const close = async (): Promise<void> => {
      await network.close()
      await sink.close()
    }
    const push = { ...keys, subject: 'mailto:operator@e.example' }
    return {
      ...{ given: given(sink.url), tools: { ...tools, push }, close },
      received: () => sink.received.map(kind === 'webpush' ? decrypted : requestText),
    }
  }
  if (kind === 'email') {
    const sink = await createMailSink()
    const close = async (): Promise<void> => {
      await network.close()
      await sink.close()
    }
    const mail = { server: sink.url, from: 'erace@e.example' }
    return { given: { to: 'ann@example.org' }, tools: { ...tools, mail }, received: () => sink.received, close }
  }
  if (kind === 'exec') {
    const folder = mkdtempSync(join(tmpdir(), 'erace-exec-'))
    const command = join(folder, 'keep')
    // Each message becomes a file; the names give their order.
    writeFileSync(
      command,
      `#!/bin/sh\nn=$(ls ${folder}/*.got 2>/dev/null | wc -l)\n{ env | grep ^ERACE; echo; cat; } > ${folder}/$(printf %04d $n).got\necho kept\n`,
    )
    chmodSync(command, 0o755)
    const files = (): string[] =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.got'))
        .sort()
    return {
      ...{ given: { command }, tools: { ...tools, commands: [command] } },
      received: () => files().map((name) => readFileSync(join(folder, name), 'utf8')),
      async close() {
        await network.close()
        rmSync(folder, { recursive: true })
      },
    }
  }
  return { given: {}, tools, received: () => [], close: () => network.close() }
}

function requestText({ method, path, headers, body }: SinkRequest): string {
  const lines = Object.entries(headers)
    .filter(([name]) => !['host', 'connection'].includes(name))
    .map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path}\n${lines.join('\n')}\n\n${body}`
}

const decrypted = (request: SinkRequest): string => requestText({ ...request, body: browser.decrypt(request.bytes) })

/** A mail server on loopback that records what it receives: the envelope, then the mail in readable form. */
export async function createMailSink() {
  const received: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      let data = ''
      stream.setEncoding('utf8').on('data', (text: string) => {
        data += text
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const envelope = `MAIL FROM:<${from}>\n${rcptTo.map(({ address }) => `RCPT TO:<${address}>`).join('\n')}`
        received.push(`${envelope}\n${readable(data.replaceAll('\r\n', '\n'))}`)
        done(null, 'queued as 42')
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Decodes quoted-printable and encoded words. */
function readable(mail: string): string {
  const bytes = mail
    .replace(/=\?UTF-8\?Q\?([^?]*)\?=(?:\n?[ \t]+(?==\?))?/gi, (_, word: string) => word.replaceAll('_', ' '))
    .replace(/=\n/g, '')
    .replace(/(?:=[\dA-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll('=', ''), 'hex').toString('utf8'))
  return bytes.replace(/(?<=\n\n)[A-Za-z0-9+/=\n]{200,}(?=\n\n|\n--)/g, (block) =>
    Buffer.from(block, 'base64').toString('utf8'),
  )
}
