import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { NodeSign, NodeStore } from '../store/contracts/nodes.ts'
import type { DatabaseClock } from '../store/postgres/connection/database-clock.ts'

export type HeartbeatDeps = {
  nodes: NodeStore
  /** Its id. */
  node: string
  config: Config
  clock: DatabaseClock
  log: Logger
}

const BEAT_MS = 1_000
/** Every so many beats the clocks are compared, and those forgotten that are long gone. */
const TIDY_BEATS = 60
const FORGET_MS = 600_000

/** A process that serves says each second that it lives. The first sign is the moment at which it is seen in lists. */
export function startHeartbeat({ nodes, node, config, clock, log }: HeartbeatDeps): { end(): Promise<void> } {
  let beats = 0
  let lastError = ''
  let isLate = false
  let beating: Promise<void> = Promise.resolve()
  let isBeating = false

  const sign = (): NodeSign => ({
    id: node,
    name: config.cluster.name === '' ? hostname() : config.cluster.name,
    role: 'serve',
    host: hostname(),
    pid: process.pid,
    stats: { threads: 0, rssBytes: process.memoryUsage.rss(), perSecond: 0, lastError },
  })

  async function beat(): Promise<void> {
    isBeating = true
    try {
      await nodes.heartbeat(sign())
      if (beats++ % TIDY_BEATS === 0) await Promise.all([clock.adjust(), nodes.forget(FORGET_MS)])
      if (isLate) log.info('the database answers again')
      isLate = false
    } catch (error) {
      lastError = `${new Date(clock.now()).toISOString()} ${String(error)}`
      // Once for each time that it is away.
      if (!isLate) log.warn({ error: String(error) }, 'the database does not answer; requests fail until it does')
      isLate = true
    } finally {
      isBeating = false
    }
  }

  const start = (): void => {
    if (!isBeating) beating = beat()
  }
  start()
  const timer = setInterval(start, BEAT_MS)
  return {
    async end() {
      clearInterval(timer)
      await beating
      await nodes.remove(node)
    },
  }
}
