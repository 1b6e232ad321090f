import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { messageToHtml } from './message.ts'

const mailbox = 'imap://example.org/INBOX'

async function page(source: string | Buffer, url = `${mailbox}/;MID=own%40example.org`, maxBytes = 1_000_000) {
  const body = typeof source === 'string' ? Buffer.from(source.replaceAll('\n', '\r\n')) : source
  return (await messageToHtml(body, { url, contentType: 'message/rfc822', maxBytes })).html
}

const htmlToText = (html: string): string => html.replace(/<[^>]*>/g, '')

describe('a message as a page', () => {
  test('has its subject, header fields and text', async () => {
    const html = await page(
      'From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\nTo: b@example.org\nDate: Tue, 1 Sep 2026 10:00:00 +0200\n' +
        'List-Id: The list <list.example.org>\nSubject: =?iso-8859-1?q?Gr=FC=DFe?=\n\nFirst <b>.\n\nSee https://example.org/a?b=1&c.\n',
    )
    assert.match(html, /<title>Grüße<\/title>/)
    assert.match(html, /<th>From<\/th><td>Jürgen &lt;j@example\.org&gt;</)
    assert.match(html, /<th>Date<\/th><td>2026-09-01T08:00:00\.000Z</)
    assert.match(html, /<th>List<\/th><td>The list &lt;list\.example\.org&gt;</)
    assert.match(html, /<p>First &lt;b&gt;\.<\/p>/)
    assert.match(html, /<a href="https:\/\/example\.org\/a\?b=1&amp;c">/)
  })

  test('keeps text and links of an HTML body, but no scripts, forms, frames, styles or images', async () => {
    const html = await page(
      'Subject: x\nContent-Type: text/html\n\n<html><head><title>t</title><style>b{}</style></head><body onload="x()">' +
        '<p style="display:none">preheader</p><script>alert(1)</script><form action="http://evil.example/"><input name=q>' +
        '<p onclick="x()">Hello <img src="http://tracker.example/1.gif" alt="World"></p></form><iframe src="http://evil.example/"></iframe>' +
        '<a href="javascript:x()">bad</a> <a href="https://example.org/">good</a></body></html>',
    )
    assert.doesNotMatch(html, /script|form|input|iframe|evil|tracker|onclick|onload|preheader|style/)
    assert.match(html, /<p>Hello World<\/p>/)
    assert.match(html, /<a>bad<\/a> <a href="https:\/\/example\.org\/">good<\/a>/)
  })

  test('links to its attachments and to the messages it refers to', async () => {
    const source =
      'Subject: Re: x\nMessage-ID: <own@example.org>\nReferences: <first@example.org>\n <second@example.org>\nIn-Reply-To: <second@example.org>\n' +
      'Content-Type: multipart/mixed; boundary=b\n\n--b\n\nText\n--b\nContent-Type: text/csv; name="=?utf-8?q?Pr=C3=A9?=.csv"\n' +
      'Content-Disposition: attachment\n\n1,2\n--b--\n'
    const html = await page(source)
    assert.match(html, /<a href="imap:\/\/example\.org\/INBOX\/;MID=own%40example\.org\/;SECTION=1">Pré\.csv<\/a>/)
    const links = [...html.matchAll(/href="(imap:[^"]*;MID=[^"/]*)"/g)].map((found) => found[1])
    assert.deepEqual(links, [`${mailbox}/;MID=first%40example.org`, `${mailbox}/;MID=second%40example.org`])
    assert.match(await page(source, 'pop3://example.org/;UIDL=7'), /href="mid:second%40example\.org"/)
    const within = await page(source, `${mailbox}/;MID=other%40example.org/;SECTION=2`)
    assert.doesNotMatch(within, /SECTION/)
    assert.match(within, /href="imap:\/\/example\.org\/INBOX\/;MID=second%40example\.org"/)
    assert.match(
      await page(source, 'nntp://example.org/a.b/own%40example.org'),
      /href="nntp:\/\/example\.org\/a\.b\/first%40example\.org"/,
    )
  })

  test('survives invalid input: empty, without header, cut, binary, deeply nested', async () => {
    const nested = Array.from({ length: 500 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`)
    const messages = Array.from({ length: 50 }, () => 'Content-Type: message/rfc822\n\n')
    const cases = [
      '',
      '\n\n',
      'no header at all',
      ': :\n:\n\n--',
      'Content-Type: multipart/mixed; boundary="',
      'Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Transfer-Encoding: base64\n\n!!!!',
      `Subject: deep\n${nested.join('')}`,
      `Subject: deep\n${messages.join('')}Subject: innermost\n\nText`,
      `Subject: wide\n${'X-A: b\n'.repeat(200_000)}\nText at the end`,
      'Date: yesterday\nMessage-ID: none\nFrom: \nReferences: <<>> < > <a\n\nText',
    ]
    for (const one of cases) assert.match(await page(one), /^<!doctype html>/)
    assert.match(await page(Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256))), /^<!doctype html>/)
    assert.match(await page(cases[6]!), /<title>deep<\/title>/)
    assert.match(await page(cases[8]!, undefined, 10_000_000), /Text at the end/)
    assert.match(await page(cases[9]!), /<p>Text<\/p>[\s\S]*<td>yesterday</)
  })

  test('has text whose encoding differs from the declared one', async () => {
    const head = (type: string) => `Subject: x\n${type === '' ? '' : `Content-Type: ${type}\n`}\n`
    const cases: [type: string, text: Buffer][] = [
      ['text/plain; charset=utf-8', Buffer.from('Gr\u00fc\u00dfe', 'latin1')],
      ['text/plain', Buffer.from('Gr\u00fc\u00dfe', 'latin1')],
      ['', Buffer.from('Gr\u00fc\u00dfe', 'latin1')],
      ['text/plain; charset=iso-8859-1', Buffer.from('Grüße')],
      ['text/plain; charset=us-ascii', Buffer.from('Grüße')],
      ['text/plain; charset=x-nobody-knows', Buffer.from('Grüße')],
      ['text/html; charset="utf-8"', Buffer.from('Gr\u00fc\u00dfe', 'latin1')],
    ]
    for (const [type, text] of cases) {
      assert.match(htmlToText(await page(Buffer.concat([Buffer.from(head(type)), text]))), /Grüße/, type)
    }
    assert.match(await page(Buffer.from('Subject: Gr\u00fc\u00dfe\n\nText', 'latin1')), /<title>Grüße</)
  })

  test('has the first few thousand of a million parts, and a note that the others were left out', async () => {
    const source = Buffer.from(
      `Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n${'--b\n\npart\n'.repeat(1_000_000)}`,
    )
    const html = await page(source, undefined, source.length)
    assert.equal(html.match(/part/g)!.length, 4999)
    assert.match(html, /was left out/)
  })
})

const folder = process.env.ERACE_CONFORMANCE
if (folder === undefined && process.env.CI) throw new Error('ERACE_CONFORMANCE must name the conformance data in CI')
const skip = folder === undefined && 'ERACE_CONFORMANCE names no folder of conformance data'

/** For each message, part of its text (null if it has none) and its number of attachments. */
const expected = new Map<string, { text: RegExp | null; attachments: number }>([
  ['base64encodedroot.eml', { text: null, attachments: 1 }],
  ['decoderended.eml', { text: /html sectionÜ/, attachments: 0 }],
  ['delivery-status.eml', { text: /trying to deliver the mail/, attachments: 2 }],
  // All of it is an unclosed title, which browsers don't show either.
  ['htmllargecallstack.eml', { text: null, attachments: 0 }],
  ['large_text.eml', { text: /InstallStepError/, attachments: 0 }],
  ['mixed.eml', { text: /Good Morning/, attachments: 0 }],
  ['nested.eml', { text: /Dear Sir[\s\S]*The footer/, attachments: 0 }],
  ['nodemailer.eml', { text: /Hello\s+to myself/, attachments: 2 }],
  ['outofmemory.eml', { text: /Life Insurance Coverage/, attachments: 0 }],
  ['spam.eml', { text: /Schulabschluss/, attachments: 0 }],
])

test('reads text and attachments of the messages in the conformance data', { skip }, async () => {
  const messages = join(folder!, 'mail-mailparser', 'fixtures')
  const names = readdirSync(messages).filter((name) => name.endsWith('.eml'))
  assert.ok(names.length >= expected.size)
  for (const name of names) {
    const html = await page(readFileSync(join(messages, name)), undefined, 10_000_000)
    assert.ok(html.endsWith('</article></body></html>'), name)
    const wanted = expected.get(name)
    if (wanted === undefined) continue
    if (wanted.text !== null) assert.match(htmlToText(html), wanted.text, name)
    assert.equal([...html.matchAll(/;SECTION=/g)].length, wanted.attachments, name)
  }
})
