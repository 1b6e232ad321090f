import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { type ErrorCode, isAppError } from '../../core/errors.ts'
import type { List, Protocol } from '../../crawl/fetch/protocol.ts'
import { listOf, placeOf, startScript, visit } from './news-place.testkit.ts'
import { createNntpProtocol } from './nntp-protocol.ts'

type Answers = Record<string, string | ((socket: Socket) => void)>
const polite: Answers = {
  CAPABILITIES: '101 list\r\nVERSION 2\r\nREADER\r\nOVER\r\n.',
  'LIST OVERVIEW.FMT': '503 none',
  QUIT: '205 bye',
}

async function start(t: { after(end: () => Promise<void>): void }, answers: Answers, greeting?: string) {
  const asked: string[] = []
  const all = new Map(Object.entries({ ...polite, ...answers }))
  const server = await startScript((socket, line) => {
    asked.push(line)
    const answer = all.get(line) ?? all.get(line.replace(/ .*/, ' *')) ?? '500 What?'
    if (typeof answer === 'string') socket.write(`${answer}\r\n`, 'latin1')
    else answer(socket)
  }, greeting)
  t.after(() => server.end())
  return { asked, url: `nntp://localhost:${server.port}/a.group`, all }
}

const overview = (...articles: [number: number, id: string, subject?: string][]): string =>
  `224 list\r\n${articles.map(([number, id, subject = `Subject ${number}`]) => `${number}\t${subject}\tFrom\tDate\t${id}\t\t10\t1\r\n`).join('')}.`

const rejects = (work: Promise<unknown>, code: ErrorCode) =>
  assert.rejects(work, (error) => {
    assert.ok(isAppError(error, code), `${code} was expected: ${String(error)}`)
    return true
  })

const protocol: Protocol = createNntpProtocol()

describe('NNTP with faulty servers', () => {
  const faults: [name: string, code: ErrorCode, answers: Answers, greeting?: string][] = [
    ['speaks another protocol', 'protocol-failed', {}, 'SSH-2.0-OpenSSH'],
    ['sends an endless greeting', 'protocol-failed', {}, `200 ${'x'.repeat(100_000)}`],
    ['is too busy', 'connect-failed', {}, '400 too busy'],
    ['denies access', 'sign-in-failed', {}, '502 no permission'],
    ['demands a sign-in', 'sign-in-failed', { 'GROUP *': '480 sign in' }],
    ['demands TLS without offering it', 'tls-failed', { 'GROUP *': '483 encrypt' }],
    ['sends words instead of article numbers', 'protocol-failed', { 'GROUP *': '211 many few lots a.group' }],
    [
      'sends an endless list of capabilities',
      'protocol-failed',
      { CAPABILITIES: `101 list\r\n${'X\r\n'.repeat(5000)}` },
    ],
    [
      'hangs up in the middle of the overview',
      'connect-failed',
      { 'GROUP *': '211 3 1 3 a.group', 'OVER *': (socket) => socket.end('224 list\r\n1\tA') },
    ],
    [
      'lists more articles than were requested',
      'protocol-failed',
      {
        'GROUP *': '211 2 1 2 a.group',
        'OVER *': overview(...Array.from({ length: 5 }, (_, i): [number, string] => [1, `<${i}@x>`])),
      },
    ],
    [
      'sends an endless line',
      'protocol-failed',
      { 'GROUP *': '211 2 1 2 a.group', 'OVER *': `224 list\r\n1\t${'x'.repeat(200_000)}` },
    ],
    ['has no overview', 'protocol-failed', { 'GROUP *': '211 2 1 2 a.group' }],
    ['has no such group', 'not-found', { 'GROUP *': '411 none' }],
  ]
  for (const [name, code, answers, greeting] of faults)
    test(`fails if the server ${name}`, async (t) => {
      const { url } = await start(t, answers, greeting)
      await rejects(listOf(protocol, placeOf(url)), code)
    })

  test('times out if the server stops answering', async (t) => {
    const { url } = await start(t, { 'GROUP *': () => {} })
    await rejects(listOf(protocol, placeOf(url, { stallTimeoutMs: 50 })), 'body-timeout')
  })

  test('an aborted visit ends at once', async (t) => {
    const ended = new AbortController()
    const { url } = await start(t, { 'GROUP *': () => ended.abort() })
    await rejects(listOf(protocol, { ...placeOf(url), signal: ended.signal }), 'total-timeout')
  })

  test('credentials are sent in plain text only to this machine, if allowed, and not repeated in errors', async (t) => {
    const { url, asked, all } = await start(t, { 'AUTHINFO *': '481 wrong: hunter2' })
    const place = placeOf(url, { secret: { user: 'me', password: 'hunter2' } })
    await rejects(listOf(protocol, place), 'tls-failed')
    const local = createNntpProtocol({ allowsPlainLoopback: true })
    // The same machine, by an address that isn't recognised as local.
    await rejects(listOf(local, { ...place, resolve: async () => '0.0.0.0' }), 'tls-failed')
    assert.ok(asked.every((line) => !line.startsWith('AUTHINFO')))
    await assert.rejects(listOf(local, place), (error) => {
      assert.ok(isAppError(error, 'sign-in-failed'))
      assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /hunter2/)
      return true
    })
    assert.ok(asked.includes('AUTHINFO USER me'))
    // Plain text after the reply to STARTTLS may come from an attacker.
    all.set('CAPABILITIES', '101 list\r\nREADER\r\nSTARTTLS\r\n.').set('STARTTLS', '382 go on\r\n281 welcome')
    await rejects(listOf(local, place), 'protocol-failed')
  })
})

