import { parentPort, resourceLimits, workerData } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import { serveThread } from './thread-host.ts'

export type TestRequest = 'data' | 'limits' | 'refuse' | 'bug' | 'hang' | 'crash' | 'close'

/** A thread that answers, rejects, hangs and crashes on demand. */
const thread = serveThread<TestRequest, string>(parentPort!, async (request) => {
  if (request === 'refuse') throw new AppError('store-unreachable', 'no answer')
  if (request === 'bug') throw new TypeError('unforeseen')
  if (request === 'limits') return resourceLimits
  if (request === 'hang') for (;;);
  if (request === 'crash')
    setImmediate(() => {
      throw new Error('not caught')
    })
  if (request === 'crash') return new Promise(() => {})
  if (request === 'close') setImmediate(thread.close)
  else thread.send(`asked for ${request}`)
  return workerData
})
