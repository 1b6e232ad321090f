import { parentPort, workerData } from 'node:worker_threads'
import { serveThread } from '../../core/work/thread-host.ts'
import type { ReadingData } from './profile-reading.ts'
import { type ProfileText, readProfileBody } from './read-profile-body.ts'
import { profileRules } from './values/profile-values.ts'

/** The thread that reads profiles. Once loaded it may be terminated at any moment: it has no state. */
const { config, schemes, channels } = workerData as ReadingData
const rules = profileRules(config, schemes, channels)

serveThread(parentPort!, (body: ProfileText) => readProfileBody(body, rules))
