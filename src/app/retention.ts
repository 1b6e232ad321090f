import type { Logger } from 'pino'
import type { Target } from '../cli/engine.ts'
import type { Clock } from '../core/clock.ts'
import { type Retention, startRetention } from '../services/retention/retention.ts'
import type { StoreSet } from '../store/contracts/store-set.ts'
import { collectInThread } from './threads/collector.ts'

/** Runs the retention of a data folder or a shared store in this process. */
export function holdRetention(
  target: Target,
  { collectionRuns }: Pick<StoreSet, 'collectionRuns'>,
  clock: Clock,
  log: Logger,
): Retention {
  return startRetention({
    ...{ clock, runs: collectionRuns, everyMs: target.config.archive.collectEveryMs },
    collect: (signal) => collectInThread(target, log, signal),
    onProblem: (message, fields) => log.warn(fields, message),
  })
}
