/** How far bodies were moved: partitions that were gone through, records and bytes that were moved on the way. */
export type MoveProgress = { partition: number; partitions: number; records: number; bytes: number; left: number }

export type MoveReport = {
  to: 'postgres' | 'folder' | 's3'
  records: number
  bytes: number
  /** Records that can't be read and stay where they are. */
  left: number
  interrupted: boolean
}
