import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import type { AgentTools } from './channel-agent.ts'
import { createHttpSender } from './http-sender.ts'
import { mail, readMailServer } from './mail.ts'
import { hostileText, itemOf, messageOf } from './render/message.testkit.ts'
import { readSettings } from './settings.ts'
import { toolsOf } from './sink.testkit.ts'

type Received = { from: string; to: string[]; data: string }

const network = createHttpSender(createAddressGuard({ allow: ['127.0.0.0/8'] }))
const received: Received[] = []
/** What the server says to the next message; null to accept it. */
let refusal: { code: number; text: string } | null = null
let server: SMTPServer
let tools: AgentTools

before(async () => {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      let data = ''
      stream.setEncoding('utf8').on('data', (text: string) => {
        data += text
      })
      stream.on('end', () => {
        if (refusal !== null) return done(Object.assign(new Error(refusal.text), { responseCode: refusal.code }))
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          data,
        })
        done(null, 'queued as 42')
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  tools = {
    ...toolsOf(network, createManualClock()),
    mail: { server: `smtp://127.0.0.1:${port}`, from: 'erace@e.example' },
  }
})
after(async () => {
  await network.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

const to = { to: 'ann@example.org' }
const header = (data: string, name: string): string => {
  const unfolded = data.slice(0, data.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
  return new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1] ?? ''
}

describe('mail', () => {
  test('has text and HTML, a thread for each page and an unsubscribe link of one click', async () => {
    const links = {
      inbox: 'https://e.example/inbox',
      settings: 'https://e.example/s',
      unsubscribe: 'https://e.example/u/x',
    }
    assert.deepEqual(await mail.send(messageOf({ links }), to, tools), {
      kind: 'delivered',
      answer: '250 queued as 42',
    })
    const { from, to: recipients, data } = received.at(-1)!
    assert.deepEqual([from, recipients], ['erace@e.example', ['ann@example.org']])
    assert.equal(header(data, 'Subject'), 'Changed: Kettle')
    assert.equal(header(data, 'Message-ID'), '<erace.m1@e.example>')
    assert.equal(header(data, 'In-Reply-To'), '<erace.thread.d3@e.example>')
    assert.equal(header(data, 'References'), '<erace.thread.d3@e.example>')
    assert.equal(header(data, 'List-Unsubscribe'), '<https://e.example/u/x>')
    assert.equal(header(data, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
    assert.equal(header(data, 'Auto-Submitted'), 'auto-generated')
    assert.match(header(data, 'Content-Type'), /^multipart\/alternative/)
    assert.match(data, /Content-Type: text\/plain/)
    assert.match(data, /Content-Type: text\/html/)
  })

  test('a repeat has the same id, and a digest belongs to no thread', async () => {
    await mail.send(messageOf(), to, tools)
    await mail.send(messageOf(), to, tools)
    const ids = received.slice(-2).map(({ data }) => header(data, 'Message-ID'))
    assert.equal(ids[0], ids[1])
    await mail.send(messageOf({ kind: 'digest', items: [itemOf(), itemOf()] }), to, tools)
    assert.equal(header(received.at(-1)!.data, 'In-Reply-To'), '')
  })

  test('what pages, profiles and settings say begins no header and reaches no other person', async () => {
    await mail.send(
      messageOf({ items: [itemOf({ title: hostileText, profile: hostileText, thread: hostileText })] }),
      to,
      tools,
    )
    const { data, to: recipients } = received.at(-1)!
    assert.deepEqual(recipients, ['ann@example.org'])
    assert.equal(header(data, 'Bcc'), '')
    for (const address of [
      'a@b.example\r\nBcc: c@d.example',
      'a@b.example, c@d.example',
      'a b',
      '<a@b.example>',
      'a@b@c',
    ])
      assert.equal(readSettings(mail, { to: address }).errors.length, 1, address)
    await mail.send(messageOf({ items: [itemOf({ title: 'x'.repeat(10_000_000) })] }), to, tools)
  })

  test('a server that is busy is asked again, one that refuses is not', async () => {
    refusal = { code: 451, text: 'try later' }
    assert.equal((await mail.send(messageOf(), to, tools)).kind, 'later')
    refusal = { code: 550, text: 'no such user' }
    assert.deepEqual(await mail.send(messageOf(), to, tools), {
      kind: 'never',
      reason: 'Message failed: 550 no such user',
    })
    refusal = null
  })

  test('a server that drops the line, speaks no SMTP or is not there is asked again', async () => {
    for (const greeting of ['', '220 hello\r\n', 'HTTP/1.1 400 Bad Request\r\n\r\n']) {
      const broken = createServer((socket) =>
        socket.on('error', () => {}).end(greeting, () => socket.destroy()),
      ).listen(0, '127.0.0.1')
      await once(broken, 'listening')
      const { port } = broken.address() as AddressInfo
      const outcome = await mail.send(messageOf(), to, {
        ...tools,
        mail: { ...tools.mail, server: `smtp://127.0.0.1:${port}` },
      })
      assert.equal(outcome.kind, 'later', greeting)
      broken.close()
      await once(broken, 'close')
      const gone = await mail.send(messageOf(), to, {
        ...tools,
        mail: { ...tools.mail, server: `smtp://127.0.0.1:${port}` },
      })
      assert.equal(gone.kind, 'later')
    }
  })

  test('no password travels without TLS', async () => {
    const { port } = server.server.address() as AddressInfo
    const outcome = await mail.send(messageOf(), to, {
      ...tools,
      mail: { ...tools.mail, server: `smtp://ann:secret@127.0.0.1:${port}` },
    })
    assert.equal(outcome.kind, 'later')
    assert.match('reason' in outcome ? outcome.reason : '', /TLS/i)
  })

  test('without a mail server it says who can set one', async () => {
    const outcome = await mail.send(messageOf(), to, { ...tools, mail: { server: '', from: '' } })
    assert.match('reason' in outcome ? outcome.reason : '', /administrator can set mail\.server/)
  })

  test('servers are read from their address', () => {
    assert.deepEqual(readMailServer('smtps://a%40b:p@m.example'), {
      ...{ host: 'm.example', port: 465, isSecure: true, user: 'a@b', password: 'p', needsTls: false },
    })
    for (const text of ['', 'm.example', 'https://m.example', 'smtp://', 'smtp://m.example/x'])
      assert.equal(readMailServer(text), null, text)
  })
})
