import assert from 'node:assert/strict'
import { type AccountSettings, defaultAccountSettings } from '../../../core/account.ts'
import { createManualClock, type ManualClock } from '../../../core/clock.ts'
import { deliveryDefaults, type Profile, type ProfileDelivery, pushChannels } from '../../../core/profile.ts'
import { createAddressGuard } from '../../../core/url/address.ts'
import type { AgentTools, ChannelAgent } from '../../../delivery/channel-agent.ts'
import { createHttpSender } from '../../../delivery/http-sender.ts'
import { agentsByKind } from '../../../delivery/registry.ts'
import { createSink, toolsOf } from '../../../delivery/sink.testkit.ts'
import { accountDraft } from '../../../store/conformance/accounts/accounts-suite.testkit.ts'
import {
  type OpenShard,
  type OpenStores,
  openOne,
  type StoreEngine,
  withSystem,
} from '../../../store/conformance/engine.testkit.ts'
import { type InboxPlace, type Told, tell } from '../../../store/conformance/inbox-suite.testkit.ts'
import { keyedOf } from '../../../store/conformance/profiles-suite.testkit.ts'
import type { Annotation } from '../../../store/contracts/annotations.ts'
import type { ChannelDraft } from '../../../store/contracts/channels.ts'
import { createMessageContents } from '../content.ts'
import { createRounds } from '../delivery.ts'
import { createNextMessage } from '../next-message.ts'
import { createPlanner } from '../planner.ts'
import { createPolicies } from '../policies.ts'
import { createSecretLinks } from '../secret-links.ts'
import { createSender } from '../sender.ts'

/** A Monday, noon UTC. */
export const START = Date.UTC(2026, 5, 1, 12)
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const LEASE_MS = 10_000
/** More rounds than any test needs: reaching it means an endless loop. */
const MAX_ROUNDS = 200

export const SECRET = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0'

export type Sink = Awaited<ReturnType<typeof createSink>>

export type ProcessOptions = {
  agents?: ReadonlyMap<string, ChannelAgent>
  random?(): number
  onFree?(): void
  /** Timeout of one attempt. */
  maxMs?: number
  /** Wraps the store of the process to inject faults. */
  faulty?(deliveries: OpenStores['deliveries']): OpenStores['deliveries']
  archive?: Parameters<typeof createMessageContents>[0]['archive']
}

/** The planning and sending of one process, driven by hand: nothing runs by itself. */
export type DeliveryProcess = ReturnType<typeof openProcess>

/** `ann`'s account, her profile `p` with channel `c` at the sink, and one process. */
export type DeliveryPlace = InboxPlace & {
  stores: OpenStores
  clock: ManualClock
  sink: Sink
  /** Problems reported by the process. */
  problems: string[]
  /** Another process on the same store. */
  process(options?: ProcessOptions): DeliveryProcess
  /** Does everything that can be done now. */
  run(): Promise<void>
  addChannel(id: string, parts?: Partial<ChannelDraft>): Promise<void>
  setProfile(id: string, delivery: Partial<ProfileDelivery>, parts?: Partial<Profile>): Promise<void>
  setAccount(settings: Partial<AccountSettings>): Promise<void>
  /** Adds annotations of new pages, by default for the profile `p`, to the channels of their profile. */
  found(...told: Told[]): Promise<Annotation[]>
  /** Advances the clock step by step, and runs after each step. */
  pass(ms: number, stepMs?: number): Promise<void>
}

export function withDelivery(
  engine: StoreEngine,
  work: (place: DeliveryPlace) => Promise<void>,
  options: ProcessOptions = {},
): () => Promise<void> {
  return withSystem(engine, {}, async (system) => {
    const clock = createManualClock(START)
    const sink = await createSink()
    const network = createHttpSender(createAddressGuard({ allow: ['127.0.0.0/8'] }))
    const shard = await openOne(system)
    const opened: OpenStores[] = []
    const open = (): OpenStores => {
      const stores = engine.openStores(system, { clock })
      opened.push(stores)
      return stores
    }
    const stores = open()
    const problems: string[] = []
    const process = (more: ProcessOptions = {}, own = open()) =>
      openProcess(own, { clock, tools: toolsOf(network, clock), problems }, { ...options, ...more })
    const first = process({}, stores)
    try {
      const place = createPlace({
        stores,
        shard,
        host: system.hostOf(0, 0),
        open,
        clock,
        sink,
        problems,
        process,
        first,
      })
      await place.addChannel('c')
      await place.setProfile('p', {})
      await work(place)
    } finally {
      sink.answerWith({ status: 503 })
      await network.close()
      await sink.close()
      for (const { close } of opened) close()
    }
  })
}

type PlaceParts = Pick<DeliveryPlace, 'stores' | 'host' | 'open' | 'clock' | 'sink' | 'problems' | 'process'> & {
  shard: OpenShard
  first: DeliveryProcess
}

