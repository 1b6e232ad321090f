/** Result of `erace stats`, as plain data. */
export type StatsReport = {
  /** ISO 8601 UTC. */
  at: string
  /** All documents ever requested. */
  documents: number
  /** Documents with a current version. */
  kept: number
  /** Total size of the current bodies. */
  bytes: number
  hosts: number
  /** Number of current versions whose content was read, for figures that need it. */
  sample: { read: number; of: number }
  /** `exact`: bodies equal to an earlier one, of all; `near`: texts nearly equal to an earlier one, of the `compared` ones long enough. */
  duplicates: { exact: number; near: number; compared: number }
  tables: StatsTable[]
  seconds: number
  /** Stopped before everything was counted. */
  interrupted: boolean
}

export type StatsTable = {
  id: string
  title: string
  /** `ranking`: the most frequent first; `distribution`: in the order of the values. */
  kind: 'ranking' | 'distribution'
  /** What is counted, and what is not. */
  note: string
  rows: StatsRow[]
  /** In a ranking: total `count` of the values not listed. */
  others: number
  total: number
}

export type StatsRow = { name: string; count: number }

export type StatsProgress = { stage: 'counting' | 'reading'; done: number; total: number | null }
