import type { GcHooks, GcRequest, Target } from '../../cli/engine.ts'
import type { CollectingTarget, Purpose, TargetStores } from './target.ts'

/** The only place where commands choose their engine. What is not used is not loaded. */
export async function openStores(target: Target, purpose: Purpose = 'look'): Promise<TargetStores> {
  return target.store === null
    ? (await import('./sqlite-target.ts')).openSqliteTarget(target, purpose)
    : (await import('./postgres-target.ts')).openPostgresTarget(target.store)
}

/** Gives the stores back whatever comes of the work. */
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

export async function openCollecting(request: GcRequest, hooks: GcHooks): Promise<CollectingTarget> {
  return request.store === null
    ? (await import('./sqlite-collecting.ts')).openFolderCollecting(request, hooks)
    : (await import('./postgres-collecting.ts')).openPostgresCollecting(request.store, request, hooks)
}
