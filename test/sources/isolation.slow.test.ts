import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startNameServer } from '../../src/crawl/dns/name-server.testkit.ts'
import { dovecotSkip, mailHostName, startDovecot } from '../../src/fetchers/mail/dovecot.testkit.ts'
import { startErace } from '../kit/erace.ts'
import { startCluster, startUp } from '../kit/service.ts'
import { addUser, leaksIn, sweep } from '../kit/sweep.ts'
import { createAccount } from '../pages/account.ts'
import { createHandlerSite } from '../site/handler-site.ts'

const password = 'secret'
const sitePassword = 'correct-horse-battery'
const key = 'cd'.repeat(32)
/** Secrets in the mail, in the password-protected page, and in the credentials. */
const secrets = ['quokka', 'wombat', sitePassword, 'numbat-header']

for (const [engine, start] of Object.entries({ SQLite: startUp, PostgreSQL: startCluster })) {
  describe(`content read with credentials, ${engine}`, { skip: dovecotSkip }, () => {
    test('is visible to its owner, but not to other users, administrators, exports or logs', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'erace-isolation-'))
      const mail = await startDovecot()
      const names = await startNameServer((name) => ({ addresses: name === mailHostName ? ['127.0.0.1'] : [] }))
      await writeFile(join(folder, 'ca.pem'), mail.ca)
      const authorization = `Basic ${Buffer.from(`ann:${sitePassword}`).toString('base64')}`
      const site = await createHandlerSite((_path, response, { headers }) => {
        response.setHeader('content-type', 'text/html')
        if (headers.authorization === authorization)
          return response.end('<title>Inside</title><p>The wombat sleeps.</p>')
        response
          .writeHead(headers.authorization === undefined ? 200 : 401)
          .end('<title>Outside</title><p>Nothing here.</p>')
      })
      const message = `Subject: Lunch\nMessage-ID: <q1@example.org>\n\nThe quokka waits at noon.\n`
      await mail.deliver('ann', message)
      const service = await start({
        ERACE_CREDENTIALS_KEY: key,
        ERACE_NETWORK_NAMESERVERS: names.server,
        NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
        ERACE_LOG_LEVEL: 'debug',
      })
      const output = async (...args: string[]): Promise<string> => {
        const end = await startErace([...args, ...service.target], { ERACE_CREDENTIALS_KEY: key }).endWithin(120_000)
        assert.equal(end.exitCode, 0, end.stderr)
        return end.stdout + end.stderr
      }
      try {
        const root = await createAccount(service)
        const ann = await addUser(service, root, 'ann@example.org')
        const bob = await addUser(service, root, 'bob@example.org')
        const url = `${site.origin}/`
        const mailbox = `imap://${mailHostName}:${mail.ports.imap}/INBOX`
        const credentials = { kind: 'password', values: { user: 'ann', password } }
        await ann.ask('POST', '/credentials', { ...credentials, name: 'mail' })
        await ann.ask('POST', '/credentials', {
          ...credentials,
          name: 'site',
          values: { user: 'ann', password: sitePassword },
        })
        const header = { kind: 'header', values: { name: 'x-key', value: 'numbat-header' } }
        await ann.ask('POST', '/credentials', { ...header, name: 'unused' })
        const track = { every: '1d', process: 'track', depth: 1, scope: 'host' }
        const sources = [
          { ...track, uri: url, credentials: 'site' },
          { ...track, uri: mailbox, credentials: 'mail' },
        ]
        await ann.ask('POST', '/profiles', { name: 'mine', sources })
        await ann.visited()
        // The others watch the same addresses, as far as allowed.
        for (const other of [root, bob])
          await other.ask('POST', '/profiles', { name: 'theirs', sources: [{ ...track, uri: url }] })
        await root.visited()
        await bob.visited()
        await assert.rejects(
          bob.ask('POST', '/profiles', { name: 'hers', sources: [{ ...track, uri: mailbox, credentials: 'mail' }] }),
        )
        const asked = { urls: [url, mailbox, `${mailbox}/;MID=q1@example.org`], words: [...secrets, 'lunch', 'inside'] }
        const answers = await sweep(service, ann, asked)
        const own = [...answers.values()].join('\n')
        for (const word of ['quokka', 'wombat']) assert.ok(own.includes(word), `the sweep as its owner finds ${word}`)
        assert.ok(!own.includes(sitePassword), 'nobody is shown a password again')
        assert.deepEqual(leaksIn(answers, ['://~']), [], 'no answer says in whose name something was read')
        for (const [who, user] of Object.entries({ bob, root }))
          assert.deepEqual(leaksIn(await sweep(service, user, asked), [...secrets, 'Lunch']), [], who)
        await service.stop()
        const log = await service.log()
        assert.ok(log.length > 0)
        assert.deepEqual(
          secrets.filter((word) => log.includes(word)),
          [],
        )
        for (const kind of ['warc', 'cdxj', 'links', 'meta']) {
          const file = join(folder, `export.${kind}`)
          const said = await output('export', kind, file)
          const text = said + (await readFile(file, 'latin1'))
          assert.ok(text.length > 0)
          assert.deepEqual(
            [...secrets, 'INBOX'].filter((word) => text.includes(word)),
            [],
            kind,
          )
        }
      } finally {
        await service.destroy()
        await Promise.all([site.close(), mail.end(), names.close()])
        await rm(folder, { recursive: true })
      }
    })
  })
}
