import type { CollectingTarget } from '../../archive/gc/collection-run.ts'
import type { GcHooks, GcRequest, Target } from '../../cli/engine.ts'
import type { Purpose, TargetStores } from './target.ts'

/** Commands choose their engine here and nowhere else. The other engine isn't loaded. */
export async function openStores(target: Target, purpose: Purpose = 'read'): Promise<TargetStores> {
  return target.store === null
    ? (await import('./sqlite-target.ts')).openSqliteTarget(target, purpose)
    : (await import('./postgres-target.ts')).openPostgresTarget(target.store, target.config)
}

/** Closes the stores when the work is done or has failed. */
export async function withStores<T>(
  target: Target,
  purpose: Purpose,
  work: (stores: TargetStores) => Promise<T>,
): Promise<T> {
  const stores = await openStores(target, purpose)
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

/** `waitMs`: how long to wait for other processes that hold the files. */
export async function openCollecting(
  request: GcRequest,
  hooks: GcHooks,
  patience?: { waitMs: number },
): Promise<CollectingTarget> {
  return request.store === null
    ? (await import('./sqlite-target.ts')).openFolderCollecting(request, hooks, patience)
    : (await import('./postgres-target.ts')).openPostgresCollecting(request.store, request, hooks)
}
