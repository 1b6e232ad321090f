import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as slowly } from 'node:timers/promises'
import { withoutBrowser } from '../../src/fetchers/browser/browser.testkit.ts'
import { startUp } from '../kit/service.ts'
import { createAccount } from '../pages/account.ts'
import { createHandlerSite, type Handler } from '../site/handler-site.ts'

/** Time until the last part of a page is loaded; until then, it stays open. */
const LOADING_MS = 400

test('the browser page limit holds across threads, and no check fails while it waits', {
  skip: withoutBrowser,
}, async () => {
  let open = 0
  let most = 0
  const serve: Handler = async (path, response) => {
    if (path === '/page') {
      most = Math.max(most, ++open)
      return response.end(
        '<p>Here</p><script>fetch("/part").then((r) => r.text()).then((t) => document.body.append(t))</script>',
      )
    }
    if (path !== '/part') return response.writeHead(404).end()
    await slowly(LOADING_MS)
    open--
    return response.end('There')
  }
  // Each host belongs to one of the threads.
  const sites = await Promise.all([2, 3, 4, 5].map((n) => createHandlerSite(serve, `127.0.0.${n}`)))
  const service = await startUp({
    ...{ ERACE_CRAWL_THREADS: '2', ERACE_BROWSER_MAXPAGES: '1', ERACE_CRAWL_MAXATTEMPTS: '1' },
  })
  try {
    const me = await createAccount(service)
    const sources = sites.map(({ origin }) => ({ uri: `${origin}/page`, render: 'browser', every: '1d' }))
    await me.ask('POST', '/profiles', { name: 'Rendered', sources })
    await me.visited()
    assert.deepEqual(
      (await me.sources()).map(({ outcome }) => outcome),
      sites.map(() => 'changed'),
    )
    assert.deepEqual([open, most], [0, 1])
  } finally {
    await service.destroy()
    await Promise.all(sites.map((site) => site.close()))
  }
})
