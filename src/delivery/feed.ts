import type { ChannelAgent } from './channel-agent.ts'

export const feed: ChannelAgent = {
  kind: 'feed',
  label: 'Feed',
  about:
    'Gives you secret addresses of an Atom, RSS and JSON feed, for any feed reader. Nothing is sent: readers fetch it.',
  digest: { maxItems: 50, rest: 'count' },
  isPull: true,
  settings: [
    { name: 'profile', label: 'Profile', hint: 'Its id. Leave it empty for the whole inbox.', type: 'text' },
    // Incrementing it creates new addresses and invalidates the old ones.
    { name: 'generation', label: 'Generation', type: 'number', usual: 1, isHidden: true },
  ],
  send: async () => ({ kind: 'never', reason: 'a feed is fetched by its readers; nothing is sent to it' }),
}
