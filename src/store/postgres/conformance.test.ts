import { accountsSuite } from '../conformance/accounts/accounts-suite.testkit.ts'
import { sessionsSuite, tokensSuite } from '../conformance/accounts/credentials-suite.testkit.ts'
import { setupSuite, signInFailuresSuite } from '../conformance/accounts/sign-in-suite.testkit.ts'
import { annotationsSuite } from '../conformance/annotations-suite.testkit.ts'
import { collectionSuite } from '../conformance/collection-suite.testkit.ts'
import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import { frontierSuite } from '../conformance/frontier-suite.testkit.ts'
import { frontierWatchSuite } from '../conformance/frontier-watch-suite.testkit.ts'
import { graphViewSuite } from '../conformance/graph-view-suite.testkit.ts'
import { hostViewSuite } from '../conformance/host-view-suite.testkit.ts'
import { inboxMarksSuite } from '../conformance/inbox-marks-suite.testkit.ts'
import { inboxSuite } from '../conformance/inbox-suite.testkit.ts'
import { leasesSuite } from '../conformance/leases-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { outboxSuite } from '../conformance/outbox-suite.testkit.ts'
import { profilesSuite } from '../conformance/profiles-suite.testkit.ts'
import { runsSuite } from '../conformance/runs-suite.testkit.ts'
import { searchSuite } from '../conformance/search-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { usePostgres } from './testkit/postgres.testkit.ts'
import { postgresEngine, postgresSearch } from './testkit/store.testkit.ts'

usePostgres()

frontierSuite(postgresEngine)
frontierWatchSuite(postgresEngine)
leasesSuite(postgresEngine)
runsSuite(postgresEngine)
documentsSuite(postgresEngine)
versionsSuite(postgresEngine)
objectsSuite(postgresEngine)
collectionSuite(postgresEngine)
searchSuite(postgresSearch)
profilesSuite(postgresEngine)
annotationsSuite(postgresEngine)
accountsSuite(postgresEngine)
sessionsSuite(postgresEngine)
tokensSuite(postgresEngine)
signInFailuresSuite(postgresEngine)
setupSuite(postgresEngine)
inboxSuite(postgresEngine)
inboxMarksSuite(postgresEngine)
outboxSuite(postgresEngine)
hostViewSuite(postgresEngine)
graphViewSuite(postgresEngine)
