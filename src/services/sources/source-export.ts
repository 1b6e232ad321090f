import type { ProfileStore } from '../../store/contracts/profiles.ts'
import { writeProfiles } from '../../xml/profile/profile.ts'
import { inChunks } from '../../xml/xml-writing.ts'
import { eachProfile } from '../profiles/profile-import.ts'
import { writeOpml } from './opml.ts'
import type { OwnedSource } from './owner-sources.ts'

export type SourceExportFormat = 'opml' | 'list' | 'xml'

/** All sources of an owner as a file: addresses, OPML, or whole profiles. */
export function exportSources(
  { profiles, sources }: { profiles: ProfileStore; sources: readonly OwnedSource[] },
  owner: string,
  format: SourceExportFormat,
): AsyncGenerator<string, void, undefined> {
  // In the order they were added.
  const inOrder = sources.toReversed()
  if (format === 'xml') return inChunks(writeProfiles(eachProfile(profiles, owner)))
  if (format === 'list') return inChunks(writeList(inOrder))
  return inChunks(writeOpml(inOrder.map(({ uri, profile }) => ({ url: uri, name: profile.name }))))
}

async function* writeList(sources: readonly OwnedSource[]): AsyncGenerator<string, void, undefined> {
  for (const { uri } of sources) yield `${uri}\n`
}
