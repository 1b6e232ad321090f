import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import type { Found, List, Place, Session } from '../../crawl/fetch/protocol.ts'
import { countedVisit, dovecotSkip, listAt, mailHostName, placeAt, useDovecot } from './dovecot.testkit.ts'
import { createPop3Protocol } from './pop3.ts'

const message = (id: string, subject = id, rest = ''): string =>
  `From: b@example.org\nMessage-ID: <${id}@example.org>\nSubject: ${subject}\n${rest}\nThe text of ${id}.\n..\n.\nThe end.\n`

const names = (list: List): string[] => list.items.map(({ name }) => name)

describe('POP3 with Dovecot', { skip: dovecotSkip }, () => {
  const dovecot = useDovecot()
  const at = (user: string, path = '/', given: Parameters<typeof placeAt>[1] = {}): Place =>
    placeAt(`pop3://${mailHostName}:${dovecot().ports.pop3}${path}`, { user, ...given })

  /** A visit, and how much it transferred and deleted. */
  async function visit<T>(place: Place, task: (session: Session) => Promise<T>, options = {}) {
    const { open } = createPop3Protocol({ ca: dovecot().ca, ...options })
    const line = new RegExp(`pop3\\(${place.secret!.user}\\).*top=(\\d+)/\\d+ retr=(\\d+)/(\\d+) del=(\\d+)/`)
    const { result, counts } = await countedVisit(dovecot(), () => open(place), line, task)
    const [headers, bodies, bytes, deleted] = counts
    return { result, headers, bodies, bytes, deleted }
  }

  test('lists all messages first, transfers nothing on a second look, and later lists only new ones', async () => {
    await dovecot().deliver('first', message('one', '=?utf-8?q?Gr=C3=BC=C3=9Fe?='))
    await dovecot().deliver('first', message('two'))
    const first = await visit(at('first'), async (session) => {
      const list = await listAt(session)
      const bodies = []
      for (const item of list.items) bodies.push(await session.read(item))
      return { list, bodies }
    })
    const { list, bodies } = first.result
    assert.deepEqual(names(list), ['Grüße', 'two'])
    for (const { url } of list.items) assert.match(url, /^pop3:\/\/mail\.example\.org:\d+\/;UIDL=[^/]+$/)
    assert.deepEqual(
      bodies.map(({ type, title, isCut }) => [type, title, isCut]),
      [
        ['message/rfc822', 'Grüße', false],
        ['message/rfc822', 'two', false],
      ],
    )
    assert.match(
      bodies[0]!.body.toString(),
      /^From: b@example\.org\r\n[\s\S]*The text of one\.\r\n\.\.\r\n\.\r\nThe end\.\r\n$/,
    )
    assert.deepEqual([first.bodies, first.deleted], [2, 0])

    const second = await visit(at('first'), (session) => listAt(session, list.cursor))
    assert.deepEqual([second.result.items, second.headers, second.bodies], [[], 0, 0])
    assert.equal(second.result.cursor, list.cursor)

    await dovecot().deliver('first', message('three'))
    const third = await visit(at('first'), (session) => listAt(session, list.cursor))
    assert.deepEqual([names(third.result), third.headers, third.bodies], [['three'], 1, 0])
  })

  test('messages deleted on the server do not make older ones appear as new', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await dovecot().deliver('deleted', message(id))
    const { result: first } = await visit(at('deleted'), (session) => listAt(session), { newestMessages: 3 })
    assert.deepEqual(names(first), ['b', 'c', 'd'])
    assert.match(first.left, /^1 older messages were left out/)
    await dovecot().doveadm('expunge', '-u', 'deleted', 'mailbox', 'INBOX', 'header', 'subject', 'd')
    await dovecot().deliver('deleted', message('e'))
    const { result: second } = await visit(at('deleted'), (session) => listAt(session, first.cursor))
    assert.deepEqual([names(second), second.left], [['e'], ''])
  })

  test('new messages beyond the limit of a list come in the next one', async () => {
    await dovecot().deliver('several', message('a'))
    const { result: first } = await visit(at('several'), (session) => listAt(session))
    for (const id of ['b', 'c', 'd']) await dovecot().deliver('several', message(id))
    const limits = { maxItems: 2 }
    const { result } = await visit(at('several', '/', { limits }), async (session) => {
      const second = await listAt(session, first.cursor)
      return [second, await listAt(session, second.cursor)]
    })
    assert.deepEqual(result.map(names), [['b', 'c'], ['d']])
    assert.deepEqual(
      result.map(({ hasMore }) => hasMore),
      [true, false],
    )
  })

  test('messages and attachments can be read by their own URLs', async () => {
    const attached = `Content-Type: multipart/mixed; boundary=b\n\n--b\n\nText\n--b\nContent-Type: text/csv; name=a.csv\n\n1,2\n--b--\n`
    await dovecot().deliver('single', message('one', 'one', attached))
    const { result: body } = await visit(at('single'), async (session) => {
      const { items } = await listAt(session)
      return await session.read(items[0]!)
    })
    const [part] = body.parts!
    assert.deepEqual([part!.name, part!.body.type], ['a.csv', 'text/csv'])
    const urls = [part!.url, part!.url.replace(/\/;SECTION=1$/, ''), at('single', '/;MID=one%40example.org').url]
    for (const url of urls) {
      const { result } = await visit({ ...at('single'), url }, async (session) => {
        const { item } = (await session.look('')) as Extract<Found, { kind: 'item' }>
        assert.equal(item.url, url)
        return await session.read(item)
      })
      assert.equal(result.type, url === part!.url ? 'text/csv' : 'message/rfc822')
    }
    await visit(at('single', '/;UIDL=missing'), (session) =>
      assert.rejects(session.look(''), (error) => isAppError(error, 'not-found')),
    )
  })

  test('an attachment of 50 MB is cut at the limit, without a RETR of the whole message', async () => {
    const head = message('huge', 'huge', 'Content-Type: multipart/mixed; boundary=b\n').replaceAll('\n', '\r\n')
    const part = '--b\r\nContent-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n'
    const lines = Buffer.alloc(50_000_000, `${'A'.repeat(76)}\r\n`)
    await dovecot().deliver('huge', Buffer.concat([Buffer.from(head + part), lines, Buffer.from('--b--\r\n')]))
    const { result: body, bodies } = await visit(at('huge'), async (session) =>
      session.read((await listAt(session)).items[0]!),
    )
    assert.deepEqual([body.body.length, body.isCut, body.title, bodies], [1_000_000, true, 'huge', 0])
    assert.deepEqual(
      body.parts!.map(({ name, body: { isCut } }) => [name, isCut]),
      [['a.zip', true]],
    )
  })

  test('supports implicit TLS, and rejects wrong certificates and passwords', async () => {
    await dovecot().deliver('tls', message('one'))
    const protocol = createPop3Protocol({ ca: dovecot().ca })
    const place = placeAt(`pop3s://${mailHostName}:${dovecot().ports.pop3s}/`, { user: 'tls' })
    const session = await protocol.open(place)
    assert.deepEqual(names(await listAt(session)), ['one'])
    await session.close()
    for (const url of [place.url, at('tls').url]) {
      await assert.rejects(createPop3Protocol().open({ ...place, url }), (error) => isAppError(error, 'tls-failed'))
      const elsewhere = { ...place, url: url.replace(mailHostName, 'other.example.org') }
      await assert.rejects(protocol.open(elsewhere), (error) => isAppError(error, 'tls-failed'))
      const refused = protocol.open(placeAt(url, { user: 'tls', password: 'not-the-password' }))
      await assert.rejects(refused, (error) => isAppError(error, 'sign-in-failed') && !/not-the/.test(error.stack!))
    }
  })
})