describe('NNTP servers that require a sign-in first', () => {
  const secret = { user: 'me', password: 'hunter2' }
  const local = createNntpProtocol({ allowsPlainLoopback: true })
  const group = {
    'GROUP *': '211 1 1 1 a.group',
    'OVER *': overview([1, '<a@x>']),
    'XOVER *': overview([1, '<a@x>']),
    'AUTHINFO *': '381 and the password?',
    'AUTHINFO PASS hunter2': '281 welcome',
  }

  test('are asked for their capabilities again after the sign-in', async (t) => {
    const { url, asked, all } = await start(t, { ...group, CAPABILITIES: '480 who are you?' })
    await rejects(listOf(protocol, placeOf(url)), 'sign-in-failed')
    // Still refused after the sign-in.
    await rejects(listOf(local, placeOf(url, { secret })), 'sign-in-failed')
    all.set('AUTHINFO PASS hunter2', (socket) => {
      all.set('CAPABILITIES', '101 list\r\nVERSION 2\r\nREADER\r\nOVER\r\n.')
      socket.write('281 welcome\r\n')
    })
    asked.length = 0
    assert.equal((await listOf(local, placeOf(url, { secret }))).items.length, 1)
    assert.deepEqual(asked.slice(0, 4), ['CAPABILITIES', 'AUTHINFO USER me', 'AUTHINFO PASS hunter2', 'CAPABILITIES'])
    assert.ok(!asked.includes('MODE READER'))
  })

  test('get MODE READER again after the sign-in', async (t) => {
    const { url, asked, all } = await start(t, { ...group, CAPABILITIES: '500 what?', 'MODE READER': '480 not yet' })
    all.set('AUTHINFO PASS hunter2', (socket) => {
      all.set('MODE READER', '200 read')
      socket.write('281 welcome\r\n')
    })
    assert.equal((await listOf(local, placeOf(url, { secret }))).items.length, 1)
    assert.equal(asked.filter((line) => line === 'MODE READER').length, 2)
  })
})

