import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { startNameServer } from '../../src/crawl/dns/name-server.testkit.ts'
import { withoutBrowser } from '../../src/fetchers/browser/browser.testkit.ts'
import { startVsftpd, vsftpdSkip } from '../../src/fetchers/files/vsftpd.testkit.ts'
import { dovecotSkip, mailHostName, startDovecot } from '../../src/fetchers/mail/dovecot.testkit.ts'
import { newsServerSkip, startNewsServer } from '../../src/fetchers/news/news-server.testkit.ts'
import type { Annotation } from '../../ui/src/api/types.ts'
import { startCluster, startUp } from '../kit/service.ts'
import { createAccount } from '../pages/account.ts'
import { createHandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'

const skip = dovecotSkip || newsServerSkip || vsftpdSkip || withoutBrowser
const key = 'ab'.repeat(32)

/** One real source of each kind, and functions that publish something new at each. */
async function startWorld() {
  const root = await mkdtemp(join(tmpdir(), 'erace-all-'))
  const words = new Map([
    ['/page', 'The lighthouse is closed.'],
    ['/rendered', 'The harbour is closed.'],
  ])
  const rows = [{ id: 1, name: 'ferry', state: 'late' }]
  const entries = ['The first entry']
  const site = await createHandlerSite((path, response) => {
    const html = (body: string): void => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(`<!doctype html><title>${path}</title><body>${body}</body>`)
    }
    if (path === '/page') return html(`<p>${words.get(path)}</p>`)
    if (path === '/rendered')
      return html(
        `<p id="p"></p><script>document.getElementById('p').textContent = ${JSON.stringify(words.get(path))}</script>`,
      )
    if (path === '/feed.xml') {
      response.setHeader('content-type', 'application/rss+xml')
      const items = entries.map(
        (title, n) => `<item><title>${title}</title><guid>${title}</guid><link>${site.origin}/e${n}</link></item>`,
      )
      return response.end(`<rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`)
    }
    if (path === '/rows') {
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ rows }))
    }
    response.statusCode = 404
    response.end()
  })
  const mail = await startDovecot()
  const news = await startNewsServer()
  const ftp = await startVsftpd()
  const db = new DatabaseSync(join(root, 'stock.db'))
  db.exec("CREATE TABLE stock (id INTEGER, name TEXT, price REAL); INSERT INTO stock VALUES (1, 'kettle', 39.9)")
  const files = join(root, 'files')
  await import('node:fs/promises').then(({ mkdir }) => mkdir(files))
  await writeFile(join(files, 'first.txt'), 'The first file.\n')
  await writeFile(ftp.at('first.txt'), 'The first file of the server.\n')
  const message = (user: string, words: string, id: string) =>
    mail.deliver(
      user,
      `From: Bob <bob@example.org>\nTo: ${user}@example.org\nSubject: ${words}\nMessage-ID: <${id}@example.org>\nDate: Mon, 16 Nov 2026 10:00:00 +0000\n\n${words}, says Bob.\n`,
    )
  await message('popper', 'The first letter by POP', 'p1')
  await message('ima', 'The first letter by IMAP', 'i1')
  await news.post({ id: '<n1@example.org>', subject: 'The first article', body: 'It is short.' })
  const names = await startNameServer((name) => ({
    addresses: name === mailHostName ? ['127.0.0.1'] : [],
    ttlSeconds: 60,
  }))
  const ca = join(root, 'ca.pem')
  await writeFile(ca, mail.ca)
  const query = encodeURIComponent('SELECT id, name, price FROM stock')
  const sources = {
    web: { uri: `${site.origin}/page` },
    // Less often than the others: a browser takes more resources than all of them together.
    rendered: { uri: `${site.origin}/rendered`, render: 'browser', every: '5s' },
    pop3: { uri: `pop3://${mailHostName}:${mail.ports.pop3}/`, credentials: 'popper' },
    imap: { uri: `imap://${mailHostName}:${mail.ports.imap}/INBOX`, credentials: 'ima', method: 'push', every: '1d' },
    news: { uri: `nntp://127.0.0.1:${news.port}/open.group` },
    feed: { uri: `${site.origin}/feed.xml` },
    sql: { uri: `sqlite://${join(root, 'stock.db')}?query=${query}&key=id&title=name` },
    json: { uri: `query+${site.origin}/rows#rows=$.rows[*]&key=id&title=name` },
    ftp: { uri: `ftp://127.0.0.1:${ftp.port}/in/` },
    files: { uri: `${pathToFileURL(files)}/`, method: 'push', every: '1d' },
  }
  const add: Record<keyof typeof sources, () => unknown> = {
    web: () => words.set('/page', 'The lighthouse is open again.'),
    rendered: () => words.set('/rendered', 'The harbour is open again.'),
    pop3: () => message('popper', 'The second letter by POP', 'p2'),
    imap: () => message('ima', 'The second letter by IMAP', 'i2'),
    news: () => news.post({ id: '<n2@example.org>', subject: 'The second article', body: 'It is news.' }),
    feed: () => entries.unshift('The second entry'),
    sql: () => db.exec("INSERT INTO stock VALUES (2, 'toaster', 24.5)"),
    json: () => rows.push({ id: 2, name: 'tram', state: 'on time' }),
    ftp: () => writeFile(ftp.at('second.txt'), 'The second file of the server.\n'),
    files: () => writeFile(join(files, 'second.txt'), 'The second file.\n'),
  }
  return {
    ...{ sources, add },
    settings: {
      ERACE_FILES_ROOTS: root,
      ERACE_CREDENTIALS_KEY: key,
      ERACE_NETWORK_NAMESERVERS: names.server,
      NODE_EXTRA_CA_CERTS: ca,
    },
    async end() {
      db.close()
      await Promise.all([site.close(), mail.end(), news.end(), ftp.close(), names.close()])
      await rm(root, { recursive: true })
    },
  }
}

