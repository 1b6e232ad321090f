import type { GcHooks, GcRequest, Place } from '../../cli/engine.ts'
import type { CollectingPlace, PlaceStores, Purpose } from './target.ts'

/** The only place where commands choose their engine. What is not used is not loaded. */
export async function openStores(place: Place, purpose: Purpose = 'look'): Promise<PlaceStores> {
  return place.store === null
    ? (await import('./sqlite-target.ts')).openFolderPlace(place, purpose)
    : (await import('./postgres-target.ts')).openClusterPlace(place.store)
}

/** Gives the stores back whatever comes of the work. */
export async function withStores<T>(
  place: Place,
  purpose: Purpose,
  work: (stores: PlaceStores) => Promise<T>,
): Promise<T> {
  const stores = await openStores(place, purpose)
  try {
    return await work(stores)
  } finally {
    await stores.close()
  }
}

export async function openCollecting(request: GcRequest, hooks: GcHooks): Promise<CollectingPlace> {
  return request.store === null
    ? (await import('./sqlite-collecting.ts')).openFolderCollecting(request, hooks)
    : (await import('./postgres-collecting.ts')).openClusterCollecting(request.store, request, hooks)
}
