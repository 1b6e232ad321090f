import { fork } from 'node:child_process'
import { once } from 'node:events'
import { AppError } from '../../src/core/errors.ts'

/** What a process of a benchmark can be asked for, by name. */
type Calls = Record<string, (value: never) => unknown>
type Call = { id: number; name: string; value?: unknown }
type Answer = { id: number; value?: unknown; error?: string }
/** The first message of a process, when it can be called. */
const LISTENS: Answer = { id: 0 }

export type BenchChild<C extends Calls> = {
  call<N extends keyof C & string>(name: N, ...value: Parameters<C[N]>): Promise<Awaited<ReturnType<C[N]>>>
  /** Waits for its `end`, where it has one, and for its exit. */
  end(): Promise<void>
}

/** Starts a module in a process of its own, which answers with `answerCalls`. `data` is what it asks for with `childData`, if it does. */
export function startChild<C extends Calls>(module: URL, data?: unknown): BenchChild<C> {
  const child = fork(module)
  if (data !== undefined) child.send({ data })
  const listens = Promise.withResolvers<unknown>()
  listens.promise.catch(() => {}) // a process that ended before is told by the first call
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

/** To be asked for before `answerCalls`. It comes as a message: arguments have a limit. */
export async function childData<T>(): Promise<T> {
  const [{ data }] = (await once(process, 'message')) as [{ data: T }]
  return data
}

/** In the process: `end` closes what it has open. */
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
