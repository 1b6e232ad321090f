import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { type FetchResult, headerValue } from './fetch-result.ts'
import { startFetcher, startOrigin } from './origin.testkit.ts'
import { type Manner, manners, outcomeOf, type RawReply, rawReplies, serve } from './raw-replies.testkit.ts'

/** The clock stands still until all replies without a timeout have ended; then it runs fast. */
async function fetchAll(manner: Manner): Promise<FetchResult[]> {
  let time = 0
  let isRunning = false
  const now = (): number => {
    if (isRunning) time += 10_000
    return time
  }
  const clock = { ...systemClock, monotonic: now }
  const served = new Set<number>()
  const origin = await startOrigin((socket, request) => {
    const number = Number(/^GET \/(\d+)/.exec(request)![1])
    served.add(number)
    serve(socket, rawReplies[number]!, manner)
  })
  const fetcher = startFetcher({ clock, limits: { perHostConnections: 1000, totalTimeoutMs: 1e12 } })
  const results = rawReplies.map((_, number) => fetcher.fetch({ url: `${origin.url}/${number}`, anyType: true }))
  await Promise.all(results.filter((_, number) => !waits(rawReplies[number]!, manner)))
  // Data written before a request arrives before the reply to it.
  while (served.size < rawReplies.length) await fetcher.fetch({ url: `${origin.url}/0` })
  for (let rounds = 0; rounds < 3; rounds++) await fetcher.fetch({ url: `${origin.url}/0` })
  isRunning = true
  const all = await Promise.all(results)
  await fetcher.close()
  await origin.close()
  return all
}

function waits(reply: RawReply, manner: Manner): boolean {
  const outcome = outcomeOf(reply, manner)
  return outcome.kind === 'failed' && outcome.code.endsWith('-timeout')
}

for (const manner of manners) {
  describe(`a reply sent ${manner}`, async () => {
    const results = await fetchAll(manner)
    for (const [number, reply] of rawReplies.entries()) {
      test(reply.name, () => {
        const result = results[number]!
        const expected = outcomeOf(reply, manner)
        if (expected.kind === 'failed') {
          assert.equal(result.kind === 'failed' ? result.code : JSON.stringify(result), expected.code)
          return
        }
        assert.ok(result.kind === 'response', JSON.stringify(result))
        const { status, body, line, field } = expected.whole
        assert.deepEqual(
          { status: result.status, body: result.body.toString('latin1'), line: result.statusLine },
          { status, body, line },
        )
        assert.equal(result.truncated, null)
        if (field !== undefined) assert.equal(headerValue(result.rawHeaders, field[0]), field[1])
      })
    }
  })
}
