import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { createProtocols } from '../app/protocols.ts'
import { configOf } from '../config/load-config.ts'
import { usePostgres } from '../store/postgres/testkit/postgres.testkit.ts'
import { createQueryProtocol } from './db/query-protocol.ts'
import { checkSharedOut, checkWatched, engines } from './kept-suite.testkit.ts'
import { testProtocol } from './protocol-suite.testkit.ts'
import { startTextSite, worldOver } from './web-world.testkit.ts'

const rows = {
  type: 'application/json',
  write: (texts: ReadonlyMap<string, string>) => JSON.stringify([...texts].map(([name, text]) => ({ name, text }))),
}
const items = {
  type: 'text/html; charset=utf-8',
  write: (texts: ReadonlyMap<string, string>) =>
    `<ul>${[...texts].map(([name, text]) => `<li><b>${name}</b><i>${text}</i></li>`).join('')}</ul>`,
}

for (const [kind, page, fragment] of [
  ['JSON', rows, '#rows=$%5B*%5D&key=name'],
  ['HTML', items, '#rows=li&cells=name:b&cells=text:i&key=name'],
] as const)
  testProtocol(
    `queries of web sites that answer with ${kind}`,
    async () => {
      const site = await startTextSite(page)
      const world = worldOver(site, { scheme: 'query+', fragment, create: (fetch) => createQueryProtocol({ fetch }) })
      return { ...world, moved: site.sent, remove: async (name) => void site.texts.delete(name) }
    },
    { cuts: 'lists', lacks: { push: 'rows are asked for' } },
  )

describe('a page of the web, as a source', () => {
  usePostgres()
  for (const engine of engines)
    test(`with pages below it asks for those that are worth it, on the ${engine.name} store`, async () => {
      const paths: string[] = []
      const server = createServer(({ url = '' }, response) => {
        if (url !== '/robots.txt') paths.push(url)
        const links = url === '/' ? '<a href="/one">one</a> <a href="/two">two</a>' : ''
        response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' }).end(`${url} ${links}`)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        const nothing = { secret: null, render: 'http', hasLists: false, change: undefined, remove: undefined } as const
        const world = { ...nothing, url, put: async () => {}, protocols: createProtocols(configOf()) }
        await checkSharedOut(engine, world, () => paths.splice(0))
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  for (const engine of engines)
    test(`is kept and told once, on the ${engine.name} store`, async () => {
      const site = await startTextSite(items)
      const put = async (name: string, text: string): Promise<void> => void site.texts.set(name, text)
      try {
        await checkWatched(engine, {
          ...{ url: `${site.origin}/texts`, secret: site.secret, render: 'http', hasLists: false },
          ...{ put, change: put, remove: async () => site.takeDown(), protocols: createProtocols(configOf()) },
        })
      } finally {
        await site.close()
      }
    })
})
