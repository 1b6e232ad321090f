import { type ClusterFetcherDeps, createClusterFetcher } from '../fetchers/cluster/cluster-fetcher.ts'
import type { Fetcher } from '../fetchers/fetcher.ts'
import { createLocalFetcher, type LocalFetcherDeps } from '../fetchers/local/local-fetcher.ts'
import { createFetcherRouter } from '../fetchers/router.ts'
import { protocolAbilities } from './protocols.ts'

/** URI schemes that can be watched. */
export const watchableSchemes = (): string[] => [...protocolAbilities.keys()]

/** On a data folder, in this process. */
export const createLocalFetchers = (deps: LocalFetcherDeps): Fetcher =>
  createFetcherRouter([{ ...createLocalFetcher(deps), schemes: watchableSchemes() }])

/** On a shared store, for the leader of the scheduler. */
export const createClusterFetchers = (deps: ClusterFetcherDeps): Fetcher =>
  createFetcherRouter([{ ...createClusterFetcher(deps), schemes: watchableSchemes() }])
