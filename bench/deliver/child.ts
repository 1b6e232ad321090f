import { fork } from 'node:child_process'
import { once } from 'node:events'
import { AppError } from '../../src/core/errors.ts'

/** What a process of a benchmark can be asked for, by name. */
type Calls = Record<string, (value: never) => unknown>
type Call = { id: number; name: string; value?: unknown }
type Answer = { id: number; value?: unknown; error?: string }

export type BenchChild<C extends Calls> = {
  call<N extends keyof C & string>(name: N, ...value: Parameters<C[N]>): Promise<Awaited<ReturnType<C[N]>>>
  /** Waits for its `end`, where it has one, and for its exit. */
  end(): Promise<void>
}

/** Starts a module in a process of its own, which answers with `answerCalls`. `data` is what `childData` returns there. */
export function startChild<C extends Calls>(module: URL, data: unknown): BenchChild<C> {
  const child = fork(module, [JSON.stringify(data)])
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
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

  function call(name: string, value?: unknown): Promise<unknown> {
    const id = ++calls
    const asked = Promise.withResolvers<unknown>()
    waiting.set(id, asked)
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

export function childData<T>(): T {
  return JSON.parse(process.argv[2]!) as T
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
}
