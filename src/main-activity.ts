import { hostname } from 'node:os'
import type { Clock } from './core/clock.ts'
import { AppError, isAppError } from './core/errors.ts'
import { partitionCount } from './core/partition.ts'
import type { Board } from './crawl/board.ts'
import { createMetrics } from './server/metrics.ts'
import { createActivity } from './services/activity/activity.ts'
import type { Figures } from './services/activity/figures.ts'
import { createThisNode } from './services/activity/this-node.ts'
import type { Scheduler } from './services/scheduler/scheduler.ts'
import { createEmbeddedAnnotations } from './store/embedded/annotations.ts'
import type { Database } from './store/embedded/database.ts'
import { readFacts } from './store/embedded/folder.ts'
import { createEmbeddedGraphView } from './store/embedded/graph-view.ts'
import { createEmbeddedHostView } from './store/embedded/host-view.ts'
import { createKeptCounter } from './store/embedded/kept-counts.ts'
import { readDisk } from './store/embedded/status.ts'

export type ActivityNeeds = {
  folder: string
  db: Database
  clock: Clock
  scheduler: Pick<Scheduler, 'stats'>
  /** Figures of the crawl; without a crawl all of them are zero. */
  board: Pick<Board, 'total' | 'isHeld'> | null
  /** Why the rest of the process can't do its work; empty when it can. */
  troubles(): readonly string[]
  publish(figures: Figures): void
  /** Streams of events that are open. */
  streams(): number
}

const noCrawl: Pick<Board, 'total' | 'isHeld'> = { total: () => 0, isHeld: () => false }

/** What is to be seen of the work, on the embedded store. */
export function createActivityParts(needs: ActivityNeeds) {
  const { folder, db, clock, scheduler } = needs
  const startedAtMs = clock.now()
  const activity = createActivity({
    clock,
    board: needs.board ?? noCrawl,
    stats: scheduler.stats,
    store: {
      countTasks: createEmbeddedAnnotations(db).countTasks,
      countKept: createKeptCounter(db),
      readDisk: () => readDisk(folder),
    },
    publish: needs.publish,
  })
  return {
    activity,
    graph: createEmbeddedGraphView(db),
    hosts: createEmbeddedHostView({ folder, db, clock }),
    nodes: createThisNode({
      activity,
      host: hostname(),
      pid: process.pid,
      startedAtMs,
      threads: readFacts(db)?.shards ?? 0,
      partitions: partitionCount,
      rssBytes: () => process.memoryUsage.rss(),
    }),
    metrics: createMetrics({ meters: activity.meters, streams: needs.streams }),
    health: { troubles: async () => [...storeTroubles(db), ...needs.troubles()] },
  }
}

function storeTroubles(db: Database): string[] {
  try {
    if (db.read(() => readFacts(db)) === null) throw new AppError('store-failed', 'it is empty')
    return []
  } catch (error) {
    return [`the store does not answer: ${isAppError(error) ? error.code : 'internal'}`]
  }
}
