import type { ListeningTarget } from '../cli/engine.ts'
import { logTo, type OnLog, type Place, targetOf } from './settings.ts'

export type ServiceOptions = Place & {
  /** Created at the first start, when there is no account yet. */
  administrator?: { email: string; password: string }
  onLog?: OnLog
}

export type Service = {
  /** Where the pages and the API are. */
  readonly url: string
  /** Creates the first account; null when there is one. */
  readonly setupUrl: string | null
  /** Resolves when the service has ended; rejects with the failure that ended it. */
  readonly ended: Promise<void>
  /** Finishes requests in flight, saves and ends. */
  stop(): Promise<void>
}

/** Runs what `erace up` runs (on a shared store, what `erace serve` runs) in this process. Resolves when it is ready. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const target = await targetOf(options)
  const stopping = new AbortController()
  const { promise: ready, resolve: onListening, reject } = Promise.withResolvers<ListeningTarget>()
  const hooks = {
    ...{ signal: stopping.signal, onListening, administrator: options.administrator ?? null },
    log: logTo(options.onLog, target),
  }
  const ended =
    target.store === null
      ? import('../app/roles/up.ts').then(({ up }) => up(target.dataDir, target.config, { ...hooks, onAnnotated() {} }))
      : import('../app/roles/serve.ts').then(({ serve }) => serve(target, hooks))
  ended.then(() => reject(new Error('the service ended before it was ready')), reject)
  const { url, setupUrl } = await ready
  return {
    ...{ url, setupUrl, ended },
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
