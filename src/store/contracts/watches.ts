/** Sources as they are fetched: once for all owners. A row is made with the first URD and stays, with what was learnt. */
export type WatchStore = {
  all(): Promise<WatchRow[]>
  /** Those that are there. */
  find(ids: readonly number[]): Promise<WatchRow[]>
  /** The latest time that a check of any watch began or ended; 0 before the first. */
  newestRound(): Promise<number>
  /** A check of each begins; `visits` are the URDs whose first visit it is. Returns the number of the newest version at this moment. */
  begin(rounds: readonly { watch: number; round: number; visits?: readonly number[] }[]): Promise<number>
  /** A check is over; `visited` are the URDs whose first visit it was. */
  finish(outcomes: readonly WatchOutcome[]): Promise<void>
  /** What the scheduler wants to know after a restart, opaque here. */
  saveStates(states: readonly { watch: number; state: string }[]): Promise<void>
  /** The last checks of a watch, the newest first; some dozens are kept. */
  checks(watch: number, limit: number): Promise<WatchCheck[]>
}

export type WatchCheck = { at: number; outcome: string; status: number; changed: number; tookMs: number }

export type WatchRow = {
  id: number
  key: string
  uri: string
  /** Where the source redirects to; empty where it does not. */
  landed: string
  /** When the last check began; later than `checkedAt` while it is under way. */
  round: number
  /** The newest version of all when the last check began. */
  mark: number
  /** The same of the last check that came to its end. */
  finishedMark: number
  checkedAt: number
  outcome: string
  status: number
  /** Since when the outcome is of this sort: failing, or not. 0 before the first check. */
  since: number
  /** When a check last found something new; 0 for never. */
  changedAt: number
  state: string
  /** URDs whose first visit the check under way is: whoever continues it after a restart notes them when it is over. */
  visits: readonly number[]
}

export type WatchOutcome = {
  watch: number
  checkedAt: number
  outcome: string
  status: number
  /** Versions that are new by it. */
  changes: number
  landed: string | null
  visited: readonly number[]
  /** Nothing was asked for: new owners were shown what is kept. It isn't listed among the checks. */
  isVisit?: boolean
}
