import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import type { AgentTools } from './channel-agent.ts'
import { createHttpSender } from './http-sender.ts'
import { mail } from './mail.ts'
import { type MailHost, mailHostSkip, openMailbox, startMailHost } from './mail-host.testkit.ts'
import { hostileText, itemOf, messageOf } from './render/message.testkit.ts'
import { toolsOf } from './sink.testkit.ts'

const network = createHttpSender(createAddressGuard({ allow: ['127.0.0.0/8'] }))
const unsubscribe = 'https://e.example/unsubscribe/c_1-abc'
const links = { inbox: 'https://e.example/inbox', settings: 'https://e.example/settings', unsubscribe }

describe('mail delivery end to end', { skip: mailHostSkip }, () => {
  let host: MailHost
  let tools: AgentTools
  before(async () => {
    host = await startMailHost()
    tools = {
      ...toolsOf(network, createManualClock()),
      mail: { server: `smtp://127.0.0.1:${host.smtpPort}`, from: 'erace@e.example' },
    }
  })
  after(async () => {
    await host?.end()
    await network.close()
  })

  test('messages arrive intact via SMTP to Postfix, LMTP to Dovecot and IMAP to the reader', async () => {
    const box = await openMailbox(host.imapPort, 'ann')
    try {
      const to = { to: 'ann@example.org' }
      const title = 'Wasserkocher für 34 € – “neu” 茶 💡'
      const messages = [
        messageOf({ id: 'm1', links, items: [itemOf({ title })] }),
        messageOf({ id: 'm2', links, items: [itemOf({ title: hostileText, summary: hostileText, parts: [] })] }),
        messageOf({
          id: 'm3',
          links,
          kind: 'digest',
          items: [itemOf(), itemOf({ id: 8, thread: 'd8', profile: 'News' })],
        }),
      ]
      for (const [n, message] of messages.entries()) {
        const outcome = await mail.send(message, to, tools)
        assert.equal(outcome.kind, 'delivered', JSON.stringify(outcome))
        assert.match('answer' in outcome ? outcome.answer : '', /^250 2\.0\.0 Ok: queued as /)
        await box.await(n + 1)
      }
      const headerOf = async (n: number, name: string): Promise<string> => {
        const text = await box.fetch(n, `HEADER.FIELDS (${name})`)
        return text
          .trim()
          .replace(/\r\n[ \t]+/g, ' ')
          .replace(/^[^:]*: ?/, '')
      }
      assert.equal(decoded(await headerOf(1, 'Subject')), `${title}: € 39.90 → € 34.50`)
      assert.equal(await headerOf(1, 'To'), 'ann@example.org')
      assert.equal(await headerOf(1, 'Delivered-To'), 'ann@example.org')
      assert.equal(await headerOf(1, 'Return-Path'), '<erace@e.example>')
      assert.equal(await headerOf(1, 'Message-ID'), '<erace.m1@e.example>')
      assert.equal(await headerOf(1, 'List-Unsubscribe'), `<${unsubscribe}>`)
      assert.equal(await headerOf(1, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
      assert.equal(await headerOf(2, 'Bcc'), '')
      assert.match(await headerOf(1, 'Received'), /with LMTP.*Postfix/s)
      // Both are about the same page: the server itself groups them into one thread, and the digest into another.
      const [first, second] = [await headerOf(1, 'References'), await headerOf(2, 'References')]
      assert.equal(first, second)
      assert.match(await box.ask('THREAD REFERENCES UTF-8 ALL'), /^\* THREAD \(\(1\)\(2\)\)\(3\)\r\n/m)

      const structure = await box.ask('FETCH 1 BODYSTRUCTURE')
      assert.match(
        structure,
        /\("text" "plain" \("charset" "utf-8"\).*\("text" "html" \("charset" "utf-8"\).*"alternative"/,
      )
      const text = readPart(await box.fetch(1, '1.MIME'), await box.fetch(1, '1'))
      assert.match(text, /€ 39\.90 → € 34\.50/)
      assert.ok(text.includes(title))
      assert.ok(text.includes(unsubscribe))
      const html = readPart(await box.fetch(1, '2.MIME'), await box.fetch(1, '2'))
      assert.match(html, /<del[^>]*>€ 39\.90<\/del> → <ins[^>]*>€ 34\.50<\/ins>/)
      const hostile = readPart(await box.fetch(2, '2.MIME'), await box.fetch(2, '2'))
      assert.doesNotMatch(hostile, /<script/)
      assert.match(readPart(await box.fetch(3, '1.MIME'), await box.fetch(3, '1')), /News/)
    } finally {
      await box.close()
    }
  })

  test('a relay refusal is permanent, and its reason is kept', async () => {
    const outcome = await mail.send(messageOf(), { to: 'eve@elsewhere.example' }, tools)
    assert.equal(outcome.kind, 'never')
    assert.match('reason' in outcome ? outcome.reason : '', /554 5\.7\.1 .*Relay access denied/)
  })
})

/** Encoded words of a header (RFC 2047) as text. */
function decoded(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/((?:=\?utf-8\?[qb]\?[^?]*\?=)+)/gi, (words) =>
      Buffer.concat(
        [...words.matchAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi)].map(([, how, text]) =>
          how!.toLowerCase() === 'b' ? Buffer.from(text!, 'base64') : quotedBytes(text!.replaceAll('_', ' ')),
        ),
      ).toString('utf8'),
    )
}

function readPart(head: string, body: string): string {
  const how = /^content-transfer-encoding: *([\w-]+)/im.exec(head)?.[1]?.toLowerCase()
  if (how === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return how === 'quoted-printable' ? quotedBytes(body.replace(/=\r\n/g, '')).toString('utf8') : body
}

function quotedBytes(text: string): Buffer {
  return Buffer.from(
    text.replace(/=([\dA-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
}
