/** How far a backup or a restore is. `snapshot`: the databases are copied; `copy`: everything goes into the file or comes out of it. */
export type CopyProgress = { phase: 'snapshot' | 'copy'; bytes: number; totalBytes: number }

export type BackupReport = {
  file: string
  /** Files of the data folder that are in the backup. */
  entries: number
  /** Their bytes, before compression. */
  bytes: number
  /** Size of the backup itself. */
  fileBytes: number
  documents: number
  versions: number
  seconds: number
  /** Archive files that are missing or too short in the data folder: the backup has of them what there is. */
  incomplete: string[]
  /** Whether it is encrypted, since it holds what was read with credentials. */
  sealed: boolean
  /** The key that a sealed backup can't be read without, as a file or the name of a setting: keep it apart from the backups. */
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
