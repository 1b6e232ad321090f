import type { WatchService } from '../watching/watch-service.ts'
import type { SourceService } from './source-service.ts'
import type { SourceState } from './source-state.ts'

export type SourceEventsDeps = {
  checks: Pick<WatchService, 'onCheck' | 'urdsOf'>
  sources: Pick<SourceService, 'noteCheck' | 'stateOf'>
  /** Whether anybody would hear of it. */
  isHeard(owner: string): boolean
  onState(owner: string, source: { id: number; state: SourceState }): void
  onProblem(message: string, fields: Record<string, unknown>): void
}

/** Tells the owners of a source when a check of it begins and when it ends. */
export function followChecks({ checks, sources, isHeard, onState, onProblem }: SourceEventsDeps): void {
  async function tell(watch: number): Promise<void> {
    for (const { id, owner } of checks.urdsOf(watch)) {
      if (!isHeard(owner)) continue
      const state = await sources.stateOf(owner, id)
      if (state !== null) onState(owner, { id, state })
    }
  }

  checks.onCheck((watch) => {
    sources.noteCheck(watch)
    // Not in the turn of whoever checks: of that nothing may fail here, and nothing may wait.
    setImmediate(() =>
      tell(watch).catch((error) => onProblem('a check could not be announced', { watch, error: String(error) })),
    )
  })
}
