import { fork } from 'node:child_process'
import { once } from 'node:events'
import { AppError } from '../../src/core/errors.ts'

/** The calls that a benchmark process answers, by name. */
type Calls = Record<string, (value: never) => unknown>
type Call = { id: number; name: string; value?: unknown }
type Answer = { id: number; value?: unknown; error?: string }
/** The first message of a process, sent when it is ready for calls. */
const LISTENS: Answer = { id: 0 }

export type BenchChild<C extends Calls> = {
  call<N extends keyof C & string>(name: N, ...value: Parameters<C[N]>): Promise<Awaited<ReturnType<C[N]>>>
  /** Calls its `end`, if it has one, and waits for its exit. */
  end(): Promise<void>
}

/** Starts a module in a child process, which answers with `answerCalls`. It may read `data` with `childData`. */
export function startChild<C extends Calls>(module: URL, data?: unknown): BenchChild<C> {
  const child = fork(module)
  if (data !== undefined) child.send({ data })
  const listens = Promise.withResolvers<unknown>()
  listens.promise.catch(() => {}) // the first call reports a process that ended before
  const waiting = new Map([[LISTENS.id, listens]])
  const ended = once(child, 'exit')
  let calls = 0
  child.on('message', ({ id, value, error }: Answer) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(value)
    else asked?.reject(new AppError('internal', error))
  })
  child.once('exit', (code) => {
    for (const { reject } of waiting.values())
      reject(new AppError('internal', `a process of the benchmark ended with exit code ${code}`))
  })

  async function call(name: string, value?: unknown): Promise<unknown> {
    const id = ++calls
    const asked = Promise.withResolvers<unknown>()
    waiting.set(id, asked)
    await listens.promise
    child.send({ id, name, value } satisfies Call, (error) => error !== null && asked.reject(error))
    return asked.promise
  }

  return {
    call: call as BenchChild<C>['call'],
    async end() {
      if (child.connected) {
        await call('end')
        child.disconnect()
      }
      await ended
    },
  }
}

/** The data passed to `startChild`; call it before `answerCalls`. Sent as a message, since the length of arguments is limited. */
export async function childData<T>(): Promise<T> {
  const [{ data }] = (await once(process, 'message')) as [{ data: T }]
  return data
}

/** Called in the child process; `end` closes its resources. */
export function answerCalls<C extends Calls & { end(): unknown }>(calls: C): void {
  const known = new Map<string, (value: unknown) => unknown>(Object.entries(calls) as [string, () => unknown][])
  const send = (answer: Answer): void => void process.send!(answer)
  process.on('message', async ({ id, name, value }: Call) => {
    try {
      send({ id, value: await known.get(name)!(value) })
    } catch (error) {
      send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  send(LISTENS)
}
