/**
 * A separate process for an SQLite query, because nothing within a process, not even a thread, can be stopped while the library works
 * on an endless query. The query runs in a thread here, so that this process still notices when its parent is gone.
 */
import { Worker } from 'node:worker_threads'
import type { SqliteAnswer, SqliteJob } from './sqlite-thread.ts'

const maxMemoryBytes = 512 * 1024 * 1024
const watchMs = 50
const outOfMemory: SqliteAnswer = { kind: 'failed', errcode: 7, message: 'out of memory' }

const leave = (): void => {
  process.kill(process.pid, 'SIGKILL')
}

process.once('disconnect', leave)
process.once('message', (job: SqliteJob) => {
  let isOver = false
  const say = (answer: SqliteAnswer): void => {
    if (isOver) return
    isOver = true
    process.send!(answer, leave)
  }
  // The library's own memory limit is not compiled in.
  setInterval(() => process.memoryUsage.rss() > maxMemoryBytes && say(outOfMemory), watchMs)
  new Worker(new URL('./sqlite-thread.ts', import.meta.url), { workerData: job, env: {} })
    .once('message', say)
    .once('error', ({ message }: Error) => say({ kind: 'failed', errcode: 0, message }))
})
