import type { Clock } from '../../core/clock.ts'
import type { GraphView } from '../contracts/graph-view.ts'
import type { HostView } from '../contracts/host-view.ts'
import type { KeptCounts } from '../contracts/store-set.ts'
import type { StoreEngine, StoreSystem } from './engine.testkit.ts'

export type Views = { hosts: HostView; graph: GraphView; countKept(): Promise<KeptCounts>; close(): void }

/** An engine with what administrators look at, beside the shards of a system. `portion`: rows in one go, where it goes by portions. */
export type ViewingEngine = StoreEngine & {
  openViews(system: StoreSystem, options: { clock: Clock; portion?: number }): Views
}
