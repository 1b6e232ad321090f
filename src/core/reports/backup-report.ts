/**
 * Progress of a backup or a restore. `snapshot`: the databases are copied; `copy`: everything is written to the backup file or read from
 * it.
 */
export type CopyProgress = { phase: 'snapshot' | 'copy'; bytes: number; totalBytes: number }

export type BackupReport = {
  file: string
  /** Files of the data folder in the backup. */
  entries: number
  /** Their size before compression. */
  bytes: number
  /** Size of the backup itself. */
  fileBytes: number
  documents: number
  versions: number
  seconds: number
  /** Archive files that are missing or too short in the data folder: the backup contains what was there. */
  incomplete: string[]
  /** Whether it is encrypted, because it contains documents read with credentials. */
  sealed: boolean
  /** The key needed to read a sealed backup, as a file or the name of a setting: keep it apart from the backups. */
  keepElsewhere: string | null
}

export type RestoreReport = {
  folder: string
  entries: number
  bytes: number
  documents: number
  versions: number
  /** When the backup was made, ISO 8601 UTC. */
  madeAt: string
  seconds: number
  /** Whether the backup was encrypted. */
  sealed: boolean
}
