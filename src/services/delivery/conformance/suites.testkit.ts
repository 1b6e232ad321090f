import type { StoreEngine } from '../../../store/conformance/engine.testkit.ts'
import { badChannelSuite } from './bad-channel-suite.testkit.ts'
import { lookingSuite } from './looking-suite.testkit.ts'
import { processFaultsSuite } from './process-faults-suite.testkit.ts'
import { receiverFaultsSuite } from './receiver-faults-suite.testkit.ts'
import { sendingSuite } from './sending-suite.testkit.ts'
import { timingSuite } from './timing-suite.testkit.ts'

const suites = [sendingSuite, timingSuite, badChannelSuite, receiverFaultsSuite, processFaultsSuite, lookingSuite]

/** Guarantees of delivery on every engine. */
export function deliverySuites(engine: StoreEngine): void {
  for (const suite of suites) suite(engine)
}
