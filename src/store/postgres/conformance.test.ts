import { accountsSuite } from '../conformance/accounts/accounts-suite.testkit.ts'
import { sessionsSuite } from '../conformance/accounts/sessions-suite.testkit.ts'
import { setupSuite, signInFailuresSuite } from '../conformance/accounts/sign-in-suite.testkit.ts'
import { tokensSuite } from '../conformance/accounts/tokens-suite.testkit.ts'
import { annotationsSuite } from '../conformance/annotations-suite.testkit.ts'
import { collectionSuite } from '../conformance/collection-suite.testkit.ts'
import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import { frontierSuite } from '../conformance/frontier-suite.testkit.ts'
import { frontierWatchSuite } from '../conformance/frontier-watch-suite.testkit.ts'
import { inboxMarksSuite } from '../conformance/inbox-marks-suite.testkit.ts'
import { inboxSuite } from '../conformance/inbox-suite.testkit.ts'
import { leasesSuite } from '../conformance/leases-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { outboxSuite } from '../conformance/outbox-suite.testkit.ts'
import { profilesSuite } from '../conformance/profiles-suite.testkit.ts'
import { runsSuite } from '../conformance/runs-suite.testkit.ts'
import { searchSuite } from '../conformance/search-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { postgresAccountsEngine } from './accounts/people-engines.testkit.ts'
import { postgresCollectionEngine, postgresSearch } from './archive/archive-engines.testkit.ts'
import { usePostgres } from './testkit/postgres.testkit.ts'
import { postgresEngine } from './testkit/store.testkit.ts'

usePostgres()

frontierSuite(postgresEngine)
frontierWatchSuite(postgresEngine)
leasesSuite(postgresEngine)
runsSuite(postgresEngine)
documentsSuite(postgresEngine)
versionsSuite(postgresEngine)
objectsSuite(postgresEngine)
collectionSuite(postgresCollectionEngine)
searchSuite(postgresSearch)
profilesSuite(postgresAccountsEngine)
annotationsSuite(postgresAccountsEngine)
accountsSuite(postgresAccountsEngine)
sessionsSuite(postgresAccountsEngine)
tokensSuite(postgresAccountsEngine)
signInFailuresSuite(postgresAccountsEngine)
setupSuite(postgresAccountsEngine)
inboxSuite(postgresAccountsEngine)
inboxMarksSuite(postgresAccountsEngine)
outboxSuite(postgresAccountsEngine)
