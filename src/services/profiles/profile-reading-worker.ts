import { parentPort, workerData } from 'node:worker_threads'
import { serveThread } from '../../core/work/thread-host.ts'
import type { ReadingData, ReadingRequest } from './profile-reading.ts'
import { readProfileBody } from './read-profile-body.ts'
import { profileRules, withChannels } from './values/profile-values.ts'

/** The thread that reads profiles. Once loaded it may be terminated at any moment: it has no state. */
const { config, schemes } = workerData as ReadingData
const rules = profileRules(config, schemes)

serveThread(parentPort!, ({ body, channels }: ReadingRequest) => readProfileBody(body, withChannels(rules, channels)))
