/** Sources as they are fetched: once for all owners. A row is created with the first URD and never removed, to keep what was learnt. */
export type WatchStore = {
  all(): Promise<WatchRow[]>
  /** Those that exist. */
  find(ids: readonly number[]): Promise<WatchRow[]>
  /** The latest time at which a check of any watch began or ended; 0 before the first. */
  newestRound(): Promise<number>
  /** Begins a check of each watch; `visits` are the URDs whose first visit it is. Returns the id of the newest version at this moment. */
  begin(rounds: readonly { watch: number; round: number; visits?: readonly number[] }[]): Promise<number>
  /** Ends checks; `visited` are the URDs whose first visit it was. */
  finish(outcomes: readonly WatchOutcome[]): Promise<void>
  /** Saves the state that the scheduler needs after a restart; opaque here. */
  saveStates(states: readonly { watch: number; state: string }[]): Promise<void>
  /** The last checks of a watch, newest first; a few dozen are kept. */
  checks(watch: number, limit: number): Promise<WatchCheck[]>
}

export type WatchCheck = { at: number; outcome: string; status: number; changed: number; tookMs: number }

export type WatchRow = {
  id: number
  key: string
  uri: string
  /** Where the source redirects to; empty if it doesn't. */
  landed: string
  /** When the last check began; later than `checkedAt` while it is in progress. */
  round: number
  /** The newest version in the store when the last check began. */
  mark: number
  /** The same for the last check that was completed. */
  finishedMark: number
  checkedAt: number
  outcome: string
  status: number
  /** Since when the outcome has been failing, or not failing; 0 before the first check. */
  since: number
  /** When a check last found something new; 0 for never. */
  changedAt: number
  state: string
  /** URDs whose first visit is the check in progress, so that they are recorded at its end even after a restart. */
  visits: readonly number[]
}

export type WatchOutcome = {
  watch: number
  checkedAt: number
  outcome: string
  status: number
  /** Number of new versions it found. */
  changes: number
  landed: string | null
  visited: readonly number[]
  /** Nothing was requested: new owners were shown stored versions. It isn't listed among the checks. */
  isVisit?: boolean
}
