import type { Target } from '../engine.ts'

/** How people are told where something is: the data folder, or the shared store without user and password. */
export function placeName({ dataDir, store }: Pick<Target, 'dataDir' | 'store'>): string {
  if (store === null) return dataDir
  const url = URL.parse(store)
  return url === null ? 'the shared store' : `${url.protocol}//${url.host}${url.pathname}`
}
