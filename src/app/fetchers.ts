import { type ClusterFetcherDeps, createClusterFetcher } from '../fetchers/cluster/cluster-fetcher.ts'
import type { Fetcher } from '../fetchers/fetcher.ts'
import { createLocalFetcher, type LocalFetcherDeps, webSchemes } from '../fetchers/local/local-fetcher.ts'
import { createFetcherRouter } from '../fetchers/router.ts'
import { type ProtocolAbilities, webAbilities } from '../services/profiles/protocols.ts'

type RegisteredFetcher = {
  schemes: readonly string[]
  /** On a data folder, in this process. */
  local(deps: LocalFetcherDeps): Fetcher
  /** On a shared store, for the leader of the scheduler. */
  cluster(deps: ClusterFetcherDeps): Fetcher
}

/** All fetchers of this version. */
const registered: readonly RegisteredFetcher[] = [
  { schemes: webSchemes, local: createLocalFetcher, cluster: createClusterFetcher },
]

/** What can be watched, by URI scheme. */
export const protocolAbilities: ProtocolAbilities = webAbilities

/** URI schemes that can be watched. */
export const watchableSchemes: readonly string[] = [...protocolAbilities.keys()]

export const createLocalFetchers = (deps: LocalFetcherDeps): Fetcher =>
  createFetcherRouter(registered.map(({ local }) => local(deps)))

export const createClusterFetchers = (deps: ClusterFetcherDeps): Fetcher =>
  createFetcherRouter(registered.map(({ cluster }) => cluster(deps)))
