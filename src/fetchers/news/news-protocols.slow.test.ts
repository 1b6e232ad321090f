import { after, before } from 'node:test'
import { testProtocol } from '../protocol-suite.testkit.ts'
import { type NewsServer, newsServerSkip, startNewsServer, user } from './news-server.testkit.ts'
import { newsLacks, openNewsWorld } from './news-world.testkit.ts'

let server: NewsServer | undefined
before(async () => {
  if (newsServerSkip === false) server = await startNewsServer()
})
after(() => server?.end())

const options = { skip: newsServerSkip, lacks: { ...newsLacks, counts: 'its commands are encrypted' } }
const signedIn = { secret: user, wrongSecret: { ...user, password: 'secret, but not the one' } }

testProtocol(
  'NNTP over TLS',
  async () => ({ ...(await openNewsWorld(server!, `nntps://localhost:${server!.securePort}`)), ...signedIn }),
  options,
)
testProtocol(
  'NNTP with STARTTLS',
  async () => ({ ...(await openNewsWorld(server!, `nntp://localhost:${server!.port}`)), ...signedIn }),
  options,
)
