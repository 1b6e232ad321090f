import type { WatchService } from '../watching/watch-service.ts'
import type { SourceService } from './source-service.ts'
import type { SourceState } from './source-state.ts'

export type SourceEventsDeps = {
  checks: Pick<WatchService, 'onCheck' | 'urdsOf'>
  sources: Pick<SourceService, 'noteCheck' | 'stateOf'>
  /** Whether anyone listens. */
  isHeard(owner: string): boolean
  onState(owner: string, source: { id: number; state: SourceState }): void
  onProblem(message: string, fields: Record<string, unknown>): void
}

/** Notifies the owners of a source when a check of it starts and ends. */
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
    // In a later turn, so that a failure here neither fails nor delays the check.
    setImmediate(() =>
      tell(watch).catch((error) => onProblem('a check could not be announced', { watch, error: String(error) })),
    )
  })
}
