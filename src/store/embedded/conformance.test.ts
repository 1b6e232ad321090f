import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import { frontierSuite } from '../conformance/frontier-suite.testkit.ts'
import { frontierWatchSuite } from '../conformance/frontier-watch-suite.testkit.ts'
import { leasesSuite } from '../conformance/leases-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { runsSuite } from '../conformance/runs-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { embeddedEngine } from './store.testkit.ts'

frontierSuite(embeddedEngine)
frontierWatchSuite(embeddedEngine)
documentsSuite(embeddedEngine)
objectsSuite(embeddedEngine)
leasesSuite(embeddedEngine)
runsSuite(embeddedEngine)
versionsSuite(embeddedEngine)
