import type { GcHooks, GcRequest, Place } from './cli/engine.ts'
import type { CollectingPlace, PlaceStores, Purpose } from './main-place.ts'

/** The only place where commands choose their engine. What is not used is not loaded. */
export async function openStores(place: Place, purpose: Purpose = 'look'): Promise<PlaceStores> {
  return place.store === null
    ? (await import('./main-folder-place.ts')).openFolderPlace(place, purpose)
    : (await import('./main-cluster-place.ts')).openClusterPlace(place.store)
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
    ? (await import('./main-folder-collecting.ts')).openFolderCollecting(request, hooks)
    : (await import('./main-cluster-collecting.ts')).openClusterCollecting(request.store, request, hooks)
}
