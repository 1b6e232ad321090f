import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withServer } from '../inbox/inbox.testkit.ts'
import { ada, linksOf } from './links.testkit.ts'

const oneClick = { 'content-type': 'application/x-www-form-urlencoded' }

describe('unsubscribing', () => {
  test(
    'a link shows a page with a button, and only a POST switches the channel off',
    withServer(async (server) => {
      const { channels } = server.stores
      const settings = { to: 'secret-address@example.org' }
      const channel = await channels.add({
        ...{ id: 'c_mail', owner: ada, kind: 'email', name: 'private name', settings, createdAt: 0 },
      })
      await channels.note('c_mail', { state: 'active', reason: '', failures: 0, retryAt: 0, sentAt: 77 })
      const url = await linksOf(server).unsubscribeUrl(channel)
      for (const method of ['GET', 'HEAD'] as const) {
        const { statusCode, payload, headers } = await server.server.inject({ method, url })
        assert.equal(statusCode, 200)
        assert.match(String(headers['content-security-policy']), /form-action 'self'/)
        assert.doesNotMatch(String(headers['content-security-policy']), /sandbox/)
        if (method === 'GET') assert.match(payload, /<form method="post"><button [^>]*>Unsubscribe<\/button><\/form>/)
        assert.doesNotMatch(payload, /secret-address|private name|ada@|<script/)
      }
      assert.equal((await channels.find('c_mail'))!.state, 'active')
      const sendings = [
        { headers: oneClick, payload: 'List-Unsubscribe=One-Click' },
        {
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
          payload: '--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
        },
        // Credentials and origin are ignored.
        { headers: { ...oneClick, cookie: 'erace_session=x', origin: 'https://mail.example' }, payload: '' },
        { headers: { authorization: 'Bearer wrong' } },
      ]
      for (const sending of sendings) {
        const answer = await server.server.inject({ method: 'POST', url, ...sending })
        assert.equal(answer.statusCode, 200, answer.payload)
        assert.match(answer.payload, /Unsubscribed/)
        const { state, reason, sentAt } = (await channels.find('c_mail'))!
        assert.deepEqual([state, reason, sentAt], ['off', 'Switched off by the unsubscribe link in a message', 77])
      }
    }),
  )

  test(
    'wrong links and links of removed channels get the same 404 page',
    withServer(async (server) => {
      const { channels } = server.stores
      const draft = { owner: ada, kind: 'email', name: 'x', settings: {}, createdAt: 0 }
      const channel = await channels.add({ ...draft, id: 'c_mail' })
      await channels.add({ ...draft, id: 'c_other' })
      const url = await linksOf(server).unsubscribeUrl(channel)
      const feed = (await linksOf(server).feedUrls(channel)).atom.replace('/feeds/', '/unsubscribe/').slice(0, -5)
      const pages = new Set<string>()
      const refused = async (path: string): Promise<void> => {
        for (const method of ['GET', 'POST'] as const) {
          const { statusCode, payload } = await server.server.inject({ method, url: path })
          assert.equal(statusCode, 404, path)
          pages.add(payload)
        }
      }
      for (const path of [url.replace('c_mail', 'c_other'), feed, '/unsubscribe/c_mail', `${url}x`]) await refused(path)
      assert.equal((await channels.find('c_other'))!.state, 'active')
      assert.equal((await channels.find('c_mail'))!.state, 'active')
      await channels.remove(ada, 'c_mail')
      await refused(url)
      assert.equal(pages.size, 1)
      const large = await server.server.inject({
        ...{ method: 'POST', url, headers: oneClick, payload: `a=${'x'.repeat(100_000)}` },
      })
      assert.equal(large.statusCode, 413)
    }),
  )
})