function createPlace({ stores, first, ...parts }: PlaceParts): DeliveryPlace {
  const { clock, sink, shard } = parts
  const { accounts, channels, profiles } = stores
  let pages = 0
  const place: DeliveryPlace = {
    ...{ ...stores, ...parts, stores, run: first.run },
    async addChannel(id, more = {}) {
      const settings = { url: `${sink.url}/${id}`, format: 'json', secret: SECRET }
      await channels.add({ id, owner: 'ann', kind: 'webhook', name: id, settings, createdAt: clock.now(), ...more })
    },
    async setProfile(id, delivery, more = {}) {
      const owner = more.owner ?? 'ann'
      if ((await accounts.findByEmail(owner)) === null)
        await accounts.add(accountDraft(owner, { settings: defaultAccountSettings }))
      const all = { ...deliveryDefaults, channels: ['inbox', 'c'], ...delivery }
      await profiles.put([keyedOf(id, owner, [], { amount: 'change', name: `Profile ${id}`, ...more, delivery: all })])
    },
    async setAccount(settings) {
      const { id, settings: before } = (await accounts.findByEmail('ann'))!
      await accounts.update(id, { settings: { ...before, ...settings } })
    },
    async found(...told) {
      const made: Annotation[] = []
      for (const { profile = 'p', ...each } of told) {
        const { owner, delivery } = (await profiles.find(profile))!
        const where = { path: `/page${++pages}`, profile, owner, channels: pushChannels(delivery), at: clock.now() }
        made.push(...(await tell({ ...place, shard }, [{ title: `Page ${pages}`, urgency: 1, ...where, ...each }])))
      }
      return made
    },
    async pass(ms, stepMs = ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(stepMs, left))
        await first.run()
      }
    },
  }
  return place
}

function openProcess(
  stores: OpenStores,
  { clock, tools, problems }: { clock: ManualClock; tools: AgentTools; problems: string[] },
  { agents = agentsByKind, random = () => 0.5, onFree = () => {}, faulty = (same) => same, ...given }: ProcessOptions,
) {
  const { accounts, annotations, channels, profiles, serverSecrets } = stores
  const onProblem = (message: string, fields: Record<string, unknown>): void =>
    void problems.push(`${message}: ${String(fields.error ?? fields.answer)}`)
  let leased = 0
  const deliveries = faulty({
    ...stores.deliveries,
    async lease(options) {
      const found = await stores.deliveries.lease(options)
      leased += found.length
      return found
    },
  })
  const address = () => 'https://e.example'
  const policies = createPolicies(profiles, accounts)
  const links = createSecretLinks({ secrets: serverSecrets, channels, address })
  const contents = createMessageContents({
    ...{ agents, annotations, policies, links, address, onProblem },
    archive: given.archive ?? {
      text: async ({ version }) => ({ bytes: new TextEncoder().encode(`Text of ${version}`) }),
    },
  })
  const send = createSender({ agents, tools, accounts, maxMs: given.maxMs ?? 60_000 })
  const shared = { deliveries, agents, contents, policies, clock }
  const rounds = createRounds({
    ...{ deliveries, channels, send, clock, random, onProblem, leaseMs: LEASE_MS, onFree },
    next: createNextMessage(shared),
    plan: createPlanner(deliveries, policies, clock),
  })
  return {
    ...rounds,
    ...{ shared, send },
    async run(): Promise<void> {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        leased = 0
        const hasMore = await rounds.work()
        await rounds.dispatcher.idle()
        if (!hasMore && leased === 0) return
      }
      assert.fail('it sends, or leases, without end')
    },
  }
}

/** A message as received by a webhook. `at` is when it was sent. */
export type Received = { id: string; type: string; annotations: number[]; at: number }

/** Messages received on a channel, in order. */
export function receivedOn({ sink }: Pick<DeliveryPlace, 'sink'>, channel = 'c'): Received[] {
  return sink.received
    .filter(({ path }) => path === `/${channel}`)
    .map(({ headers, body }) => {
      const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { id: number }[] }
      assert.equal(headers['webhook-id'], id)
      const at = Number(headers['webhook-timestamp']) * 1000
      return { id, type, annotations: data.map((item) => item.id), at }
    })
}

const isShown = process.env.ERACE_TEST_SHOW === 'deliveries'

/** With `ERACE_TEST_SHOW=deliveries`, prints what arrived when, in UTC and in the given zone. */
export function show(place: Pick<DeliveryPlace, 'sink'>, title: string, zone = 'UTC', channel = 'c'): void {
  if (!isShown) return
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const lines = receivedOn(place, channel).map(
    ({ id, type, annotations, at }) =>
      `  ${new Date(at).toISOString()}  ${local.format(at)} ${zone}  ${id.slice(0, 10)}…  ${type}  ${annotations.join(' ')}`,
  )
  process.stdout.write(`${[title, ...lines].join('\n')}\n`)
}

export const annotationsOn = (place: Pick<DeliveryPlace, 'sink'>, channel = 'c'): number[][] =>
  receivedOn(place, channel).map(({ annotations }) => annotations)

export const idsOf = (annotations: readonly Annotation[]): number[] => annotations.map(({ id }) => id)
