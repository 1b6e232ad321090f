import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { listOf, placeOf, startCounter, visit } from './news-place.testkit.ts'
import { type NewsServer, newsServerSkip, startNewsServer, user } from './news-server.testkit.ts'
import { createNntpProtocol } from './nntp-protocol.ts'

describe('NNTP with a real server', { skip: newsServerSkip }, () => {
  let server: NewsServer
  const protocol = createNntpProtocol({ allowsPlainLoopback: true })
  before(async () => {
    server = await startNewsServer()
  })
  after(() => server.end())

  test('a second look transfers no articles, and a third lists only the new one', async (t) => {
    const counter = await startCounter(server.port)
    t.after(() => counter.end())
    const place = placeOf(`nntp://localhost:${counter.port}/open.group`)
    await server.post({
      id: '<one@example.org>',
      subject: '=?utf-8?q?Caf=C3=A9?= opens',
      body: 'First.\r\n.dotted line',
    })
    await server.post({
      id: '<two@example.org>',
      subject: 'Re: Café opens',
      headers: ['References: <one@example.org>', 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8'],
      body: 'Größe',
    })
    const first = await visit(protocol, place, async (session) => {
      const list = await session.look('')
      assert.equal(list.kind, 'list')
      const items = list.kind === 'list' ? list.items : []
      const bodies = []
      for (const item of items) bodies.push(await session.read(item))
      return { list, items, bodies }
    })
    assert.deepEqual(
      first.items.map(({ url, name }) => [url, name]),
      [
        [`nntp://localhost:${counter.port}/open.group/one%40example.org`, 'Café opens'],
        [`nntp://localhost:${counter.port}/open.group/two%40example.org`, 'Re: Café opens'],
      ],
    )
    const [one, two] = first.bodies
    assert.deepEqual([one!.type, one!.title, one!.isCut], ['message/rfc822', 'Café opens', false])
    assert.match(one!.body.toString('utf8'), /\r\n\r\nFirst\.\r\n\.dotted line\r\n$/)
    assert.match(two!.body.toString('utf8'), /^References: <one@example\.org>\r\n/m)
    assert.match(two!.body.toString('utf8'), /\r\n\r\nGröße\r\n$/)

    counter.commands.length = 0
    const cursor = first.list.kind === 'list' ? first.list.cursor : ''
    const second = await listOf(protocol, place, cursor)
    assert.deepEqual(second.items, [])
    assert.deepEqual(
      counter.commands.filter((line) => /^(?:ARTICLE|BODY|HEAD)/i.test(line)),
      [],
    )

    await server.post({ id: '<three@example.org>', subject: 'Third' })
    const third = await listOf(protocol, place, second.cursor)
    assert.deepEqual(
      third.items.map(({ name }) => name),
      ['Third'],
    )
    assert.equal(third.hasMore, false)
  })

  test('only the newest articles of a large group are listed; the rest is reported', async () => {
    await server.control('newgroup', 'open.many', 'y', 'tester')
    for (let i = 1; i <= 12; i++)
      await server.post({ id: `<m${i}@example.org>`, subject: `Many ${i}`, group: 'open.many' })
    const place = placeOf(`nntp://localhost:${server.port}/open.many`)
    const few = createNntpProtocol({ newest: 3 })
    const first = await listOf(few, place)
    assert.deepEqual(
      first.items.map(({ name }) => name),
      ['Many 10', 'Many 11', 'Many 12'],
    )
    assert.equal(first.left, 'only the newest 3 articles are read; up to 9 are older')
    for (let i = 13; i <= 20; i++)
      await server.post({ id: `<m${i}@example.org>`, subject: `Many ${i}`, group: 'open.many' })
    const names: string[] = []
    let cursor = first.cursor
    let looks = 0
    for (let hasMore = true; hasMore; looks++) {
      const list = await listOf(few, { ...place, limits: { ...place.limits, maxItems: 3 } }, cursor)
      names.push(...list.items.map(({ name }) => name))
      ;({ cursor, hasMore } = list)
    }
    assert.deepEqual(
      names,
      Array.from({ length: 8 }, (_, i) => `Many ${i + 13}`),
    )
    assert.equal(looks, 3)
  })

  test('a cancelled article is not found, and does not make others appear as new', async () => {
    await server.control('newgroup', 'open.cancelled', 'y', 'tester')
    const place = placeOf(`nntp://localhost:${server.port}/open.cancelled`)
    for (const id of ['<c1@example.org>', '<c2@example.org>', '<c3@example.org>'])
      await server.post({ id, subject: id, group: 'open.cancelled' })
    await visit(protocol, place, async (session) => {
      const list = await session.look('')
      assert.equal(list.kind, 'list')
      if (list.kind !== 'list') return
      await server.control('cancel', '<c3@example.org>')
      await assert.rejects(session.read(list.items[2]!), (error) => isAppError(error, 'not-found'))
      assert.match((await session.read(list.items[1]!)).body.toString(), /c2@example/)
      const again = await listOf(protocol, place, list.cursor)
      assert.deepEqual([again.items, again.isWhole], [[], false])
      await server.post({ id: '<c4@example.org>', subject: 'Four', group: 'open.cancelled' })
      const next = await listOf(protocol, place, again.cursor)
      assert.deepEqual(
        next.items.map(({ name }) => name),
        ['Four'],
      )
    })
    const gone = placeOf(`nntp://localhost:${server.port}/open.cancelled/c3%40example.org`)
    await assert.rejects(
      visit(protocol, gone, (session) => session.look('')),
      (error) => isAppError(error, 'not-found'),
    )
    const kept = placeOf(`nntp://localhost:${server.port}/open.cancelled/c2%40example.org`)
    const found = await visit(protocol, kept, (session) => session.look(''))
    assert.equal(found.kind === 'item' && found.item.url, kept.url)
  })

  test('known articles are not new after the server has renumbered them', async () => {
    const ids = ['<r1@example.org>', '<r2@example.org>', '<r3@example.org>']
    const other = await startNewsServer()
    const { port } = other
    const place = placeOf(`nntp://localhost:${port}/open.group`)
    for (const id of ids) await other.post({ id, subject: `Subject of ${id}` })
    const first = await listOf(protocol, place)
    await other.end()

    const renewed = await startNewsServer({ port })
    await renewed.post({ id: '<r4@example.org>', subject: 'A new one' })
    for (const id of ids.toReversed()) await renewed.post({ id, subject: `Subject of ${id}` })
    const second = await listOf(protocol, place, first.cursor)
    await renewed.end()
    const known = new Set(first.items.map(({ url, validator }) => `${url} ${validator}`))
    assert.equal(known.size, 3)
    const fresh = second.items.filter(({ url, validator }) => !known.has(`${url} ${validator}`))
    assert.deepEqual(
      fresh.map(({ name }) => name),
      ['A new one'],
    )
    assert.equal(second.items.length, 4)
  })

  test('credentials give access to closed groups over TLS with a valid certificate', async () => {
    await server.post({ id: '<secret@example.org>', subject: 'For members', group: 'closed.group' })
    const url = `nntp://localhost:${server.port}/closed.group`
    const tls = { ca: server.certificate }
    const fails = (
      code: 'sign-in-failed' | 'tls-failed' | 'not-found',
      place: ReturnType<typeof placeOf>,
      options = {},
    ) =>
      assert.rejects(listOf(createNntpProtocol(options), place), (error) => {
        assert.ok(isAppError(error, code), String(error))
        assert.doesNotMatch(JSON.stringify([error.message, error.stack, error.cause]), /pass word|secret, not/)
        return true
      })
    // Without credentials, INN refuses access to the group.
    await fails('sign-in-failed', placeOf(url))
    // STARTTLS is offered, so it is used, and the certificate must be valid.
    await fails('tls-failed', placeOf(url, { secret: user }))
    await fails('tls-failed', placeOf(url, { secret: user }), { allowsPlainLoopback: true })
    await fails('sign-in-failed', placeOf(url, { secret: { ...user, password: 'secret, not' } }), { tls })
    await fails('sign-in-failed', placeOf(url, { secret: { ...user, password: 'secret, not\r\nQUIT' } }), { tls })
    for (const place of [
      placeOf(url, { secret: user }),
      placeOf(`nntps://localhost:${server.securePort}/closed.group`, { secret: user }),
    ]) {
      const list = await listOf(createNntpProtocol({ tls }), place)
      assert.deepEqual(
        list.items.map(({ name }) => name),
        ['For members'],
      )
    }
    await fails('tls-failed', placeOf(`nntps://localhost:${server.securePort}/open.group`))
  })
})
