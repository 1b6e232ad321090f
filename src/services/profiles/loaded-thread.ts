import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * A thread whose modules are loaded, which it tells with its first message, `loaded`. The XML engine waits at the top level of
 * its module until it is built, and V8 takes the whole process along where a thread is ended meanwhile. So a thread that may be
 * ended at any moment, and the time that it is given, begin here.
 */
export async function startLoadedThread(entry: URL, options: WorkerOptions = {}): Promise<Worker> {
  const worker = new Worker(entry, options)
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  worker.once('message', resolve).once('error', reject)
  await promise
  worker.off('error', reject).unref()
  return worker
}
