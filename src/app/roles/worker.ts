import { once } from 'node:events'
import type { Target, WorkerHooks } from '../../cli/engine.ts'
import { startWorkerNode } from '../../cluster/node.ts'
import type { Config } from '../../config/config.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { omitRulesOf } from '../../config/source-rules.ts'
import { AppError } from '../../core/errors.ts'

/** `erace worker`: crawls and annotates for a cluster, until somebody ends it. Any number may run, on any number of machines. */
export async function worker({ dataDir, store, config }: Target, hooks: WorkerHooks): Promise<void> {
  if (store === null) throw new AppError('config-invalid', 'worker needs the address of the shared store')
  const { signal, log } = hooks
  const node = await startWorkerNode({ address: store, own: ownSettings(dataDir, config), role: 'worker', log, signal })
  if (node === null) return
  const { id, name } = node
  try {
    node.workerPool.start()
    hooks.onJoined({ id, name })
    log.info({ node: id, name, store: node.stores.pool.address }, 'working')
    if (!signal.aborted) await Promise.race([once(signal, 'abort'), node.failed])
  } finally {
    await node.end()
  }
  log.info({ node: id }, 'left')
}

/** While there is no crawl, a worker visits what is watched. */
function ownSettings(folder: string, config: Config): CrawlSettings {
  const files = { mimeTypes: null, ignoreTypes: null, blockList: null, hostRules: null }
  const omit = omitRulesOf(config.sources)
  return { folder, config, seeds: [], depth: null, restrict: null, maxPages: null, omit, files }
}
