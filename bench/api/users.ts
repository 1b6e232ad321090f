import { Client } from 'undici'
import { AppError } from '../../src/core/errors.ts'
import { createRandom } from '../origin/random.ts'
import type { InboxData, Owner } from './inbox-data.ts'

export const operations = [
  'list',
  'next page',
  'pages',
  'next pages',
  'search pages',
  'search, rare word',
  'search, common word',
  'patch',
] as const
export type Operation = (typeof operations)[number]
/** Milliseconds of each request, for the first owner and for all others. */
export type Timings = Record<'large' | 'others', Record<Operation, number[]>>
export type UseOptions = { data: InboxData; url: string; users: number; seconds: number; pauseMs: number }

type List = { items: { id: number; read: boolean }[]; next: string | null }

/** Concurrent users, half of them on the large inbox, each with their own connection. */
export async function useInbox({ data, url, users, seconds, pauseMs }: UseOptions): Promise<Timings> {
  const timings: Timings = { large: emptyTimings(), others: emptyTimings() }
  const endAt = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: users }, (_, n) => {
      const isLarge = n % 2 === 0
      const owner = data.owners[isLarge ? 0 : 1 + (n % (data.owners.length - 1))]!
      return oneUser(n, owner, { data, url, endAt, pauseMs, timings: timings[isLarge ? 'large' : 'others'] })
    }),
  )
  return timings
}

type UserOptions = {
  data: InboxData
  url: string
  endAt: number
  pauseMs: number
  timings: Record<Operation, number[]>
}

async function oneUser(seed: number, owner: Owner, { data, url, endAt, pauseMs, timings }: UserOptions): Promise<void> {
  const random = createRandom(seed + 1)
  const client = new Client(url, { pipelining: 1 })
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' }

  async function timed(operation: Operation, path: string, body?: unknown): Promise<string> {
    const startedAt = performance.now()
    const answer = await client.request({
      path: `/api/v1${path}`,
      method: body === undefined ? 'GET' : 'PATCH',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    timings[operation].push(performance.now() - startedAt)
    if (answer.statusCode !== 200) throw new AppError('internal', `${path}: ${answer.statusCode} ${text.slice(0, 200)}`)
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + random.next())))
    return text
  }

  try {
    // Stagger the users.
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs * random.next()))
    while (performance.now() < endAt) {
      const { items, next } = JSON.parse(await timed('list', '/annotations?limit=50')) as List
      if (next !== null) await timed('next page', `/annotations?limit=50&cursor=${next}`)
      const pages = JSON.parse(await timed('pages', '/annotations?limit=50&group=page')) as List
      if (pages.next !== null) await timed('next pages', `/annotations?limit=50&group=page&cursor=${pages.next}`)
      await timed('search pages', `/annotations?limit=50&group=page&state=all&q=${random.pick(data.common)}`)
      await timed('search, rare word', `/annotations?limit=50&state=all&q=${random.pick(data.rare)}`)
      await timed('search, common word', `/annotations?limit=50&state=all&q=${random.pick(data.common)}`)
      const chosen = items[random.below(Math.max(1, items.length))]
      if (chosen !== undefined) await timed('patch', `/annotations/${chosen.id}`, { read: !chosen.read })
    }
  } finally {
    await client.destroy()
  }
}

function emptyTimings(): Record<Operation, number[]> {
  return Object.fromEntries(operations.map((operation) => [operation, [] as number[]])) as Record<Operation, number[]>
}