describe('unusual newsgroups', () => {
  test('a renumbered group is read from the start', async (t) => {
    const { url, all } = await start(t, {
      'GROUP *': '211 3 7 9 a.group',
      'OVER *': overview([7, '<a@x>'], [8, '<b@x>'], [9, '<c@x>']),
    })
    const first = await listOf(protocol, placeOf(url))
    const look = async (group: string, ...articles: [number, string][]): Promise<string[]> => {
      all.set('GROUP *', group).set('OVER *', overview(...articles))
      return (await listOf(protocol, placeOf(url), first.cursor)).items.map((item) =>
        decodeURIComponent(item.url.replace(/.*\//, '')),
      )
    }
    // Lower than before.
    assert.deepEqual(await look('211 2 1 2 a.group', [1, '<c@x>'], [2, '<d@x>']), ['c@x', 'd@x'])
    // The same numbers, or more, with other articles.
    assert.deepEqual(await look('211 3 7 9 a.group', [7, '<b@x>'], [8, '<c@x>'], [9, '<d@x>']), ['b@x', 'c@x', 'd@x'])
    assert.deepEqual(await look('211 5 1 99 a.group', [50, '<c@x>'], [99, '<e@x>']), ['c@x', 'e@x'])
    // All marked articles have expired.
    assert.deepEqual(await look('211 2 98 99 a.group', [98, '<d@x>'], [99, '<e@x>']), ['d@x', 'e@x'])
    // The newest was cancelled; then a late one arrived in between.
    assert.deepEqual(await look('211 2 7 8 a.group', [7, '<a@x>'], [8, '<b@x>']), [])
    assert.deepEqual(await look('211 4 6 9 a.group', [7, '<a@x>'], [9, '<c@x>'], [8, '<b@x>'], [6, '<z@x>']), [])
    // Temporarily empty.
    assert.deepEqual(await look('211 0 0 0 a.group'), [])
  })

  test('a long range without articles is skipped in a few looks', async (t) => {
    const { url, all, asked } = await start(t, { 'GROUP *': '211 1 1 5 a.group', 'OVER *': overview([5, '<a@x>']) })
    let list: List = await listOf(protocol, placeOf(url))
    all.set('GROUP *', '211 2 1 9000000 a.group').set('OVER *', (socket) => {
      const [from, to] = /(\d+)-(\d+)$/.exec(asked.at(-1)!)!.slice(1).map(Number) as [number, number]
      socket.write(
        `${overview(
          ...(
            [
              [5, '<a@x>'],
              [9_000_000, '<b@x>'],
            ] as [number, string][]
          ).filter(([n]) => n >= from && n <= to),
        )}\r\n`,
      )
    })
    const names: string[] = []
    let looks = 0
    do {
      list = await listOf(protocol, placeOf(url), list.cursor)
      names.push(...list.items.map(({ name }) => name))
      looks++
    } while (list.hasMore && looks < 20)
    assert.deepEqual([names, list.hasMore], [['Subject 9000000'], false])
  })

  test('unusual subjects and message ids are handled', async (t) => {
    const lines = overview(
      [1, '<a/b%3F?#@x>', '=?utf-8?B?8J+YgA==?= \u0007\u001b[1m red'],
      [2, '<..>', 'a path'],
      [3, 'no brackets', 'no id'],
      [4, '<a/b%3F?#@x>', 'the same again'],
      [5, '<é@x>', 'caf\xe9'],
      [6, '<ok@x>', '=?no-such-charset?q?x?= =?utf-8?q?unclosed'],
    )
    const { url } = await start(t, {
      'GROUP *': '211 6 1 6 a.group',
      'OVER *': lines,
      'ARTICLE <a/b%3F?#@x>': '220 0 <a/b%3F?#@x>\r\nSubject: A\r\n\tB\r\n\r\nText\r\n.',
    })
    await visit(protocol, placeOf(url), async (session) => {
      const list = (await session.look('')) as List
      assert.deepEqual(
        list.items.map((item) => [item.url.slice(url.length + 1), item.name]),
        [
          ['a%2Fb%253F%3F%23%40x', '😀 [1m red'],
          ['%C3%A9%40x', 'café'],
          ['ok%40x', '=?no-such-charset?q?x?= =?utf-8?q?unclosed'],
        ],
      )
      assert.equal(list.left, '1 articles without a usable message id')
      for (const item of list.items) assert.equal(protocol.normalise(item.url), item.url)
      const body = await session.read(list.items[0]!)
      assert.deepEqual([body.title, body.body.toString()], ['A B', 'Subject: A\r\n\tB\r\n\r\nText\r\n'])
      // The server answers this ARTICLE command with 500.
      await rejects(session.read(list.items[2]!), 'protocol-failed')
    })
  })

  test('an article beyond the size limit is cut, and the next one is read', async (t) => {
    const { url, all } = await start(t, {
      'GROUP *': '211 3 1 3 a.group',
      'OVER *': overview([1, '<a@x>'], [2, '<b@x>'], [3, '<c@x>']),
      'ARTICLE <a@x>': (socket) => socket.write(`220 0 <a@x>\r\nSubject: A\r\n\r\n${'line\r\n'.repeat(100_000)}`),
      'ARTICLE <b@x>': (socket) => socket.write(`220 0 <b@x>\r\n${'x'.repeat(1_000_000)}`),
      'ARTICLE <c@x>': '430 by number only',
      'ARTICLE 3': '220 3 <c@x>\r\nSubject: C\r\n\r\n..\r\n.',
    })
    await visit(protocol, placeOf(url, { maxBodyBytes: 1000 }), async (session) => {
      const { items } = (await session.look('')) as List
      const bodies = await Promise.all(items.map((item) => session.read(item)))
      assert.deepEqual(
        bodies.map(({ isCut, body }) => [isCut, body.length <= 1000]),
        [
          [true, true],
          [true, true],
          [false, true],
        ],
      )
      assert.equal(bodies[2]!.body.toString(), 'Subject: C\r\n\r\n.\r\n')
      all.set('ARTICLE 3', '220 3 <other@x>\r\n\r\n.')
      await rejects(session.read(items[2]!), 'not-found')
    })
  })
})

describe('pipelined articles', () => {
  const ids = Array.from({ length: 12 }, (_, n) => `<${n + 1}@x>`)
  const group = {
    'GROUP *': '211 12 1 12 a.group',
    'OVER *': overview(...ids.map((id, n): [number, string] => [n + 1, id])),
  }
  const there = (ids: readonly string[]): Answers =>
    Object.fromEntries(ids.map((id) => [`ARTICLE ${id}`, `220 0 ${id}\r\nSubject: ${id}\r\n\r\nText\r\n.`]))
  const questions = (asked: readonly string[]) => asked.filter((line) => line.startsWith('ARTICLE'))
  /** Titles, or the codes of errors. */
  const readAll = (url: string) =>
    visit(protocol, placeOf(url), async (session) => {
      const read: (string | undefined)[] = []
      for (const item of ((await session.look('')) as List).items)
        read.push(
          await session.read(item).then(
            ({ title }) => title,
            (error: { code: string }) => error.code,
          ),
        )
      return read
    })

  test('are requested once each', async (t) => {
    const { url, asked } = await start(t, { ...group, ...there(ids) })
    assert.deepEqual(await readAll(url), ids)
    assert.deepEqual(
      questions(asked),
      ids.map((id) => `ARTICLE ${id}`),
    )
  })

  test('are all read except for one that the server cannot send', async (t) => {
    const { url } = await start(t, { ...group, ...there(ids), 'ARTICLE <6@x>': '503 disk fault' })
    assert.deepEqual(await readAll(url), ids.with(5, 'protocol-failed'))
  })

  test('are requested by number if the server does not find them by message id', async (t) => {
    const byNumber = Object.fromEntries(
      ids.map((id, n) => [`ARTICLE ${n + 1}`, `220 ${n + 1} ${id}\r\nSubject: ${id}\r\n\r\nText\r\n.`]),
    )
    const { url, asked } = await start(t, { ...group, 'ARTICLE *': '430 no', ...byNumber })
    assert.deepEqual(await readAll(url), ids)
    assert.ok(questions(asked).length <= 2 * ids.length + 2, questions(asked).join())
  })
})

describe('newsgroup URLs', () => {
  const good: [given: string, one: string][] = [
    ['nntp://News.Example.ORG/comp.lang.c', 'nntp://news.example.org/comp.lang.c'],
    ['news://news.example.org:119/comp.lang.c/', 'nntp://news.example.org/comp.lang.c'],
    ['snews://news.example.org:563/a.b', 'nntps://news.example.org/a.b'],
    ['nntps://[::1]:80/a.b', 'nntps://[::1]:80/a.b'],
    ['nntp://bücher.example/de.büro', 'nntp://xn--bcher-kva.example/de.b%C3%BCro'],
    ['nntp://h/a.b/%3Cx%40y%3E', 'nntp://h/a.b/x%40y'],
    ['nntp://h/a.b/x@y', 'nntp://h/a.b/x%40y'],
  ]
  for (const [given, one] of good) test(given, () => assert.equal(protocol.normalise(given), one))
  const bad = [
    'http://h/a',
    'news:comp.lang.c',
    'nntp:///a',
    'nntp://h',
    'nntp://h/',
    'nntp://h/a%0d%0aQUIT',
    'nntp://h/a\r\nb',
    'nntp://h/a b',
    'nntp://h/a*',
    'nntp://h/*',
    'nntp://u:p@h/a',
    'nntp://h/a/12',
    'nntp://h/a/x@y/z',
    'nntp://h/a?b',
    'nntp://h:0/a',
    'nntp://h:99999/a',
    'nntp://h/x@y',
    'nntp://h/%E0%A4',
    `nntp://h/${'a'.repeat(500)}`,
    'nntp://h/a/%0aQUIT@x',
  ]
  for (const url of bad)
    test(`${JSON.stringify(url.slice(0, 60))} is refused`, () =>
      assert.throws(
        () => protocol.normalise(url),
        (error) => isAppError(error, 'url-invalid'),
      ))
})
