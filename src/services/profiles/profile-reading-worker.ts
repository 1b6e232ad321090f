import { parentPort, workerData } from 'node:worker_threads'
import type { ReadingData } from './profile-reading.ts'
import { profileRules } from './profile-values.ts'
import { type ProfileText, readProfileBody } from './read-profile-body.ts'

/** The thread in which profiles are read. Once loaded it may be ended at any moment: it keeps nothing. */
const { config, schemes } = workerData as ReadingData
const rules = profileRules(config, schemes)

parentPort!.on('message', (body: ProfileText) => parentPort!.postMessage(readProfileBody(body, rules)))
parentPort!.postMessage('loaded')
