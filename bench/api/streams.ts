import { request } from 'node:http'
import { AppError } from '../../src/core/errors.ts'
import type { Owner } from './inbox-data.ts'
import type { ServerChild } from './server-child.ts'

export type StreamStats = { delaysMs: number[]; expected: number }

type Stream = { close(): void }

/** Opens event streams, sends every owner an annotation per second, and measures how long each takes to arrive. */
export async function useStreams(
  server: ServerChild,
  owners: readonly Owner[],
  { streams, arrivals, onOpen }: { streams: number; arrivals: number; onOpen(): Promise<void> },
): Promise<StreamStats> {
  const delaysMs: number[] = []
  const opened: Stream[] = []
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const expected = streams * arrivals
  const onArrival = (at: number): void => {
    delaysMs.push(Date.now() - at)
    if (delaysMs.length === expected) resolve()
  }
  try {
    for (let n = 0; n < streams; n++) opened.push(await openStream(server.url, owners[n % owners.length]!, onArrival))
    await onOpen()
    for (let n = 0; n < arrivals; n++) {
      server.arrive()
      await new Promise((wake) => setTimeout(wake, 1000))
    }
    await Promise.race([all, new Promise((wake) => setTimeout(wake, 10_000))])
    return { delaysMs, expected }
  } finally {
    for (const stream of opened) stream.close()
  }
}

/** Resolves on its first event. */
function openStream(url: string, { token }: Owner, onArrival: (at: number) => void): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const opening = request(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` }, agent: false })
    opening.once('error', reject)
    opening.once('response', (response) => {
      if (response.statusCode !== 200) reject(new AppError('internal', `an event stream: ${response.statusCode}`))
      let text = ''
      response.on('error', () => {}) // we close it ourselves
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const event = text.slice(0, end)
          text = text.slice(end + 2)
          if (event.includes('event: hello')) resolve({ close: () => response.destroy() })
          if (!event.includes('event: annotation')) continue
          const data = /^data: (.*)$/m.exec(event)![1]!
          onArrival(Date.parse((JSON.parse(data) as { at: string }).at))
        }
      })
    })
    opening.end()
  })
}
