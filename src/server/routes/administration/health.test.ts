import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createCounterMemory, openSharedCounters } from '../../../crawl/worker/shared-counters.ts'
import { readPrometheusText } from '../../prometheus-text.testkit.ts'
import { createTestServer, type TestServer } from '../../server.testkit.ts'

const counters = openSharedCounters(createCounterMemory(1, null))
const healthErrors: string[] = []
let server: TestServer

before(async () => {
  const deliveryWatch = {
    counts: () => [{ kind: 'webhook', outcome: 'retried', count: 3 } as const],
    onState: () => {},
  }
  server = await createTestServer({ needs: { counters, deliveryWatch, healthErrors: () => healthErrors } })
  const { channels } = server.stores
  await channels.add({ id: 'c_1', owner: 'ann', kind: 'webhook', name: '', settings: {}, createdAt: 0 })
  await channels.note('c_1', { state: 'failing', reason: 'no', failures: 3, retryAt: 1, sentAt: 0 })
  await server.addUser('root@example.org', { role: 'administrator' })
})

after(() => server.close())

const get = (url: string) => server.server.inject({ url })

async function metrics() {
  const answer = await get('/metrics')
  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/)
  return { text: answer.body, families: readPrometheusText(answer.body) }
}

describe('health', () => {
  test('/healthz answers without authentication', async () => {
    const answer = await get('/healthz')
    assert.deepEqual([answer.statusCode, answer.json()], [200, { status: 'ok' }])
  })

  test('health checks and metrics are exempt from the rate limit of the API', async () => {
    const busy = await createTestServer({ settings: { 'server.requestsPerMinute': 10 } })
    const ask = async (url: string) => (await busy.server.inject({ url })).statusCode
    for (let n = 0; n < 10; n++) assert.equal(await ask('/api/v1/setup'), 200)
    assert.equal(await ask('/api/v1/setup'), 429)
    assert.deepEqual([await ask('/healthz'), await ask('/readyz'), await ask('/metrics')], [200, 200, 200])
    await busy.close()
  })

  test('/readyz says whether the server is ready, and if not, why', async () => {
    assert.deepEqual((await get('/readyz')).json(), { status: 'ready' })
    healthErrors.push('the annotation engine has stopped')
    const answer = await get('/readyz')
    assert.equal(answer.statusCode, 503)
    assert.deepEqual(answer.json(), { status: 'not-ready', reasons: ['the annotation engine has stopped'] })
    healthErrors.length = 0
  })
})

describe('metrics', () => {
  test('include all figures of the crawl, in the text format of Prometheus', async () => {
    counters.shard(0).add('fetched', 12)
    counters.shard(0).add('bytes', 3_400)
    counters.shard(0).add('failed', 2)
    counters.shard(0).set('queued', 5)
    server.parts.activity.noteAnnotations(3)
    const { families } = await metrics()
    const valuesOf = (name: string) => families.get(name)?.samples.map(({ value }) => value)
    const typeOf = (name: string) => families.get(name)?.type
    assert.deepEqual(
      ['erace_pages_total', 'erace_bytes_total', 'erace_errors_total', 'erace_annotations_total'].map((name) => [
        typeOf(name),
        valuesOf(name),
      ]),
      [
        ['counter', [12]],
        ['counter', [3_400]],
        ['counter', [2]],
        ['counter', [3]],
      ],
    )
    assert.deepEqual(
      ['erace_queue', 'erace_in_flight', 'erace_tasks', 'erace_event_streams'].map((name) => [
        typeOf(name),
        valuesOf(name),
      ]),
      [
        ['gauge', [5]],
        ['gauge', [0]],
        ['gauge', [0]],
        ['gauge', [0]],
      ],
    )
    const checks = families.get('erace_checks_total')!.samples.map(({ labels }) => `${labels.level} ${labels.result}`)
    assert.deepEqual(checks.sort(), [
      'bronze met',
      'bronze missed',
      'gold met',
      'gold missed',
      'silver met',
      'silver missed',
    ])
    assert.ok(families.has('process_resident_memory_bytes'))
    const samplesOf = (name: string) => families.get(name)?.samples.map(({ labels, value }) => [labels, value])
    assert.deepEqual(samplesOf('erace_channels'), [[{ kind: 'webhook' }, 1]])
    assert.deepEqual(samplesOf('erace_channels_failing'), [[{ kind: 'webhook' }, 1]])
    assert.deepEqual(samplesOf('erace_deliveries_waiting'), [[{ kind: 'webhook' }, 0]])
    assert.deepEqual(samplesOf('erace_messages_total'), [[{ kind: 'webhook', outcome: 'retried' }, 3]])
  })

  test('do not change when they are read', async () => {
    await metrics()
    assert.deepEqual(
      (await metrics()).families.get('erace_pages_total')!.samples.map(({ value }) => value),
      [12],
    )
  })

  test('count requests by route pattern, so that they contain no addresses or names', async () => {
    await server.as('root@example.org').get('/users/4711?token=secret-word')
    await get('/api/v1/private-name-in-a-path')
    await get('/healthz')
    const { text, families } = await metrics()
    const requests = families.get('erace_http_request_seconds')!
    assert.equal(requests.type, 'histogram')
    const counted = requests.samples.filter(({ name }) => name.endsWith('_count')).map(({ labels }) => labels)
    const has = (method: string, route: string, status: string) =>
      counted.some((each) => each.method === method && each.route === route && each.status === status)
    assert.ok(has('GET', '/api/v1/users/:id', '4xx'))
    assert.ok(has('GET', '/healthz', '2xx'))
    assert.ok(has('GET', 'none', '4xx'))
    assert.doesNotMatch(text, /4711|secret-word|private-name|example\.org/)
  })

  test('have cumulative histogram buckets, the last of which equals the count', async () => {
    const { samples } = (await metrics()).families.get('erace_http_request_seconds')!
    const healthz = samples.filter(({ labels }) => labels.route === '/healthz')
    const buckets = healthz.filter(({ name }) => name.endsWith('_bucket')).map(({ value }) => value)
    assert.deepEqual(
      buckets,
      buckets.toSorted((a, b) => a - b),
    )
    assert.equal(buckets.at(-1), healthz.find(({ name }) => name.endsWith('_count'))!.value)
  })
})
