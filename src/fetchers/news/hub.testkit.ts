import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'

/** A hub according to the W3C Recommendation WebSub: it verifies subscriptions and signs what it distributes. */
export async function startHub({ leaseSeconds = 1000 } = {}) {
  const subscriptions = new Map<string, { topic: string; secret: string }>()
  const verified: { mode: string; status: number; isRight: boolean }[] = []
  let pending: Promise<void> = Promise.resolve()

  async function verify(form: URLSearchParams): Promise<void> {
    const [callback, mode, topic] = ['hub.callback', 'hub.mode', 'hub.topic'].map((name) => form.get(name)!) as [
      string,
      string,
      string,
    ]
    const challenge = randomBytes(16).toString('hex')
    const asked = new URL(callback)
    asked.searchParams.set('hub.mode', mode)
    asked.searchParams.set('hub.topic', topic)
    asked.searchParams.set('hub.challenge', challenge)
    if (mode === 'subscribe') asked.searchParams.set('hub.lease_seconds', String(leaseSeconds))
    const answer = await fetch(asked)
    const isRight = answer.ok && (await answer.text()) === challenge
    verified.push({ mode, status: answer.status, isRight })
    if (isRight && mode === 'subscribe') subscriptions.set(callback, { topic, secret: form.get('hub.secret') ?? '' })
    if (isRight && mode === 'unsubscribe') subscriptions.delete(callback)
  }

  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await bodyOf(request))
    const isSound = request.method === 'POST' && /^(?:un)?subscribe$/.test(form.get('hub.mode') ?? '')
    response.writeHead(isSound ? 202 : 400).end()
    if (isSound) pending = pending.then(() => verify(form))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/`,
    subscriptions,
    verified,
    /** Resolves when all requests so far have been verified. */
    settled: () => pending,
    /** Returns the subscribers' response statuses. */
    async publish(
      topic: string,
      content: string,
      sign = (secret: string) => createHmac('sha256', secret).update(content).digest('hex'),
    ): Promise<number[]> {
      const statuses: number[] = []
      for (const [callback, { topic: own, secret }] of subscriptions) {
        if (own !== topic) continue
        const headers = { 'content-type': 'application/atom+xml', 'x-hub-signature': `sha256=${sign(secret)}` }
        const answer = await fetch(callback, { method: 'POST', headers, body: content })
        statuses.push(answer.status)
        if (answer.status === 410) subscriptions.delete(callback)
      }
      return statuses
    },
    async end(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
