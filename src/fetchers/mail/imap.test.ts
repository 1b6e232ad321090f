import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import type { Found, List, Place, Session } from '../../crawl/fetch/protocol.ts'
import { countedVisit, dovecotSkip, listAt, mailHostName, placeAt, useDovecot } from './dovecot.testkit.ts'
import { createImapProtocol } from './imap.ts'

const message = (id: string, subject = id, rest = ''): string =>
  `From: b@example.org\nMessage-ID: <${id}@example.org>\nSubject: ${subject}\n${rest}\nThe text of ${id}.\n`

describe('IMAP with Dovecot', { skip: dovecotSkip }, () => {
  const dovecot = useDovecot()
  const at = (user: string, path = '/INBOX', given: Parameters<typeof placeAt>[1] = {}): Place =>
    placeAt(`imap://${mailHostName}:${dovecot().ports.imap}${path}`, { user, ...given })

  /** A visit, and how many headers and bodies it transferred. */
  async function visit<T>(place: Place, task: (session: Session) => Promise<T>, options = {}) {
    const { open } = createImapProtocol({ ca: dovecot().ca, ...options })
    const line = new RegExp(`imap\\(${place.secret!.user}\\).*hdr_count=(\\d+) body_count=(\\d+)`)
    const { result, counts } = await countedVisit(dovecot(), () => open(place), line, task)
    const [headers, bodies] = counts
    return { result, headers, bodies }
  }

  test('lists all messages first, transfers nothing on a second look, and later lists only new ones', async () => {
    await dovecot().deliver('first', message('one', '=?utf-8?q?Gr=C3=BC=C3=9Fe?='))
    await dovecot().deliver('first', message('two'))
    const first = await visit(at('first'), async (session) => {
      const list = await listAt(session)
      return { list, bodies: await Promise.all(list.items.map((item) => session.read(item))) }
    })
    const { list, bodies } = first.result
    const base = `imap://${mailHostName}:${dovecot().ports.imap}/INBOX`
    assert.deepEqual(
      list.items.map(({ url, name }) => [url, name]),
      [
        [`${base}/;MID=one%40example.org`, 'Grüße'],
        [`${base}/;MID=two%40example.org`, 'two'],
      ],
    )
    assert.equal(list.left, '')
    assert.deepEqual(
      bodies.map(({ type, title, isCut }) => [type, title, isCut]),
      [
        ['message/rfc822', 'Grüße', false],
        ['message/rfc822', 'two', false],
      ],
    )
    assert.match(bodies[0]!.body.toString(), /^From: b@example\.org\r\n[\s\S]*The text of one\.\r\n$/)
    assert.equal(first.bodies, 2)

    const second = await visit(at('first'), (session) => listAt(session, list.cursor))
    assert.deepEqual([second.result.items, second.headers, second.bodies], [[], 0, 0])
    assert.equal(second.result.cursor, list.cursor)

    await dovecot().deliver('first', message('three'))
    const third = await visit(at('first'), (session) => listAt(session, second.result.cursor))
    assert.deepEqual(
      third.result.items.map(({ name }) => name),
      ['three'],
    )
    assert.deepEqual([third.headers, third.bodies], [1, 0])
    const flags = await dovecot().doveadm('fetch', '-u', 'first', 'flags', 'mailbox', 'INBOX')
    assert.doesNotMatch(flags, /Seen/)
  })

  test('messages keep their URLs when UIDVALIDITY changes', async () => {
    await dovecot().deliver('renumbered', message('kept'))
    await dovecot().deliver('renumbered', 'Subject: without an id\nDate: Tue, 1 Sep 2026 10:00:00 +0000\n\nText\n')
    const before = (await visit(at('renumbered'), (session) => listAt(session))).result
    await dovecot().doveadm('mailbox', 'update', '-u', 'renumbered', '--uid-validity', '4000000000', 'INBOX')
    const after = (await visit(at('renumbered'), (session) => listAt(session, before.cursor))).result
    assert.notEqual(after.cursor, before.cursor)
    assert.equal(before.items.length, 2)
    assert.match(before.items[1]!.url, /;SHA256=[0-9a-f]{40}$/)
    assert.deepEqual(after.items, before.items)
  })

  test('only the newest messages of a large mailbox are listed; the rest is reported', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await dovecot().deliver('large', message(id))
    const names = (list: List) => list.items.map(({ name }) => name)
    const { result: list } = await visit(at('large'), (session) => listAt(session), { newestMessages: 2 })
    assert.deepEqual(names(list), ['d', 'e'])
    assert.match(list.left, /^3 older messages were left out/)
    for (const id of ['f', 'g', 'h']) await dovecot().deliver('large', message(id))
    const limits = { maxItems: 2 }
    const { result: more } = await visit(at('large', '', { limits }), async (session) => {
      const first = await listAt(session, list.cursor)
      return [first, await listAt(session, first.cursor)]
    })
    assert.deepEqual(more.map(names), [['f', 'g'], ['h']])
    assert.deepEqual(
      more.map(({ hasMore }) => hasMore),
      [true, false],
    )
  })

  test('messages and attachments can be read by their own URLs', async () => {
    const attached = `Content-Type: multipart/mixed; boundary=b\n\n--b\n\nText\n--b\nContent-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n${Buffer.from('%PDF').toString('base64')}\n--b--\n`
    await dovecot().deliver('single', message('one'))
    await dovecot().deliver('single', message('two', 'two', attached))
    await dovecot().deliver('single', 'Subject: nameless\n\nText\n')
    const { result: whole } = await visit(at('single'), async (session) => {
      const { items } = await listAt(session)
      return { items, body: await session.read(items[1]!) }
    })
    const [part] = whole.body.parts!
    assert.deepEqual(
      [part!.url, part!.name, part!.role, part!.body.type, part!.body.body.toString()],
      [`${whole.items[1]!.url}/;SECTION=1`, 'a.pdf', 'linked', 'application/pdf', '%PDF'],
    )
    for (const url of [whole.items[1]!.url, whole.items[2]!.url, part!.url]) {
      const { result } = await visit({ ...at('single'), url }, async (session) => {
        const found = await session.look('')
        assert.equal(found.kind, 'item')
        const { item } = found as Extract<Found, { kind: 'item' }>
        assert.equal(item.url, url)
        return await session.read(item)
      })
      if (url === part!.url) assert.deepEqual(result, part!.body)
      else assert.equal(result.type, 'message/rfc822')
    }
    await visit(at('single', '/INBOX/;MID=none%40example.org'), (session) =>
      assert.rejects(session.look(''), (error) => isAppError(error, 'not-found')),
    )
  })

  test('an attachment of 50 MB is cut at the limit', async () => {
    const head = message('huge', 'huge', 'Content-Type: multipart/mixed; boundary=b\n').replaceAll('\n', '\r\n')
    const part = '--b\r\nContent-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n'
    const lines = Buffer.alloc(50_000_000, `${'A'.repeat(76)}\r\n`)
    await dovecot().deliver('huge', Buffer.concat([Buffer.from(head + part), lines, Buffer.from('--b--\r\n')]))
    const { result: body } = await visit(at('huge'), async (session) => session.read((await listAt(session)).items[0]!))
    assert.deepEqual([body.body.length, body.isCut, body.title], [1_000_000, true, 'huge'])
    assert.deepEqual(
      body.parts!.map(({ name, body: { isCut } }) => [name, isCut]),
      [['a.zip', true]],
    )
    assert.ok(body.parts![0]!.body.body.length < 1_000_000)
  })

  test('mailbox names may contain any characters, and a missing mailbox is not found', async () => {
    await dovecot().deliver('names', message('one'), 'Lists & Größe')
    const place = at('names', '/Lists%20%26%20Gr%C3%B6%C3%9Fe')
    const { result } = await visit(place, (session) => listAt(session))
    assert.deepEqual(
      result.items.map(({ url }) => url),
      [`${place.url}/;MID=one%40example.org`],
    )
    await visit(at('names', '/Missing'), (session) =>
      assert.rejects(session.look(''), (error) => isAppError(error, 'not-found')),
    )
  })

  test('supports implicit TLS, and rejects wrong certificates and passwords', async () => {
    await dovecot().deliver('tls', message('one'))
    const protocol = createImapProtocol({ ca: dovecot().ca })
    const place = placeAt(`imaps://${mailHostName}:${dovecot().ports.imaps}/`, { user: 'tls' })
    const session = await protocol.open(place)
    assert.equal((await listAt(session)).items.length, 1)
    await session.close()
    for (const url of [place.url, at('tls').url]) {
      await assert.rejects(createImapProtocol().open({ ...place, url }), (error) => isAppError(error, 'tls-failed'))
      const elsewhere = { ...place, url: url.replace(mailHostName, 'other.example.org') }
      await assert.rejects(protocol.open(elsewhere), (error) => isAppError(error, 'tls-failed'))
      const refused = protocol.open(placeAt(url, { user: 'tls', password: 'not-the-password' }))
      await assert.rejects(refused, (error) => isAppError(error, 'sign-in-failed') && !/not-the/.test(error.stack!))
    }
  })

  test('a listener notices new messages, even after it lost its connection', async () => {
    await dovecot().deliver('idle', message('one'))
    const protocol = createImapProtocol({ ca: dovecot().ca })
    let news = Promise.withResolvers<void>()
    const listener = await protocol.listen!(at('idle'), {
      onNews: () => news.resolve(),
      onEnd: (error) => news.reject(error),
    })
    await dovecot().deliver('idle', message('two'))
    await news.promise
    news = Promise.withResolvers<void>()
    await dovecot().doveadm('kick', 'idle')
    await news.promise
    news = Promise.withResolvers<void>()
    await dovecot().deliver('idle', message('three'))
    await news.promise
    await listener.close()
    await protocol.close()
  })

  test('a listener fails with a wrong password, and ends when it is aborted', async () => {
    const protocol = createImapProtocol({ ca: dovecot().ca })
    const heard = { onNews: () => {}, onEnd: () => {} }
    const refused = protocol.listen!(at('idle', '/', { password: 'wrong' }), heard)
    await assert.rejects(refused, (error) => isAppError(error, 'sign-in-failed'))
    const controller = new AbortController()
    const ended = Promise.withResolvers<Error>()
    await protocol.listen!(at('idle', '/', { signal: controller.signal }), { onNews: () => {}, onEnd: ended.resolve })
    controller.abort()
    assert.ok(isAppError(await ended.promise, 'total-timeout'))
    await protocol.close()
  })
})
