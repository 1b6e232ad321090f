import { parentPort, workerData } from 'node:worker_threads'
import { serveThread } from '../../core/work/thread-host.ts'
import type { ReadingData, ReadingRequest } from './profile-reading.ts'
import { readProfileBody } from './read-profile-body.ts'
import { profileRules, withBelongings } from './values/profile-values.ts'

/** The thread that reads profiles. Once loaded it may be terminated at any moment: it has no state. */
const { config, abilities } = workerData as ReadingData
const rules = profileRules(config, abilities)

serveThread(parentPort!, ({ body, has }: ReadingRequest) => readProfileBody(body, withBelongings(rules, has)))
