import type { StoreEngine } from './engine.testkit.ts'
import { frontierHostSuite } from './frontier-host-suite.testkit.ts'
import { frontierOfferSuite } from './frontier-offer-suite.testkit.ts'
import { frontierQueueSuite } from './frontier-queue-suite.testkit.ts'
import { frontierRestartSuite } from './frontier-restart-suite.testkit.ts'

/** What every frontier store promises. */
export function frontierSuite(engine: StoreEngine): void {
  frontierOfferSuite(engine)
  frontierQueueSuite(engine)
  frontierHostSuite(engine)
  frontierRestartSuite(engine)
}
