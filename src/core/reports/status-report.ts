import type { LastCollection } from './gc-report.ts'

/** What a data folder holds, at a glance. */
export type StatusReport = {
  watching: { profiles: number; sources: number; tasks: number; annotations: number }
  /** Those that were checked last. */
  sources: { uri: string; outcome: string; status: number; checkedAt: string | null }[]
  frontier: { queued: number; seen: number; hosts: number; hostsResting: number; hostsGivenUp: number }
  documents: { documents: number; versions: number; bodies: number }
  disk: { archiveFiles: number; archiveBytes: number; databaseBytes: number; freeBytes: number | null }
  /** Times are ISO 8601 UTC. */
  lastRun: { id: number; startedAt: string; finishedAt: string | null } | null
  lastCollection: LastCollection | null
  lastOutcomes: { url: string; outcome: string; at: string }[]
  /** Versions that could not be processed, the latest first. */
  setAside: { count: number; latest: { url: string; reason: string; at: string }[] }
  /** Delivery channels of all users. `waiting` are annotations that have not left. */
  channels: { channels: number; failing: number; waiting: number }
}

/** All but the tasks and the channels, which are read on their own. */
export type StoreStatus = Omit<StatusReport, 'setAside' | 'channels'>
