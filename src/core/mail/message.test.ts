import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMessage } from './message.ts'

test('the lines of a body are joined instead of kept as separate chunks', async (t) => {
  const pieces: number[] = []
  const original = globalThis.Blob
  class CountingBlob extends original {
    constructor(chunks: Iterable<Uint8Array<ArrayBuffer>>, options: { type: string }) {
      const all = [...chunks]
      pieces.push(all.length)
      super(all, options)
    }
  }
  globalThis.Blob = CountingBlob as unknown as typeof original
  t.after(() => {
    globalThis.Blob = original
  })
  for (const [encoding, line] of [
    ['8bit', 'QQ==\n'],
    ['base64', 'A'],
    ['quoted-printable', 'QQ='],
  ] as const) {
    const source = `Content-Transfer-Encoding: ${encoding}\n\n${'QQ==\n'.repeat(5000)}`
    assert.equal((await parseMessage(Buffer.from(source))).text, line.repeat(5000), encoding)
  }
  assert.deepEqual(pieces, [1])
})

test('reads the Message-ID without brackets and comments, or null if it is invalid', async () => {
  const idOf = async (field: string) => (await parseMessage(Buffer.from(`${field}\n\n`))).id
  assert.equal(await idOf('Message-ID: <a@b>'), 'a@b')
  assert.equal(await idOf('message-id:\n <a@b> (comment)'), 'a@b')
  assert.equal(await idOf('Message-Id: a@b'), 'a@b')
  for (const none of [
    'Subject: x',
    'Message-ID:',
    'Message-ID: <>',
    'Message-ID: a b',
    `Message-ID: <${'a'.repeat(300)}>`,
  ])
    assert.equal(await idOf(none), null, none)
})

test('lists each reference once, with the answered message last', async () => {
  const { references } = await parseMessage(
    Buffer.from('References: <1@x>\n <2@x> broken <3@x>\nIn-Reply-To: Your message <2@x> of today\n\n'),
  )
  assert.deepEqual(references, ['1@x', '3@x', '2@x'])
})

test('references are found in several fields, in encoded words and without angle brackets', async () => {
  const of = async (header: string) => (await parseMessage(Buffer.from(`${header}\n\n`))).references
  assert.deepEqual(await of('References:\nReferences: <1@x>\nReferences: <2@x>'), ['1@x', '2@x'])
  assert.deepEqual(await of('References: <1@x>\n =?utf-8?q?=3C2=40lo?=\n =?utf-8?q?ng=3E?='), ['1@x', '2@long'])
  assert.deepEqual(await of('References: 1@x, 2@x word'), ['1@x', '2@x'])
})

