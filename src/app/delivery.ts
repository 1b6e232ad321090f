import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import type { Retries } from '../core/work/retries.ts'
import { createAgentTools } from '../delivery/agent-tools.ts'
import { agreePushKeys } from '../delivery/push-keys.ts'
import { agentsByKind } from '../delivery/registry.ts'
import type { ArchiveReader } from '../services/archive/archive-reader.ts'
import { createDeliveryWatch, type DeliveryWatch } from '../services/channels/delivery-watch.ts'
import type { ChannelSending } from '../services/channels/sending.ts'
import { createMessageContents, createTestMessages } from '../services/delivery/content.ts'
import { type Delivery, startDelivery } from '../services/delivery/delivery.ts'
import { createNextMessage } from '../services/delivery/next-message.ts'
import { createPlanner } from '../services/delivery/planner.ts'
import { createPolicies } from '../services/delivery/policies.ts'
import { createPreviews } from '../services/delivery/preview.ts'
import { createSecretLinks } from '../services/delivery/secret-links.ts'
import { createSender, type Sender } from '../services/delivery/sender.ts'
import { createTestSender } from '../services/delivery/test-sender.ts'
import type { StoreSet } from '../store/contracts/store-set.ts'

export type DeliveryParts = {
  config: Config
  stores: Pick<StoreSet, 'accounts' | 'annotations' | 'channels' | 'deliveries' | 'profiles' | 'serverSecrets'>
  archive: Pick<ArchiveReader, 'text'>
  clock: Clock
  log: Logger
  /** Public address of the server; '' if unknown. */
  address(): string
}

/** Everything that sends messages in one process. */
export type OpenDelivery = {
  sending: ChannelSending
  watch: DeliveryWatch
  /** Begins to send waiting messages. */
  start(retries: Retries): void
  /** Called when there may be something new. */
  wake(): void
  end(): Promise<void>
}

export async function openDelivery({
  config,
  stores,
  archive,
  clock,
  log,
  address,
}: DeliveryParts): Promise<OpenDelivery> {
  const { accounts, annotations, channels, profiles, serverSecrets } = stores
  const onProblem = (message: string, fields: Record<string, unknown>) => log.warn(fields, message)
  const watch = createDeliveryWatch(stores.deliveries)
  const { deliveries } = watch
  const { send, close } = await openSender({ config, stores, clock })
  const policies = createPolicies(profiles, accounts)
  const links = createSecretLinks({ secrets: serverSecrets, channels, address })
  const contents = createMessageContents({
    agents: agentsByKind,
    annotations,
    policies,
    archive,
    links,
    address,
    onProblem,
  })
  const shared = { deliveries, agents: agentsByKind, contents, policies, clock }
  let delivery: Delivery | null = null
  return {
    watch,
    sending: {
      tests: createTestSender({ send, contents, channels, deliveries, clock }),
      previews: createPreviews(shared),
    },
    start(retries) {
      delivery = startDelivery({
        ...{ deliveries, channels, send, clock, retries, onProblem, random: Math.random },
        leaseMs: config.cluster.leaseMs,
        next: createNextMessage(shared),
        plan: createPlanner(deliveries, policies, clock),
      })
    },
    wake: () => delivery?.wake(),
    async end() {
      await delivery?.end()
      await close()
    },
  }
}

type SenderParts = { config: Config; stores: Pick<StoreSet, 'accounts' | 'serverSecrets'>; clock: Clock }

async function openSender({ config, stores, clock }: SenderParts): Promise<{ send: Sender; close(): Promise<void> }> {
  const { tools, close } = createAgentTools({
    guard: createAddressGuard({ allow: [...config.network.allow, ...config.delivery.allow] }),
    ...{ mail: config.mail, commands: config.delivery.commands, url: config.server.url, clock },
    pushKeys: await agreePushKeys(stores.serverSecrets),
  })
  return { send: createSender({ agents: agentsByKind, tools, accounts: stores.accounts }), close }
}

/** Sends only test messages, for a process that isn't the server. */
export async function openTests({
  config,
  stores,
  clock,
}: Pick<DeliveryParts, 'config' | 'stores' | 'clock'>): Promise<{
  tests: ChannelSending['tests']
  close(): Promise<void>
}> {
  const { channels, deliveries, serverSecrets } = stores
  const { send, close } = await openSender({ config, stores, clock })
  const { url, host, port } = config.server
  const address = () => url || `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
  const test = createTestMessages({ links: createSecretLinks({ secrets: serverSecrets, channels, address }), address })
  return { tests: createTestSender({ send, contents: { test }, channels, deliveries, clock }), close }
}
