import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export type HeapUse = {
  /** Bytes of live objects in all threads. */
  allBytes: number
  mainBytes: number
  /** Memory of these objects outside of the heap, such as buffers. */
  externalBytes: number
  /** Reachable promises in all threads. A leak shows here long before it shows in bytes. */
  promises: number
  threads: number
}

type Answer = { id?: number; method?: string; result?: Record<string, unknown>; params?: Record<string, unknown> }
type Call = (method: string, params?: object) => Promise<Record<string, unknown>>

const ANSWER_MS = 30_000

/** The address that a process with `--inspect` prints when it starts. */
export async function inspectorOf({ stderr }: ChildProcess): Promise<string> {
  let text = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const look = (more: string): void => {
    text += more
    const found = /Debugger listening on (ws:\/\/\S+)\n/.exec(text)?.[1]
    if (found !== undefined) resolve(found)
  }
  const fail = (): void => reject(new Error(`no inspector: ${text.slice(0, 500)}`))
  stderr!.on('data', look).once('end', fail)
  try {
    return await promise
  } finally {
    stderr!.off('data', look).off('end', fail)
  }
}

/**
 * Forces a garbage collection in every thread of another process and measures the live heap. Connects only for this time. Skips
 * short-lived threads (`passing`), which may or may not be running at the moment. Counting promises takes seconds for a large heap.
 */
export async function heapAfterGc(inspector: string, passing: RegExp, countsPromises = true): Promise<HeapUse> {
  const socket = new WebSocket(inspector)
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
  socket.addEventListener('open', () => resolve())
  socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
  await opened
  try {
    const workers = new Map<string, ReturnType<typeof createCaller>>()
    const main = createCaller((message) => socket.send(message))
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer
      const session = String(answer.params?.sessionId)
      if (answer.method === 'NodeWorker.attachedToWorker') {
        const worker = answer.params?.workerInfo as { title: string } | undefined
        if (worker === undefined || passing.test(worker.title)) return
        workers.set(
          session,
          createCaller((message) => void main.call('NodeWorker.sendMessageToWorker', { sessionId: session, message })),
        )
      } else if (answer.method === 'NodeWorker.receivedMessageFromWorker')
        workers.get(session)?.receive(JSON.parse(String(answer.params?.message)) as Answer)
      else if (answer.method === 'NodeWorker.detachedFromWorker') workers.delete(session)
      else main.receive(answer)
    })
    await main.call('NodeWorker.enable', { waitForDebuggerOnStart: false })
    const { heapBytes: mainBytes, externalBytes } = await liveBytes(main.call)
    const promises = countsPromises ? await countPromises(main.call) : 0
    const use = { allBytes: mainBytes, mainBytes, externalBytes, promises, threads: 1 + workers.size }
    for (const { call } of workers.values()) {
      const live = await liveBytes(call)
      use.allBytes += live.heapBytes
      use.externalBytes += live.externalBytes
      if (countsPromises) use.promises += await countPromises(call)
    }
    return use
  } finally {
    const closed = new Promise((done) => socket.addEventListener('close', done))
    socket.close()
    await closed
  }
}

/** The second collection frees what was held only by objects of the first. */
async function liveBytes(call: Call): Promise<{ heapBytes: number; externalBytes: number }> {
  await call('HeapProfiler.collectGarbage')
  await call('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize } = await call('Runtime.getHeapUsage')
  return { heapBytes: Number(usedSize), externalBytes: Number(backingStorageSize) }
}

async function countPromises(call: Call): Promise<number> {
  const objectGroup = 'promises'
  const prototype = resultOf(await call('Runtime.evaluate', { expression: 'Promise.prototype', objectGroup }))
  const { objects } = await call('Runtime.queryObjects', { prototypeObjectId: prototype.objectId, objectGroup })
  const count = await call('Runtime.callFunctionOn', {
    objectId: (objects as RemoteObject).objectId,
    functionDeclaration: 'function () { return this.length }',
    returnByValue: true,
  })
  await call('Runtime.releaseObjectGroup', { objectGroup })
  return Number(resultOf(count).value)
}

type RemoteObject = { objectId: string; value?: unknown }
const resultOf = ({ result }: Record<string, unknown>): RemoteObject => result as RemoteObject

function createCaller(send: (message: string) => void) {
  const waiting = new Map<number, (result: Record<string, unknown>) => void>()
  let last = 0
  return {
    call: (method: string, params: object = {}): Promise<Record<string, unknown>> => {
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>()
      const id = ++last
      const timer = setTimeout(() => reject(new Error(`${method} has no answer`)), ANSWER_MS)
      waiting.set(id, (result) => {
        clearTimeout(timer)
        resolve(result)
      })
      send(JSON.stringify({ id, method, params }))
      return promise
    },
    receive({ id, result }: Answer): void {
      if (id === undefined) return
      waiting.get(id)?.(result ?? {})
      waiting.delete(id)
    },
  }
}

/** Resident memory. Linux only. */
export function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Growth of the regression line from the first value to the last, as a share of the mean. */
export function growthOf(values: readonly number[]): number {
  const n = values.length
  if (n < 2) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const middle = (n - 1) / 2
  let slope = 0
  let spread = 0
  for (const [at, value] of values.entries()) {
    slope += (at - middle) * (value - mean)
    spread += (at - middle) ** 2
  }
  return ((slope / spread) * (n - 1)) / mean
}
