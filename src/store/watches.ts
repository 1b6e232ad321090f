/** Sources as they are fetched: once for all owners. Rows come and go with the URDs of the profile base. */
export type WatchStore = {
  all(): Promise<WatchRow[]>
  /** A check of each begins. */
  begin(rounds: readonly { watch: number; round: number }[]): Promise<void>
  /** A check is over; `visited` are the URDs whose first visit it was. */
  finish(outcomes: readonly WatchOutcome[]): Promise<void>
  /** What the scheduler wants to know after a restart, opaque here. */
  saveStates(states: readonly { watch: number; state: string }[]): Promise<void>
}

export type WatchRow = {
  id: number
  key: string
  uri: string
  /** Where the source redirects to; empty where it does not. */
  landed: string
  /** When the last check began; later than `checkedAt` while it is under way. */
  round: number
  /** When the last check began that came to its end. */
  finishedRound: number
  checkedAt: number
  outcome: string
  status: number
  state: string
}

export type WatchOutcome = {
  watch: number
  round: number
  checkedAt: number
  outcome: string
  status: number
  landed: string | null
  visited: readonly number[]
}
