import { createSecretLinks, type FeedFormat } from '../../../services/delivery/secret-links.ts'
import type { AnnotationDraft } from '../../../store/contracts/annotations.ts'
import type { Channel } from '../../../store/contracts/channels.ts'
import type { TestServer } from '../../server.testkit.ts'

export const ada = 'ada@example.org'

export const changed: Partial<AnnotationDraft> = {
  kind: 'changed',
  title: 'Kettle',
  summary: {
    text: '€ 39.90 → € 34.50',
    marks: [],
    parts: [
      { kind: 'removed', text: '€ 39.90' },
      { kind: 'sign', text: ' → ' },
      { kind: 'added', text: '€ 34.50' },
    ],
  },
  changes: { list: [{ kind: 'changed', path: 'Shop', before: '€ 39.90', after: '€ 34.50' }], more: 0 },
}

/** Adds a feed of Ada's. */
export function addFeed(
  { stores }: Pick<TestServer, 'stores'>,
  id: string,
  settings: Record<string, unknown> = {},
  name = 'My changes',
): Promise<Channel> {
  return stores.channels.add({ id, owner: ada, kind: 'feed', name, settings, createdAt: 0 })
}

/** Links as paths, as for a server without a configured URL. */
export function linksOf({ stores }: Pick<TestServer, 'stores'>) {
  return createSecretLinks({ secrets: stores.serverSecrets, channels: stores.channels, address: () => '' })
}

export async function feedUrl(
  server: Pick<TestServer, 'stores'>,
  channel: Channel,
  format: FeedFormat,
): Promise<string> {
  return (await linksOf(server).feedUrls(channel))[format]
}

export function fetchFeed({ server }: Pick<TestServer, 'server'>, url: string, headers: Record<string, string> = {}) {
  return server.inject({ method: 'GET', url, headers })
}
