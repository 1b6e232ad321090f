import { defaultAccountSettings } from '../../src/core/account.ts'
import { deliveryDefaults, type Profile } from '../../src/core/profile.ts'
import type { ChannelAgent } from '../../src/delivery/channel-agent.ts'
import { agentsByKind } from '../../src/delivery/registry.ts'
import { readSettings } from '../../src/delivery/settings.ts'
import { draftOf, nothing } from '../../src/store/conformance/annotations-suite.testkit.ts'
import { pageOf } from '../../src/store/conformance/samples.testkit.ts'
import type { AnnotationDraft } from '../../src/store/contracts/annotations.ts'
import { profileOf } from '../../test/watch/up-run.ts'
import { createProse } from '../origin/page.ts'
import { createRandom } from '../origin/random.ts'
import type { BenchStore } from './stores.ts'

/** A user with one profile and one channel. */
export type User = {
  n: number
  email: string
  profile: string
  channel: string
  agent: ChannelAgent
  isImmediate: boolean
  /** Ids of the annotations created so far. */
  annotations: number[]
}

export type Sinks = { http: number; mail: number }

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

/** Channels that cover all message formats; users get them in turn. */
function channelsOf(channel: string, { http }: Sinks): { kind: string; settings: Record<string, unknown> }[] {
  const url = `http://127.0.0.1:${http}/${channel}`
  return [
    { kind: 'webhook', settings: { url, format: 'json', secret: SECRET } },
    { kind: 'webhook', settings: { url, format: 'xml', secret: SECRET } },
    { kind: 'ntfy', settings: { url, topic: channel } },
    { kind: 'email', settings: { to: `${channel}@sink.example` } },
    { kind: 'http', settings: { url: `${url}?id={{id}}`, body: '{ "to": "+35722000000", "text": "{{short}}" }' } },
  ]
}

const AT_ONCE = 100

/** Adds users with their accounts, channels and profiles. Those not notified at once get a digest every morning. */
export async function addUsers(
  { stores }: BenchStore,
  { count, immediate, sinks }: { count: number; immediate: 'half' | 'none'; sinks: Sinks },
): Promise<User[]> {
  const users = Array.from({ length: count }, (_, n) => userOf(n, sinks, immediate === 'half'))
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = users.slice(from, from + AT_ONCE)
    await Promise.all(
      some.map(async ({ user: { email, channel, agent }, settings }) => {
        const rights = { role: 'user', level: 'silver', disabled: false, passwordHash: '' } as const
        await stores.accounts.add({ email, name: '', createdAt: 1, settings: defaultAccountSettings, ...rights })
        await stores.channels.add({
          ...{ id: channel, owner: email, kind: agent.kind, name: agent.label, settings, createdAt: 1 },
        })
      }),
    )
    await stores.profiles.put(some.map(({ user }) => ({ profile: profileFor(user), keys: [] })))
  }
  return users.map(({ user }) => user)
}

function userOf(n: number, sinks: Sinks, isHalf: boolean) {
  const channel = `c${n}`
  const kinds = channelsOf(channel, sinks)
  const { kind, settings: given } = kinds[n % kinds.length]!
  const agent = agentsByKind.get(kind)!
  const { settings, errors } = readSettings(agent, given)
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  const isImmediate = isHalf && Math.floor(n / kinds.length) % 2 === 0
  const names = { email: `user-${n}@example.org`, profile: `p${n}`, channel }
  return { user: { n, ...names, agent, isImmediate, annotations: [] } satisfies User as User, settings }
}

function profileFor({ email, profile, channel, isImmediate }: User): Profile {
  const cadence = isImmediate ? 'immediate' : 'daily 08:00'
  return {
    ...profileOf(profile, email, [], {}),
    amount: 'change',
    delivery: { ...deliveryDefaults, channels: ['inbox', channel], cadence },
  }
}

/** Number of messages for a user's annotations: one each, or as many digests as they need. */
export function messagesOf({ agent: { digest }, isImmediate }: User, annotations: number): number {
  if (isImmediate) return annotations
  return digest.rest === 'count' ? 1 : Math.ceil(annotations / digest.maxItems)
}

const TEXTS = 500
/** More than a user's annotations, since each is about a different page. */
const PAGES = 2_000

/** Records pages; `arrive` adds annotations of their changes. */
export async function createNews({ stores, documents, host }: BenchStore) {
  const paths = Array.from({ length: PAGES }, (_, n) => `/news/${n}.html`)
  await documents.record(paths.map((path) => pageOf(host, path, `body of ${path}`)))
  const versions = await stores.versions.versions({ after: 0, limit: PAGES })
  const random = createRandom(5)
  const { phrase } = createProse(random)
  const texts = Array.from({ length: TEXTS }, () => {
    const [same, before, after] = [phrase(20), phrase(8), phrase(8)]
    return { title: phrase(6), same, before, after }
  })
  let made = 0

  function draft({ n, email, profile, channel }: User, nth: number, at: number): AnnotationDraft {
    const { id, documentId } = versions[(n + nth) % PAGES]!
    const { title, same, before, after } = texts[made++ % TEXTS]!
    const pieces = [
      { kind: 'same', text: `${same} ` },
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ] as const
    const changed = { kind: 'changed', path: 'News › Today', before: `${same} ${before}`, after: `${same} ${after}` }
    return draftOf(documentId, id, {
      ...{ owner: email, profile, channels: [channel], at, kind: 'changed', title: `${title} ${made}` },
      ...{ relevance: 1 + (made % 9), urgency: 1, size: 40_000, extension: 'html', format: 'html' },
      summary: { text: `${before} → ${after}`, marks: [] },
      changes: {
        list: [
          { ...changed, pieces },
          { kind: 'added', path: 'News', after: same },
        ],
        more: 1,
      } as AnnotationDraft['changes'],
      explanation: { relevance: 1, threshold: 1, terms: [] },
    })
  }

  return {
    /** Adds `each` annotations for every user, in one transaction. */
    async arrive(users: readonly User[], each: number, at: number): Promise<void> {
      const byEmail = new Map(users.map((user) => [user.email, user]))
      const drafts = Array.from({ length: each }, (_, n) =>
        users.map((user) => draft(user, user.annotations.length + n, at)),
      ).flat()
      const added = await stores.annotations.commit({ ...nothing, annotations: drafts })
      if (added.length !== drafts.length) throw new Error('two annotations of a user are about the same page')
      for (const { id, owner } of added) byEmail.get(owner)!.annotations.push(id)
    },
  }
}
