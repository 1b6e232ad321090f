import type { LastCollection } from './gc-report.ts'

/** Summary of a data folder. */
export type StatusReport = {
  watching: { profiles: number; sources: number; tasks: number; annotations: number }
  /** The most recently checked ones. */
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
  /** Delivery channels of all users. `waiting`: annotations not sent yet. */
  channels: { channels: number; failing: number; waiting: number }
}

/** Everything but the tasks and the channels, which are read separately. */
export type StoreStatus = Omit<StatusReport, 'setAside' | 'channels'>
