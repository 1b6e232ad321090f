import type { ClusterRunStore } from '../store/contracts/cluster-runs.ts'

/**
 * The pages of a limited run that this node has taken. It always reports their total, so a repeated report changes nothing, and pages
 * whose answer got lost go back to the run.
 */
export type RunPages = {
  /** Resolves to how many it got. */
  take(atMost: number): Promise<number>
  /** Returns unused pages: this node may not fetch them any more, others may once it is confirmed. */
  putBack(pages: number): void
  /** Reports the total again if the run may not know it. */
  confirm(): Promise<void>
}

export type RunPagesDeps = { runs: Pick<ClusterRunStore, 'takePages' | 'keepPages'>; run: number; node: string }

export function createRunPages({ runs, run, node }: RunPagesDeps): RunPages {
  let taken = 0
  let isConfirmed = true
  return {
    async take(atMost) {
      isConfirmed = false
      const pages = await runs.takePages(run, node, { had: taken, atMost })
      isConfirmed = true
      taken += pages
      return pages
    },
    putBack(pages) {
      if (pages === 0) return
      taken -= pages
      isConfirmed = false
    },
    async confirm() {
      if (isConfirmed) return
      await runs.keepPages(run, node, taken)
      isConfirmed = true
    },
  }
}
