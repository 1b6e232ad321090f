import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../src/core/errors.ts'

export type ToServer = 'figures' | 'arrive' | 'end'
export type ServerStats = { rssBytes: number; heapBytes: number; cpuSeconds: number }
export type FromServer = { kind: 'ready'; url: string } | ({ kind: 'figures' } & ServerStats)

export type ServerChild = {
  url: string
  stats(): Promise<ServerStats>
  /** Adds an annotation for each owner. */
  arrive(): void
  close(): Promise<void>
}

export async function startServerChild(folder: string): Promise<ServerChild> {
  const child = fork(fileURLToPath(new URL('./server-process.ts', import.meta.url)), [folder])
  const ended = once(child, 'exit')
  async function next<K extends FromServer['kind']>(kind: K): Promise<Extract<FromServer, { kind: K }>> {
    const received = await Promise.race([once(child, 'message'), ended.then(() => null)])
    const message = received?.[0] as FromServer | undefined
    if (message?.kind !== kind) throw new AppError('internal', 'the server ended unexpectedly')
    return message as Extract<FromServer, { kind: K }>
  }
  const send = (message: ToServer): void => void child.send(message)
  const { url } = await next('ready')
  return {
    url,
    stats() {
      send('figures')
      return next('figures')
    },
    arrive: () => send('arrive'),
    async close() {
      if (child.exitCode === null && child.connected) send('end')
      await ended
    },
  }
}
