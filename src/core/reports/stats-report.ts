/** What `erace stats` finds, as plain data. */
export type StatsReport = {
  /** ISO 8601 UTC. */
  at: string
  /** Everything that was ever asked for. */
  documents: number
  /** Documents with a current version. */
  kept: number
  /** Of the current bodies. */
  bytes: number
  hosts: number
  /** How many current versions were read for what only their content tells. */
  sample: { read: number; of: number }
  /** Bodies that equal an earlier one, of all; texts that nearly equal an earlier one, of those read that are long enough. */
  duplicates: { exact: number; near: number; compared: number }
  tables: StatsTable[]
  seconds: number
  /** Ended before everything was counted. */
  interrupted: boolean
}

export type StatsTable = {
  id: string
  title: string
  /** `ranking`: the most frequent first; `distribution`: in the order of the values. */
  kind: 'ranking' | 'distribution'
  /** What is counted, and what is not. */
  note: string
  /** `count` of the values that are no longer named, in a ranking. */
  rows: StatsRow[]
  others: number
  total: number
}

export type StatsRow = { name: string; count: number }

export type StatsProgress = { stage: 'counting' | 'reading'; done: number; total: number | null }
