import { rmSync } from 'node:fs'
import { startErace } from '../faults/erace.ts'
import { newFolder } from '../site/crawl-run.ts'
import { startCluster } from './cluster-service.ts'
import { apiOf, listening, type Service, type StartService, settings } from './service-process.ts'

export type { Service, StartService }

/** One process, or a cluster when ERACE_TEST_SERVICE is `cluster`. */
export const startService: StartService = (more = {}) =>
  process.env.ERACE_TEST_SERVICE === 'cluster' ? startCluster(more) : startUp(more)

export async function startUp(more: Record<string, string> = {}): Promise<Service> {
  const data = newFolder()
  let run = startErace(['up', '--json', '--port', '0', '--data', data], { ...settings, ...more })
  let place = await listening(run)
  const { port } = new URL(place.url)

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    run.child.kill(signal)
    return (await run.ended).exitCode
  }

  return {
    get url() {
      return place.url
    },
    get setupUrl() {
      return place.setupUrl
    },
    async killAndStart(meanwhile) {
      await end('SIGKILL')
      await meanwhile?.()
      run = startErace(['up', '--json', '--port', port, '--data', data], { ...settings, ...more })
      place = await listening(run)
    },
    stop: () => end('SIGTERM'),
    api: apiOf(() => place.url),
    async destroy() {
      if (run.child.exitCode === null && run.child.signalCode === null) await end('SIGKILL')
      rmSync(data, { recursive: true, force: true })
    },
  }
}
