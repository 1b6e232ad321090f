import { after, before } from 'node:test'
import { testProtocol } from '../protocol-suite.testkit.ts'
import { startCounter } from './news-place.testkit.ts'
import { type NewsServer, newsServerSkip, startNewsServer } from './news-server.testkit.ts'
import { newsLacks, openNewsWorld } from './news-world.testkit.ts'

let server: NewsServer | undefined
let counter: Awaited<ReturnType<typeof startCounter>> | undefined
before(async () => {
  if (newsServerSkip !== false) return
  server = await startNewsServer()
  counter = await startCounter(server.port)
})
after(async () => {
  await counter?.end()
  await server?.end()
})

testProtocol(
  'NNTP',
  async () => ({
    ...(await openNewsWorld(server!, `nntp://localhost:${counter!.port}`)),
    moved: () => counter!.commands.filter((line) => /^(?:ARTICLE|BODY) /i.test(line)).length,
  }),
  { skip: newsServerSkip, lacks: { ...newsLacks, credentials: 'this server lets everybody in' } },
)
