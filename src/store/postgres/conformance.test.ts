import { accountsSuite } from '../conformance/accounts-suite.testkit.ts'
import { annotationsSuite } from '../conformance/annotations-suite.testkit.ts'
import { collectionSuite } from '../conformance/collection-suite.testkit.ts'
import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import { frontierSuite } from '../conformance/frontier-suite.testkit.ts'
import { frontierWatchSuite } from '../conformance/frontier-watch-suite.testkit.ts'
import { inboxMarksSuite } from '../conformance/inbox-marks-suite.testkit.ts'
import { inboxSuite } from '../conformance/inbox-suite.testkit.ts'
import { leasesSuite } from '../conformance/leases-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { profilesSuite } from '../conformance/profiles-suite.testkit.ts'
import { runsSuite } from '../conformance/runs-suite.testkit.ts'
import { searchSuite } from '../conformance/search-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { clusterPeopleEngine } from './accounts/people-engines.testkit.ts'
import { clusterCollectionEngine, clusterSearch } from './archive/archive-engines.testkit.ts'
import { usePostgres } from './testkit/postgres.testkit.ts'
import { clusterEngine } from './testkit/store.testkit.ts'

usePostgres()

frontierSuite(clusterEngine)
frontierWatchSuite(clusterEngine)
leasesSuite(clusterEngine)
runsSuite(clusterEngine)
documentsSuite(clusterEngine)
versionsSuite(clusterEngine)
objectsSuite(clusterEngine)
collectionSuite(clusterCollectionEngine)
searchSuite(clusterSearch)
profilesSuite(clusterPeopleEngine)
annotationsSuite(clusterPeopleEngine)
accountsSuite(clusterPeopleEngine)
inboxSuite(clusterPeopleEngine)
inboxMarksSuite(clusterPeopleEngine)
