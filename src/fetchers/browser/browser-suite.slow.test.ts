import { createBrowserPages } from '../../crawl/worker/shared-counters.ts'
import { testProtocol } from '../protocol-suite.testkit.ts'
import { startTextSite, worldOver } from '../web-world.testkit.ts'
import { browserConfig, withoutBrowser } from './browser.testkit.ts'
import { createBrowserProtocol } from './browser-protocol.ts'

/** A page whose text is written by a script. */
const page = {
  type: 'text/html; charset=utf-8',
  write: (texts: ReadonlyMap<string, string>) =>
    `<!doctype html><title>Texts</title><body><script>document.body.append(${JSON.stringify([...texts.values()].join('; '))})</script>`,
}

testProtocol(
  'pages in a browser',
  async () =>
    worldOver(await startTextSite(page), {
      scheme: '',
      create: (fetch) =>
        createBrowserProtocol({
          ...{ config: browserConfig, fetch, mayFetch: async () => true, log() {} },
          browserPages: createBrowserPages(),
        }),
    }),
  {
    skip: withoutBrowser,
    render: 'browser',
    lacks: {
      lists: 'a page is an item',
      removals: 'a page that is not there is not found',
      counts: 'nothing is known of a page without loading it',
      push: 'a page is looked at when it is due',
    },
  },
)
