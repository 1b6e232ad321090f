import { until } from '../../watch/up-run.ts'
import type { Secret } from './callers.ts'

type Json = <T>(name: string, method: string, path: string, body?: unknown) => Promise<T>
type Channel = { id: string; feedUrls?: { atom: string } }
type List<T> = { items: T[] }

const SETUP_MS = 120_000

/** Notification channels: ann's own, which requests change and remove, and one of bob's. */
export async function createFuzzChannels(json: Json, origin: string) {
  const add = (name: string, kind: string, settings: object) =>
    json<Channel>(name, 'POST', '/channels', { kind, name: kind, settings })
  /** Its messages fail. Requests don't know its id, so that its log stays. */
  const refused = await add('ann', 'webhook', { url: `${origin}/gone` })
  const bobs = await add('bob', 'feed', {})
  const link = new URL(bobs.feedUrls!.atom).pathname.split('/').at(-1)!.replace('.atom', '')
  /** Ann's come first. */
  const ids: string[] = []

  async function restore(): Promise<void> {
    for (const name of ['ann', 'root']) {
      const { items } = await json<List<Channel>>(name, 'GET', '/channels?limit=200')
      for (const { id } of items) if (id !== refused.id) await json(name, 'DELETE', `/channels/${id}`)
    }
    const anns = [await add('ann', 'webhook', { url: `${origin}/page-1` }), await add('ann', 'feed', {})]
    ids.splice(0, ids.length, ...anns.map(({ id }) => id), bobs.id, 'c_nothing')
  }
  await restore()

  return {
    ids,
    restore,
    /** For ann's profile. */
    refused: refused.id,
    /** Bob's channels, which no one else can change. */
    snapshot: () => json<unknown>('bob', 'GET', '/channels'),
    secrets: [{ owner: 'bob', text: link }] satisfies Secret[],
    /** Waits for a failed message; returns the ids of failed ones. */
    async failed(): Promise<string[]> {
      let items: { id: string }[] = []
      await until(
        'a failed message',
        async () => {
          items = (await json<List<{ id: string }>>('ann', 'GET', '/deliveries?state=failed')).items
          return items.length > 0
        },
        SETUP_MS,
      )
      return items.map(({ id }) => id)
    },
  }
}
