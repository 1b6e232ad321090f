import { collectGarbage } from '../../archive/gc/collector.ts'
import { createPools } from '../../archive/gc/verdict.ts'
import type { GcHooks, GcRequest } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import type { GcFiles, GcReport } from '../../core/reports/gc-report.ts'
import { openCollecting } from '../engines/open-engine.ts'

const noFiles: GcFiles = { rewritten: 0, removed: 0, freedBytes: 0, leftAlone: [] }

/** `erace gc`, beside whoever crawls there or without anybody. */
export async function gc(request: GcRequest, hooks: GcHooks): Promise<GcReport> {
  const { dryRun, config } = request
  const startedAt = systemClock.monotonic()
  const target = await openCollecting(request, hooks)
  try {
    const collected = await collectGarbage({
      store: target.collection,
      pools: createPools(config.retention, config.sources),
      now: target.now(),
      dryRun,
      signal: hooks.signal,
      onProgress: hooks.onProgress,
      onItem: hooks.onItem,
      onRemoved: target.forget,
    })
    const files = dryRun || hooks.signal.aborted ? undefined : await target.rewriteFiles?.()
    return {
      dryRun,
      ...collected,
      overflow: [...collected.overflow],
      files: files ?? noFiles,
      seconds: Math.round(systemClock.monotonic() - startedAt) / 1000,
      finished: collected.finished && !hooks.signal.aborted,
    }
  } finally {
    await target.close()
  }
}
