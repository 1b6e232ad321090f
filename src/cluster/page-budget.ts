import type { ClusterRunStore } from '../store/contracts/cluster-runs.ts'

/**
 * The pages of a limited run that this node has taken. It always says how many they are altogether, so that what is said again changes nothing,
 * and what was taken while the answer got lost goes back.
 */
export type RunPages = {
  /** Resolves to how many there are for it. */
  take(atMost: number): Promise<number>
  /** These are not needed; nobody here may use them any more. Others may when it is `settled`. */
  putBack(pages: number): void
  /** Says what may not have been heard. */
  settle(): Promise<void>
}

export type RunPagesOptions = { runs: Pick<ClusterRunStore, 'takePages' | 'keepPages'>; run: number; node: string }

export function createRunPages({ runs, run, node }: RunPagesOptions): RunPages {
  let taken = 0
  let isHeard = true
  return {
    async take(atMost) {
      isHeard = false
      const pages = await runs.takePages(run, node, { had: taken, atMost })
      isHeard = true
      taken += pages
      return pages
    },
    putBack(pages) {
      if (pages === 0) return
      taken -= pages
      isHeard = false
    },
    async settle() {
      if (isHeard) return
      await runs.keepPages(run, node, taken)
      isHeard = true
    },
  }
}
