import { parentPort } from 'node:worker_threads'
import type { XmlDocument } from 'libxml2-wasm'
import type { ProfileQueryResult } from '../../core/reports/profile-report.ts'
import { evaluateXpath, parseBase, type ResultLimits } from './xpath-evaluate.ts'

/** The thread that runs queries. Once loaded it may be terminated at any moment: everything in it can be rebuilt. */
export type ToBaseWorker =
  | { kind: 'load'; key: string; xml: Uint8Array<ArrayBuffer> }
  | { kind: 'drop'; key: string }
  | { kind: 'query'; key: string; xpath: string; limits: ResultLimits }

export type FromBaseWorker = { kind: 'loaded' } | { kind: 'answer'; answer: ProfileQueryResult }

// The engine prints errors that are already in the answers. Only this thread is silenced.
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
