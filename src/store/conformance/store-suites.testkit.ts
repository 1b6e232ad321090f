import { accountsSuite } from './accounts/accounts-suite.testkit.ts'
import { sessionsSuite, tokensSuite } from './accounts/credentials-suite.testkit.ts'
import { serverSecretsSuite, setupSuite, signInFailuresSuite } from './accounts/sign-in-suite.testkit.ts'
import { sourceCredentialsSuite } from './accounts/source-credentials-suite.testkit.ts'
import { annotationsSuite } from './annotations-suite.testkit.ts'
import { channelsSuite } from './channels-suite.testkit.ts'
import { collectionSuite } from './collection-suite.testkit.ts'
import { crawlsSuite } from './crawls-suite.testkit.ts'
import { deliveriesSuite } from './deliveries-suite.testkit.ts'
import { deliveryClockSuite } from './delivery-clock-suite.testkit.ts'
import { documentsSuite } from './documents-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { findingsSuite } from './findings-suite.testkit.ts'
import { droppedLinksSuite } from './frontier/dropped-suite.testkit.ts'
import { frontierHostSuite } from './frontier/host-suite.testkit.ts'
import { frontierOfferSuite } from './frontier/offer-suite.testkit.ts'
import { frontierQueueSuite } from './frontier/queue-suite.testkit.ts'
import { frontierRestartSuite } from './frontier/restart-suite.testkit.ts'
import { walkSuite } from './frontier/walk-suite.testkit.ts'
import { frontierWatchSuite } from './frontier/watch-suite.testkit.ts'
import { graphViewSuite } from './graph-view-suite.testkit.ts'
import { hostViewSuite } from './host-view-suite.testkit.ts'
import { inboxMarksSuite } from './inbox-marks-suite.testkit.ts'
import { inboxPagesSuite } from './inbox-pages-suite.testkit.ts'
import { inboxSuite } from './inbox-suite.testkit.ts'
import { leasesSuite } from './leases-suite.testkit.ts'
import { messagesSuite } from './messages-suite.testkit.ts'
import { moduleJournalSuite } from './module-journal-suite.testkit.ts'
import { objectsSuite } from './objects-suite.testkit.ts'
import { profilesSuite } from './profiles-suite.testkit.ts'
import { runsSuite } from './runs-suite.testkit.ts'
import { storiesSuite } from './stories-suite.testkit.ts'
import { versionsSuite } from './versions-suite.testkit.ts'

/** What every engine promises, one suite per contract. */
const suites = [
  frontierOfferSuite,
  frontierQueueSuite,
  frontierHostSuite,
  frontierRestartSuite,
  frontierWatchSuite,
  walkSuite,
  droppedLinksSuite,
  documentsSuite,
  objectsSuite,
  leasesSuite,
  runsSuite,
  crawlsSuite,
  versionsSuite,
  profilesSuite,
  annotationsSuite,
  storiesSuite,
  findingsSuite,
  accountsSuite,
  sessionsSuite,
  tokensSuite,
  signInFailuresSuite,
  serverSecretsSuite,
  setupSuite,
  inboxSuite,
  inboxMarksSuite,
  inboxPagesSuite,
  channelsSuite,
  sourceCredentialsSuite,
  deliveriesSuite,
  deliveryClockSuite,
  messagesSuite,
  moduleJournalSuite,
  collectionSuite,
  hostViewSuite,
  graphViewSuite,
]

export function storeSuites(engine: StoreEngine): void {
  for (const suite of suites) suite(engine)
}
