import { parentPort } from 'node:worker_threads'
import type { XmlDocument } from 'libxml2-wasm'
import type { ProfileQueryResult } from '../../core/reports/profile-report.ts'
import { evaluateXpath, parseBase, type ResultLimits } from './xpath-evaluate.ts'

/** The thread in which queries run. Once loaded it may be ended at any moment: nothing is here that could not be made again. */
export type ToBaseWorker =
  | { kind: 'load'; key: string; xml: Uint8Array<ArrayBuffer> }
  | { kind: 'drop'; key: string }
  | { kind: 'query'; key: string; xpath: string; limits: ResultLimits }

export type FromBaseWorker = { kind: 'loaded' } | { kind: 'answer'; answer: ProfileQueryResult }

// What the engine prints about wrong queries is in their answers. Only this thread falls silent.
process.stderr.write = () => true

const documents = new Map<string, XmlDocument>()

parentPort!.on('message', (message: ToBaseWorker) => {
  const { key } = message
  if (message.kind === 'query') {
    const answer = evaluateXpath(documents.get(key)!, message.xpath, message.limits)
    parentPort!.postMessage({ kind: 'answer', answer } satisfies FromBaseWorker)
    return
  }
  documents.get(key)?.dispose()
  documents.delete(key)
  if (message.kind === 'drop') return
  documents.set(key, parseBase(message.xml))
  parentPort!.postMessage({ kind: 'loaded' } satisfies FromBaseWorker)
})
parentPort!.postMessage('loaded')
