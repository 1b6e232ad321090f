import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startCluster, startUp } from '../kit/service.ts'
import { addUser, leaksIn, sweep } from '../kit/sweep.ts'
import { createAccount } from '../pages/account.ts'
import { createChangingPages } from '../site/handler-site.ts'

const mark = 'xyzzyplugh'
const secretPath = `/drafts?token=${mark}`
/** Secrets in the secret page, in pages that only it links to, and in the user's own words. */
const secrets = [mark, 'quokka', 'wombat', 'numbat', '/from-secret']
const words = [...secrets, 'page', 'public']

for (const [name, start] of [
  ['one process', startUp],
  ['a cluster', startCluster],
] as const)
  describe(`tenants in ${name}`, () => {
    test('an unlinked page watched by one user does not leak to another who watches the same host', async () => {
      const news = await createChangingPages({
        '/': { words: 'public page', links: ['/public'] },
        '/public': { words: 'public page of everybody' },
        [secretPath]: { words: 'quokka public page of everybody', links: ['/public', '/from-secret'] },
        '/from-secret': { words: 'wombat' },
      })
      const service = await start()
      try {
        const root = await createAccount(service)
        const ann = await addUser(service, root, 'ann@example.org')
        const bob = await addUser(service, root, 'bob@example.org')
        const source = (path: string, scope: string) => ({
          sources: [{ uri: `${news.origin}${path}`, every: '1s', depth: 3, scope, process: 'track' }],
        })
        await ann.ask('POST', '/profiles', { name: 'numbat', ...source(secretPath, 'host') })
        await ann.visited()
        const events = collect(await fetch(`${service.url}/api/v1/events`, { headers: { cookie: bob.cookie } }))
        for (const scope of ['host', 'domain', '.*', 'path'])
          for (const path of ['/', '/public'])
            await bob.ask('POST', '/profiles', { name: `${scope} ${path}`, ...source(path, scope) })
        await bob.visited()
        // The secret page changes while both watch it.
        news.pages[secretPath] = { words: 'quokka and a second quokka', links: ['/public', '/from-secret'] }
        await ann.checkAll()
        await bob.checkAll()
        await ann.changes(1)
        const draft = { ...source('/', '.*'), interests: { keywords: [{ key: 'quokka', weight: 1 }], threshold: 1 } }
        const preview = await bob.ask('POST', '/profiles/preview', { name: 'p', ...draft })
        const urls = [...Object.keys(news.pages)].map((path) => `${news.origin}${path}`)
        const own = await sweep(service, ann, { urls, words })
        const seen = [...own.values()].join('\n')
        for (const secret of secrets) assert.ok(seen.includes(secret), `the sweep as their owner finds ${secret}`)
        for (const format of ['atom', 'rss', 'json'])
          assert.ok(own.get(`feed as ${format}`)!.includes(mark), `her own feed as ${format} has her page`)
        const answers = await sweep(service, bob, { urls, words })
        answers.set('preview', JSON.stringify(preview))
        await events.cancel()
        assert.match(events.text, /event: /)
        answers.set('events', events.text)
        assert.match(answers.get('/search?q=public')!, /"url":"[^"]*\/public"/)
        assert.deepEqual(leaksIn(answers, secrets), [])
      } finally {
        await service.destroy()
        await news.close()
      }
    })
  })

/** Collects the text received on a stream so far. */
function collect({ body }: Response): { text: string; cancel(): Promise<void> } {
  const reader = body!.getReader()
  const decoder = new TextDecoder()
  const collected = { text: '', cancel: () => reader.cancel() }
  const read = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      collected.text += decoder.decode(next.value, { stream: true })
  }
  void read()
  return collected
}
