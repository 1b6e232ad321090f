import { parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import { profileRules } from './profile-values.ts'
import { type ProfileText, readProfileBody } from './read-profile-body.ts'

/** The thread in which profiles are read. Once loaded it may be ended at any moment: it keeps nothing. */
const rules = profileRules(workerData as Config)

parentPort!.on('message', (body: ProfileText) => parentPort!.postMessage(readProfileBody(body, rules)))
parentPort!.postMessage('loaded')
