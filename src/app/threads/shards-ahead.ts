import { type StartedShard, startShardThread } from './shard-threads.ts'
import type { ShardData } from './sqlite-shard-thread.ts'

/** Half of what other threads have: 10 to 40 MB less, for 1 to 2 % more of the thread's time (decision 042). */
const YOUNG_GENERATION_MB = 16

/** Starts the thread of a shard on the embedded store. */
export function startSqliteShard(): StartedShard<ShardData> {
  const entry = new URL('./sqlite-shard-thread.ts', import.meta.url)
  return startShardThread(entry, { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB })
}

/** Threads of shards that are started before it is known how many shards the data folder has. */
export type ShardsAhead = {
  /** Null if all are taken. */
  take(): StartedShard<ShardData> | null
  /** Ends those that weren't taken. Not waited for: until its modules are loaded, a thread can't be ended. */
  endRest(): void
}

export function startShardsAhead(shards: number): ShardsAhead {
  const started = Array.from({ length: shards }, startSqliteShard)
  return {
    take: () => started.shift() ?? null,
    endRest() {
      for (const shard of started.splice(0)) void shard.end()
    },
  }
}