for (const [engine, start] of Object.entries({ SQLite: startUp, PostgreSQL: startCluster })) {
  describe(`a profile with every kind of source, ${engine}`, { skip }, () => {
    test('reports each new item once', async () => {
      const world = await startWorld()
      const service = await start(world.settings)
      try {
        const me = await createAccount(service)
        for (const user of ['popper', 'ima'])
          await me.ask('POST', '/credentials', { name: user, kind: 'password', values: { user, password: 'secret' } })
        const every = '1s'
        const sources = Object.values(world.sources).map((source) => ({
          every,
          process: 'track',
          scope: 'page',
          ...source,
        }))
        await me.ask('POST', '/profiles', { name: 'Everything', sources })
        const isVisited = ({ lastCheckedAt }: { lastCheckedAt: string | null }): boolean => lastCheckedAt !== null
        await until('all were visited', async () => (await me.sources()).every(isVisited))
        const states = (await me.sources()).map(({ uri, outcome }) => `${uri.slice(0, 40)} ${outcome}`)
        assert.deepEqual(
          states.filter((state) => /failed|skipped/.test(state)),
          [],
        )
        const told = async () =>
          (await me.ask<{ items: Annotation[] }>('GET', '/annotations?limit=200')).items.filter(
            ({ backlog }) => !backlog,
          )
        assert.deepEqual(
          (await told()).map(({ url }) => url),
          [],
        )
        for (const [kind, make] of Object.entries(world.add)) {
          const before = (await told()).length
          const at = performance.now()
          await make()
          await until(`${kind} is told`, async () => (await told()).length > before, 30_000)
          process.stdout.write(`${kind}: ${Math.round(performance.now() - at)} ms\n`)
        }
        const all = await told()
        assert.equal(all.length, Object.keys(world.add).length)
        assert.ok(!JSON.stringify(all).includes('~'), 'no answer says in whose name something was read')
      } finally {
        await service.destroy()
        await world.end()
      }
    })
  })
}
