import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import { selfSigned } from '../crawl/fetch/certificate.testkit.ts'
import { settingsOf } from './agent-suite.testkit.ts'
import type { AgentTools } from './channel-agent.ts'
import { createHttpSender } from './http-sender.ts'
import { mail, readMailServer } from './mail.ts'
import { hostileText, itemOf, messageOf } from './render/message.testkit.ts'
import { readSettings } from './settings.ts'
import { createRawSink, toolsOf } from './sink.testkit.ts'

type Received = { from: string; to: string[]; data: string }

const network = createHttpSender(createAddressGuard({ allow: ['127.0.0.0/8'] }))
const received: Received[] = []
/** The server's reply to the next message; null to accept it. */
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

/** Decodes encoded words (RFC 2047) as nodemailer writes them. */
function decoded(words: string): string {
  const bytes = words
    .replace(/\?=\s+=\?UTF-8\?Q\?/g, '')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, text: string) => text.replaceAll('_', ' '))
  return bytes.replace(/(?:=[\dA-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll('=', ''), 'hex').toString('utf8'))
}

describe('mail agent', () => {
  test('sends text and HTML, with a thread per page and a one-click unsubscribe link', async () => {
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
    assert.equal(decoded(header(data, 'Subject')), 'Kettle: € 39.90 → € 34.50')
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

  test('uses the same Message-ID for a repeat, and no thread for a digest', async () => {
    await mail.send(messageOf(), to, tools)
    await mail.send(messageOf(), to, tools)
    const ids = received.slice(-2).map(({ data }) => header(data, 'Message-ID'))
    assert.equal(ids[0], ids[1])
    await mail.send(messageOf({ kind: 'digest', items: [itemOf(), itemOf()] }), to, tools)
    assert.equal(header(received.at(-1)!.data, 'In-Reply-To'), '')
  })

  test('prevents header and recipient injection by pages, profiles and settings', async () => {
    const said = { title: hostileText, profile: hostileText, thread: hostileText }
    for (const item of [
      itemOf(said),
      itemOf({ ...said, summary: hostileText }),
      itemOf({ ...said, parts: [{ kind: 'added', text: hostileText }] }),
      itemOf({ ...said, kind: 'new', summary: '' }),
      itemOf({ ...said, kind: 'gone', title: '', url: `https://x.example/${hostileText}` }),
    ]) {
      await mail.send(messageOf({ items: [item] }), to, tools)
      const { data, to: recipients } = received.at(-1)!
      assert.deepEqual(recipients, ['ann@example.org'])
      assert.equal(header(data, 'Bcc'), '')
      assert.match(header(data, 'Subject'), /\S/)
      const names = data.slice(0, data.indexOf('\r\n\r\n')).match(/^[\w-]+(?=:)/gm)!
      assert.equal(new Set(names).size, names.length, names.join(' '))
    }
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

  test('retries after a temporary refusal, but not after a permanent one', async () => {
    refusal = { code: 451, text: 'try later' }
    assert.equal((await mail.send(messageOf(), to, tools)).kind, 'later')
    refusal = { code: 550, text: 'no such user' }
    assert.deepEqual(await mail.send(messageOf(), to, tools), {
      kind: 'never',
      reason: 'Message failed: 550 no such user',
    })
    refusal = null
  })

  test('retries if the server hangs up, does not speak SMTP or is unreachable', async () => {
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

  const usual = new Map([
    ['DATA', '354 go on'],
    ['EHLO', '250 mail.example'],
    ['STARTTLS', '502 not here'],
  ])

  /** Sends to a scripted mail server that behaves normally except at one stage. */
  async function sendTo(stage: string, reply: string, limits = tools.limits, user = '') {
    const lines: string[] = []
    const script = await createRawSink((socket) => {
      let isText = false
      let rest = ''
      const say = (at: string, answer: string): void => {
        if (at !== stage) return void socket.write(answer)
        if (reply === 'drop') return void socket.destroy()
        if (reply === 'drip') {
          const drip = (): void => void (socket.destroyed || socket.write('250-more\r\n', () => setTimeout(drip, 20)))
          drip()
        } else if (reply !== 'hang') socket.write(`${reply}\r\n`)
      }
      say('greeting', '220 mail.example ESMTP\r\n')
      socket.setEncoding('utf8').on('data', (text: string) => {
        const parts = (rest + text).split('\r\n')
        rest = parts.pop()!
        for (const line of parts) {
          lines.push(line)
          if (isText && line !== '.') continue
          const word = isText ? 'text' : line.split(/[ :]/)[0]!.toUpperCase().replace('HELO', 'EHLO')
          isText = word === 'DATA' && stage !== 'DATA'
          say(word, `${usual.get(word) ?? '250 fine'}\r\n`)
        }
      })
    })
    const outcome = await mail.send(messageOf(), to, {
      ...{ ...tools, limits },
      mail: { ...tools.mail, server: `smtp://${user}127.0.0.1:${script.port}` },
    })
    await script.close()
    return { outcome, lines }
  }

  for (const stage of ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'text'])
    test(`maps every server fault at ${stage} to an outcome`, async () => {
      const isOfMessage = ['MAIL', 'RCPT', 'DATA', 'text'].includes(stage)
      const short = { connectMs: 2000, answerMs: 400 }
      const cases = [
        [`421 try later`, 'later', tools.limits],
        [`451 try later`, 'later', tools.limits],
        [`550 no such thing`, isOfMessage ? 'never' : 'later', tools.limits],
        [`554-no\r\n554 not here`, isOfMessage ? 'never' : 'later', tools.limits],
        ['drop', 'later', tools.limits],
        ['hang', 'later', short],
        ['drip', 'later', { connectMs: 300, answerMs: 400 }],
        ['\u0000\u0001 nonsense', 'later', short],
      ] as const
      await Promise.all(
        cases.map(async ([reply, expected, limits]) => {
          const { outcome, lines } = await sendTo(stage, reply, limits)
          assert.equal(outcome.kind, expected, `${reply}: ${JSON.stringify(outcome)}`)
          assert.notEqual('reason' in outcome && outcome.reason, '')
          const recipients = lines.filter((line) => /^RCPT/i.test(line))
          assert.ok(recipients.every((line) => line.startsWith('RCPT TO:<ann@example.org>')))
        }),
      )
    })

  test('counts a message as delivered once the server accepts it', async () => {
    const { outcome, lines } = await sendTo('none', '')
    assert.deepEqual(outcome, { kind: 'delivered', answer: '250 fine' })
    assert.ok(lines.includes('MAIL FROM:<erace@e.example>'))
  })

  test('rejects an untrusted certificate, and accepts a trusted one', async () => {
    const certificate = selfSigned('localhost')
    // A TLS proxy in front of the plain server.
    const inner = (server.server.address() as AddressInfo).port
    const secure = createTlsServer(certificate, (socket) => {
      const plain = connect(inner, '127.0.0.1')
      socket
        .on('error', () => {})
        .pipe(plain.on('error', () => {}))
        .pipe(socket)
    })
    secure.listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const { port } = secure.address() as AddressInfo
    const through = {
      ...tools,
      mail: { ...tools.mail, server: `smtps://localhost:${port}` },
      resolve: async () => '127.0.0.1',
    }
    const refused = await mail.send(messageOf(), to, through)
    assert.equal(refused.kind, 'later')
    assert.match('reason' in refused ? refused.reason : '', /certificate/i)
    const accepted = await mail.send(messageOf(), to, { ...through, mailAuthority: certificate.cert })
    assert.equal(accepted.kind, 'delivered')
    secure.close()
    await once(secure, 'close')
  })

  test('does not connect to private mail servers unless they are allowed', async () => {
    const strict = createHttpSender(createAddressGuard({ allow: [] }))
    const { port } = server.server.address() as AddressInfo
    const before = received.length
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) {
      const own = settingsOf(mail, { ...to, server: `smtp://${host}:${port}`, from: 'me@e.example' })
      const outcome = await mail.send(messageOf(), own, { ...tools, resolve: strict.resolve })
      assert.equal(outcome.kind, 'later', host)
      assert.match('reason' in outcome ? outcome.reason : '', /private network/, host)
    }
    assert.equal(received.length, before)
    await strict.close()
  })

  test('sends nothing if the stored address is not a single plain address', async () => {
    const before = received.length
    for (const address of ['a@b.example, c@d.example', 'a@b.example\r\nRCPT TO:<c@d.example>', '', '"x" <a@b.example>'])
      assert.equal((await mail.send(messageOf(), { to: address }, tools)).kind, 'never', address)
    assert.equal(received.length, before)
  })

  test('sets the date of the message, and high importance for urgent items only', async () => {
    await mail.send(messageOf({ items: [itemOf({ urgency: 5 })] }), to, tools)
    const { data } = received.at(-1)!
    assert.equal(header(data, 'Date'), 'Sun, 03 May 2026 08:00:00 +0000')
    assert.equal(header(data, 'Importance'), 'High')
    assert.equal(header(data, 'Precedence'), 'bulk')
    await mail.send(messageOf(), to, tools)
    assert.equal(header(received.at(-1)!.data, 'Importance'), '')
  })

  test('sends neither password nor message without TLS, even if the server offers only that', async () => {
    const withoutTls = '250-mail.example\r\n250 AUTH PLAIN LOGIN'
    const { outcome, lines } = await sendTo('EHLO', withoutTls, tools.limits, 'ann:secret@')
    assert.deepEqual(
      lines.filter((line) => !/^(?:EHLO|STARTTLS|QUIT)/.test(line)),
      [],
    )
    assert.equal(outcome.kind, 'later')
    assert.match('reason' in outcome ? outcome.reason : '', /TLS/i)
  })

  test('says who can configure a mail server if there is none', async () => {
    const outcome = await mail.send(messageOf(), to, { ...tools, mail: { server: '', from: '' } })
    assert.match('reason' in outcome ? outcome.reason : '', /administrator can set mail\.server/)
  })

  test('parses mail server URLs', () => {
    assert.deepEqual(readMailServer('smtps://a%40b:p@m.example'), {
      ...{ host: 'm.example', port: 465, isSecure: true, user: 'a@b', password: 'p', needsTls: false },
    })
    assert.equal(readMailServer('smtps://ann:50%off%20!@m.example')?.password, '50%off !')
    for (const text of ['', 'm.example', 'https://m.example', 'smtp://', 'smtp://m.example/x'])
      assert.equal(readMailServer(text), null, text)
  })
})
