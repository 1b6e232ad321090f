import { createOutlet, type Outlet } from '../../crawl/parts/outlet.ts'
import { createSpool } from '../../crawl/parts/rewindable-body.ts'
import type { ShardModules } from './module-use.ts'

/** The outlet of a shard's thread to the modules of its process; null if there are none. */
export function openOutlet(modules: ShardModules | null, shard: number): Outlet | null {
  if (modules === null) return null
  const { port, wanted, spool } = modules
  return createOutlet({ port, wanted, spool: createSpool(spool, shard) })
}
