import type { ListeningTarget } from '../cli/engine.ts'
import { logTo, targetOf } from './settings.ts'
import type { Service, ServiceOptions } from './surface.ts'

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
