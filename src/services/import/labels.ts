import type { ImportKind } from '../../store/contracts/import.ts'

/** What people call them. */
export const kindLabels: Record<ImportKind, string> = {
  runs: 'runs',
  accounts: 'accounts',
  sessions: 'sessions',
  tokens: 'tokens',
  failures: 'failed sign-ins',
  watches: 'watches',
  profiles: 'profiles',
  urds: 'sources of profiles',
  checks: 'checks of watches',
  hosts: 'hosts',
  seen: 'links seen',
  queue: 'requests queued',
  robots: 'robots.txt',
  documents: 'documents',
  links: 'lists of links',
  versions: 'versions',
  bodies: 'known bodies',
  tasks: 'annotation tasks',
  holds: 'holds',
  annotations: 'annotations',
  also_at: 'further places of stories',
  stories: 'stories',
}
