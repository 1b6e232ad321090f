import type { ProtocolWorld } from '../protocol-suite.testkit.ts'
import type { NewsServer } from './news-server.testkit.ts'
import { createNntpProtocol } from './nntp-protocol.ts'

let groups = 0

export const newsLacks = {
  changes: 'articles never change',
  removals: 'an article that expired was news all the same',
  push: 'a server speaks when it is asked',
}

/** A world with a new group. */
export async function openNewsWorld(server: NewsServer, origin: string): Promise<ProtocolWorld> {
  const group = `open.world${++groups}`
  await server.control('newgroup', group, 'y', 'tester')
  return {
    protocol: createNntpProtocol({ tls: { ca: server.certificate } }),
    url: `${origin}/${group}`,
    missingUrl: `${origin}/open.missing`,
    secret: null,
    put: (name, text) =>
      server.post({ id: `<${name}.${group}@example.org>`, subject: name, group, body: inLines(text) }),
    close: async () => {},
  }
}

/** Wraps text at the line length allowed in articles. */
const inLines = (text: string): string => text.replace(/(.{60,70}) /g, '$1\r\n')