test('an attachment keeps its exact bytes, without the line ending before the boundary', async () => {
  const sent = async (encoding: string, body: string) => {
    const source =
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/x-a\r\n` +
      `Content-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n--b--\r\n`
    const { attachments } = await parseMessage(Buffer.from(source, 'latin1'))
    return attachments[0]!.body.toString('latin1')
  }
  for (const encoding of ['binary', '8bit', '7bit']) {
    for (const body of ['one', 'a\r\nb\nc\r\n', '\r\n\r\nx', '\xff\x00\r\r\n\xfe', '']) {
      assert.equal(await sent(encoding, body), body, `${encoding} ${JSON.stringify(body)}`)
    }
  }
  assert.equal(
    await sent('quoted-printable', 'a=\r\nb \t\r\nc= \r\nd=0D=0A=3d=\n=e9 =Z1 5=3'),
    'ab\r\ncd\r\n=\xe9 =Z1 5=3',
  )
  assert.equal(await sent('quoted-printable', 'a\n\r\n'), 'a\n\r\n')
  const { text } = await parseMessage(Buffer.from('Subject: x\r\n\r\na\r\nb\r\n'))
  assert.equal(text, 'a\nb\n')
})

test('reads addresses with comments, routes, spaces around dots, groups and several senders', async () => {
  const read = async (field: string) => (await parseMessage(Buffer.from(`From: ${field}\n\n`))).from
  const cases = [
    ['Ann (her \\) (own) name) <ann(work)@one . example(host)>', 'Ann <ann@one.example>'],
    ['Ann <@relay.example,@b.example:ann@one.example>', 'Ann <ann@one.example>'],
    ['ann@one  . example, Bob <bob@two.example>', 'ann@one.example, Bob <bob@two.example>'],
    ['ann@one.example (Ann \\(A.\\) Other)', 'Ann A. Other <ann@one.example>'],
    ['<ann@one.example> (Ann)', 'Ann <ann@one.example>'],
    [
      'Team (all (of) us): ann@one.example, "B, (ob)" <bob@two.example>; (end)',
      'ann@one.example, B, (ob) <bob@two.example>',
    ],
    ['"Ann @ home"@one.example, Bob <"b, ob"@two.example>', '"Ann @ home"@one.example, Bob <"b, ob"@two.example>'],
    ['(none) Nobody: (really (none)) ;', ''],
    ['Ann :( <ann@one.example>', '<ann@one.example>'],
  ]
  for (const [field, wanted] of cases) assert.equal(await read(field!), wanted, field)
})

test('reads dates in obsolete formats, and as UTC if the zone is unknown', async () => {
  const read = async (field: string) => (await parseMessage(Buffer.from(`Date: ${field}\n\n`))).date
  const cases = [
    ['Tue, 3 Mar 2026 09:05:07 +0100', '2026-03-03T08:05:07.000Z'],
    ['Tue, 3 Mar 2026 09(nine (hours)): 05 : 07 -0130 (Some Time)', '2026-03-03T10:35:07.000Z'],
    ['3 Mar 26 09:05 GMT', '2026-03-03T09:05:00.000Z'],
    ['3 Mar 56 09:05 EST', '1956-03-03T14:05:00.000Z'],
    ['Fri, 3 Mar 100 09:05:07 +0000', '2000-03-03T09:05:07.000Z'],
    ['Tue, 3 Mar 2026 09:05:07', '2026-03-03T09:05:07.000Z'],
    ['Tue, 3 Mar 2026 09:05:07 QRST', '2026-03-03T09:05:07.000Z'],
    ['Tue, 3 Mar 2026 09:05:07 J', '2026-03-03T09:05:07.000Z'],
    ['in March', 'in March'],
  ]
  for (const [field, wanted] of cases) assert.equal(await read(field!), wanted, field)
})

test('finds the text of a malformed message', async () => {
  const read = async (source: string) => (await parseMessage(Buffer.from(source))).text.trim()
  assert.equal(await read('just a text\n\nof two paragraphs'), 'just a text\n\nof two paragraphs')
  assert.equal(await read('Subject: x\nfirst line\nsecond'), 'first line\nsecond')
  assert.equal(await read('Subject: x\n'), '')
  assert.equal((await parseMessage(Buffer.from('\r\nText: a'))).text, 'Text: a')
  assert.equal(await read('Content-Type: multipart/mixed\n\nText'), 'Text')
  assert.equal(await read('Content-Type: multipart/mixed; boundary=a\n\n--b\n\nText'), '--b\n\nText')
  assert.equal(await read('Content-Type: text\n\nText'), 'Text')
  assert.equal(await read('Content-Type: text/plain charset=utf-8\n\nText'), 'Text')
  assert.equal(await read('Content-Type: text/plain>\n\nText'), 'Text')
  assert.equal(await read('Content-Type: text / plain\n\nText'), 'Text')
  const parts =
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nNo header here\n\nMore\n--b\nContent-Type: text/plain\n\nEnd\n--b--'
  assert.equal(await read(parts), 'No header here\n\nMore\nEnd')
  const file = await parseMessage(Buffer.from('Content-Type: zip; name=a.zip\n\nText'))
  assert.deepEqual([file.attachments[0]?.name, file.attachments[0]?.type], ['a.zip', 'application/octet-stream'])
})

test('decodes UTF-7, charsets declared in HTML, and partly broken UTF-8', async () => {
  const read = async (source: string) => parseMessage(Buffer.from(source, 'latin1'))
  const utf7 = await read(
    'Subject: =?utf-7?Q?Gr+APwA3w-e_+-?= =?UTF-7?B?K0lLdy0=?=\nFrom: =?utf-7?q?J+APw-rg?= <j@example.org>\n' +
      'Content-Type: text/plain; charset=utf-7\n\n1 +- 1 +AD0 2, +2D3cAA-.',
  )
  assert.deepEqual([utf7.subject, utf7.from, utf7.text], ['Grüße +€', 'Jürg <j@example.org>', '1 + 1 = 2, 🐀.'])
  const { attachments } = await read('Content-Type: image/png; name="=?utf-7?q?+AMQ-.png?="\n\nx')
  assert.equal(attachments[0]?.name, 'Ä.png')
  const inside = await read(
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: image/png; name="\xc4\xdf.png"\n\nx\n--b\n' +
      'Content-Type: message/rfc822\n\nSubject: Gr\xfc\xdfe\n\nText\n--b--',
  )
  assert.equal(inside.attachments[0]?.name, 'Äß.png')
  assert.match(inside.text, /Subject: Grüße/)
  const html = await read('Content-Type: text/html\n\n<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2')
  assert.match(html.html, /Привет/)
  const broken = await read(
    `Content-Type: text/plain; charset=utf-8\n\n${Buffer.from('Grüße, Öl', 'utf8').toString('latin1')} \xc3\nGr\xfc\xdfe`,
  )
  assert.equal(broken.text, 'Grüße, Öl \ufffd\nGrüße')
})

test('joins flowed lines within the same quote level', async () => {
  const read = async (type: string, lines: string[]) =>
    (await parseMessage(Buffer.from(`Content-Type: text/plain; format=${type}\r\n\r\n${lines.join('\r\n')}`))).text
  const quotation = [
    '> one ',
    '> two',
    '>> three ',
    '> four ',
    'five ',
    'six',
    '>',
    ' > no quotation',
    ' From here',
    '-- ',
    'Me',
  ]
  const joined = '> one two\n>> three \n> four \nfive six\n>\n> no quotation\nFrom here\n-- \nMe'
  assert.equal(await read('flowed', quotation), joined)
  assert.equal(await read('flowed; delsp=yes', ['lo ', 'ng ', '', 'short']), 'long \n\nshort')
  assert.equal(await read('fixed', ['one ', 'two']), 'one \ntwo')
})

test('an empty body stays empty, whether encoded or multipart', async () => {
  for (const message of [
    'Content-Transfer-Encoding: base64\n\nDQo=',
    'Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n\n--b--\n',
  ])
    assert.equal((await parseMessage(Buffer.from(`Subject: nothing\n${message}`))).text.trim(), '')
})

test('the date of a forwarded message is shown in UTC on every machine', async () => {
  const forwarded = 'Date: Sun, 12 Aug 2012 11:34:56 +0200\nSubject: inner\n\nInside'
  const source = `Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee:\n--b\nContent-Type: message/rfc822\n\n${forwarded}\n--b--`
  const { text } = await parseMessage(Buffer.from(source))
  assert.match(text, /^Date: +2012-08-12 at 09:34:56 UTC$/m)
})

test('cuts an address full of spaces, and still reads the text', async () => {
  const { to, text } = await parseMessage(Buffer.from(`To: <a${' '.repeat(39_000)}b@c.example>\n\nx`))
  assert.deepEqual([to, text], ['a', 'x'])
})
