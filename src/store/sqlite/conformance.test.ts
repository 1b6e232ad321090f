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
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { sqliteEngine } from './testkit/store.testkit.ts'

frontierSuite(sqliteEngine)
frontierWatchSuite(sqliteEngine)
documentsSuite(sqliteEngine)
objectsSuite(sqliteEngine)
leasesSuite(sqliteEngine)
runsSuite(sqliteEngine)
versionsSuite(sqliteEngine)
profilesSuite(sqliteEngine)
annotationsSuite(sqliteEngine)
accountsSuite(sqliteEngine)
sessionsSuite(sqliteEngine)
tokensSuite(sqliteEngine)
signInFailuresSuite(sqliteEngine)
setupSuite(sqliteEngine)
inboxSuite(sqliteEngine)
inboxMarksSuite(sqliteEngine)
outboxSuite(sqliteEngine)
collectionSuite(sqliteEngine)
hostViewSuite(sqliteEngine)
graphViewSuite(sqliteEngine)
