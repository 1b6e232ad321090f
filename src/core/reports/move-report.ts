/** Progress of moving bodies: partitions processed, and records and bytes moved so far. */
export type MoveProgress = { partition: number; partitions: number; records: number; bytes: number; left: number }

export type MoveReport = {
  to: 'postgres' | 'folder' | 's3'
  records: number
  bytes: number
  /** Unreadable records, which stay where they are. */
  left: number
  interrupted: boolean
}
