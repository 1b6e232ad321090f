import type { Engine, McpHooks, Target } from '../../cli/engine.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { namedOwner } from '../../services/accounts/named-owner.ts'
import type { ArchiveService } from '../../services/archive/archive-service.ts'
import { createEventHub } from '../../services/events/event-hub.ts'
import { createInboxService, createProfileNames } from '../../services/inbox/inbox-service.ts'
import { createMcpServers } from '../../services/mcp/mcp-server.ts'
import { checkRemote, createRemoteServer } from '../../services/mcp/remote-service.ts'
import { serveOverStdio } from '../../services/mcp/stdio.ts'
import type { ToolDeps } from '../../services/mcp/tools.ts'
import { createPrivateAddress } from '../../services/profiles/private-address.ts'
import { createSourcePages } from '../../services/sources/source-pages.ts'
import { createSourceService } from '../../services/sources/source-service.ts'
import { createSourceUnread } from '../../services/sources/source-unread.ts'
import { openStores } from '../engines/open-engine.ts'
import type { TargetStores } from '../engines/target.ts'
import { protocolAbilities } from '../protocols.ts'
import { startArchive } from '../server/archive.ts'
import { createChannelParts } from '../server/channel-parts.ts'
import { createAccounts } from '../server/parts.ts'

/** Runs until the client closes the connection. A service may run on the same stores: it notices new profiles by itself. */
export const mcp: Engine['mcp'] = async (from, hooks) => {
  if (from.kind === 'service') {
    await checkRemote(from)
    return serve(() => createRemoteServer(from), hooks)
  }
  const { target, owner: email } = from
  const { dataDir: folder, store: address, config } = target
  const stores = await openStores(target, 'change')
  const archive = startArchive(address === null ? { folder } : { address }, config)
  const onProblem = (message: string, fields: Record<string, unknown>): void => hooks.log.error(fields, message)
  try {
    const { users } = createAccounts({ stores, config, clock: systemClock, onProblem })
    const { email: owner, disabled } = await namedOwner(users, email)
    if (disabled) throw new AppError('forbidden', `the account of ${owner} is disabled`)
    const { serverFor } = createMcpServers({ ...createToolParts(target, stores, archive, systemClock), onProblem })
    await serve(() => serverFor({ owner, mayWrite: true }), hooks)
  } finally {
    await archive.end()
    await stores.close()
  }
}

function createToolParts({ config }: Target, stores: TargetStores, archive: ArchiveService, clock: Clock): ToolDeps {
  const { profiles, watches, inbox, accounts } = stores
  return {
    archive,
    clock,
    inbox: createInboxService({ store: inbox, hub: createEventHub(), clock, names: createProfileNames(profiles) }),
    profiles: createChannelParts({ config, stores, clock }).profiles,
    privateAddress: createPrivateAddress(config.network.allow),
    sources: createSourceService({
      ...{ profiles, watches, clock },
      pages: createSourcePages({ ...stores, keyOf: createKeys(config, stores.seed) }),
      unread: createSourceUnread(inbox, clock),
      // Only the service knows its schedule.
      scheduler: { snapshot: () => undefined },
      schemes: [...protocolAbilities.keys()],
      isAdministrator: async (owner) => (await accounts.findByEmail(owner))?.role === 'administrator',
    }),
  }
}

function serve(factory: Parameters<typeof serveOverStdio>[0], { log, signal, ...streams }: McpHooks): Promise<void> {
  const onError = (error: Error): void => log.debug({ err: error }, 'an MCP message was refused')
  return serveOverStdio(factory, streams, { signal, onError })
}
