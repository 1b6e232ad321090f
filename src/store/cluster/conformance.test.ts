import { frontierSuite } from '../conformance/frontier-suite.testkit.ts'
import { frontierWatchSuite } from '../conformance/frontier-watch-suite.testkit.ts'
import { leasesSuite } from '../conformance/leases-suite.testkit.ts'
import { runsSuite } from '../conformance/runs-suite.testkit.ts'
import { usePostgres } from './postgres.testkit.ts'
import { clusterEngine } from './store.testkit.ts'

usePostgres()

frontierSuite(clusterEngine)
frontierWatchSuite(clusterEngine)
leasesSuite(clusterEngine)
runsSuite(clusterEngine)
