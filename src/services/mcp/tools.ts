import type { Clock } from '../../core/clock.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import type { InboxService } from '../inbox/inbox-service.ts'
import type { PrivateAddress } from '../profiles/private-address.ts'
import type { ProfileService } from '../profiles/profile-service.ts'
import type { SourceService } from '../sources/source-service.ts'
import type { Tool } from './tool.ts'
import { createChangesTool } from './tools/changes-since.ts'
import { createInboxTool, createMarkTool } from './tools/inbox.ts'
import { createReadTool } from './tools/read-version.ts'
import { createSearchTool } from './tools/search.ts'
import { createSourcesTool } from './tools/sources.ts'
import { createWatchTool } from './tools/watch.ts'

/** The services behind the API; each of them takes the owner it acts for. */
export type ToolDeps = {
  archive: ArchiveReader
  inbox: InboxService
  profiles: ProfileService
  sources: SourceService
  privateAddress: PrivateAddress
  clock: Clock
}

/** In the order that clients list them. */
export function createTools(deps: ToolDeps): Tool[] {
  return [
    createSearchTool(deps),
    createReadTool(deps),
    createChangesTool(deps),
    createWatchTool(deps),
    createInboxTool(deps),
    createMarkTool(deps),
    createSourcesTool(deps),
  ]
}
