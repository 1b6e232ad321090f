import type { MessagePort } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import type { Wanted } from '../../crawl/parts/answer.ts'
import type { ModuleHost } from '../../crawl/parts/module-host.ts'

/** Connects a shard's thread to the modules of its process. */
export type ShardModules = { port: MessagePort; wanted: readonly Wanted[]; spool: string }

/** The modules of a process, in their threads. */
export type Modules = Pick<ModuleHost, 'stop' | 'forget' | 'failed' | 'reports'> & {
  /** Connects one more shard; the port must be transferred to its thread. */
  connect(): ShardModules
  end(): Promise<void>
}

export const filesOf = (list: readonly string[]): string[] => list.filter((item) => item !== 'archive')

/** Whether the settings name any module or storage. */
export const hasModules = ({ parts }: Config): boolean => parts.modules.length + filesOf(parts.storage).length > 0

/** The result of a crawl, with the reports of its modules. A finished crawl leaves nothing in the journal for the next one. */
export async function withModuleReports(modules: Modules, crawling: Promise<CrawlResult>): Promise<CrawlResult> {
  const result = await crawling
  const reports = await modules.stop(result.interrupted ? 'at-once' : 'drain')
  if (result.finished) await modules.forget()
  return { ...result, details: { ...result.details, modules: reports } }
}
