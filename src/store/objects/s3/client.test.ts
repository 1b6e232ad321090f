import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { type S3Server, startS3Server } from '../testkit/s3-server.testkit.ts'
import { createS3Client, type S3Client } from './client.ts'

const atOnce = async (): Promise<void> => {}

/** Not every system resolves bucket names under `localhost`. */
const lookup: LookupFunction = (_, options, callback) =>
  options.all === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)
const quick = { wait: atOnce, lookup }

for (const pathStyle of [true, false])
  describe(`the S3 client with the bucket in the ${pathStyle ? 'path' : "host's name"}`, () => {
    let server: S3Server
    let client: S3Client

    before(async () => {
      server = await startS3Server({ pathStyle })
      client = createS3Client({ ...server.settings, ...quick })
    })

    after(async () => {
      client.close()
      await server.end()
    })

    test('reads ranges of an object, and rejects ranges and keys that do not exist', async () => {
      await client.put('a/b c+d.warc', Buffer.from('0123456789'))
      assert.equal((await client.get('a/b c+d.warc', { offset: 3, length: 4 })).toString(), '3456')
      assert.equal((await client.get('a/b c+d.warc', { offset: 0, length: 0 })).length, 0)
      for (const [key, offset] of [
        ['a/b c+d.warc', 8],
        ['a/b c+d.warc', 20],
        ['none', 0],
      ] as const)
        await assert.rejects(client.get(key, { offset, length: 5 }), (error) => isAppError(error, 'record-damaged'))
    })

    test('lists objects by prefix and removes them', async () => {
      const keys = Array.from({ length: 30 }, (_, n) => `many/${String(n).padStart(5, '0')}`)
      await Promise.all(keys.map((key) => client.put(key, Buffer.from('xyz'))))
      await client.put('other', Buffer.from('x'))
      assert.deepEqual(
        await client.list('many/'),
        keys.map((key) => ({ key, bytes: 3 })),
      )
      await client.remove(keys[0]!)
      await client.remove(keys[0]!)
      assert.equal((await client.list('many/')).length, keys.length - 1)
    })

    test('reports a missing bucket or an unknown access key as refused, without leaking the secret', async () => {
      const elsewhere = createS3Client({ ...server.settings, bucket: 'nowhere', ...quick })
      const requests = [
        elsewhere.put('a', Buffer.from('x')),
        elsewhere.get('a', { offset: 0, length: 1 }),
        elsewhere.list(''),
        elsewhere.remove('a'),
      ]
      await Promise.all(
        requests.map((request) => assert.rejects(request, (error) => isAppError(error, 'store-refused'))),
      )
      elsewhere.close()
      const stranger = createS3Client({
        ...server.settings,
        accessKey: 'UNKNOWN',
        secretKey: 'hidden-secret',
        ...quick,
      })
      await assert.rejects(stranger.put('a', Buffer.from('x')), (error) => {
        assert.ok(isAppError(error, 'store-refused'))
        assert.doesNotMatch(`${error.message} ${error.stack} ${String(error.cause)}`, /hidden-secret/)
        return true
      })
      stranger.close()
    })

    test('reports a signature made with a wrong secret as refused', async () => {
      const forger = createS3Client({ ...server.settings, secretKey: 'another', ...quick })
      await assert.rejects(forger.put('a', Buffer.from('x')), (error) => isAppError(error, 'store-refused'))
      forger.close()
    })

    test('reports an unreachable server, and works again once the server is back', async () => {
      await server.stop()
      await assert.rejects(client.put('late', Buffer.from('x')), (error) => isAppError(error, 'store-unreachable'))
      await server.start()
      await client.put('late', Buffer.from('x'))
      assert.equal((await client.get('late', { offset: 0, length: 1 })).toString(), 'x')
    })
  })

describe('S3 responses', () => {
  async function withAnswers(
    answers: readonly { status: number; body: string }[],
    work: (client: S3Client, asked: () => number) => Promise<void>,
  ): Promise<void> {
    let asked = 0
    const server = createServer((request, response) => {
      const { status, body } = answers[Math.min(asked++, answers.length - 1)]!
      request.resume().on('end', () => response.writeHead(status).end(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const keys = { accessKey: 'a', secretKey: 'b', region: 'r', bucket: 'c', pathStyle: true }
    const client = createS3Client({ endpoint, ...keys, ...quick })
    try {
      await work(client, () => asked)
    } finally {
      client.close()
      server.close()
      server.closeAllConnections()
    }
  }

  const slowDown = { status: 503, body: '<Error><Code>SlowDown</Code></Error>' }

  test('a busy server is retried', () =>
    withAnswers([slowDown, slowDown, { status: 200, body: '' }], async (client, asked) => {
      await client.put('a', Buffer.from('x'))
      assert.equal(asked(), 3)
    }))

  test('a server that stays busy is reported as unavailable after four attempts', () =>
    withAnswers([slowDown], async (client, asked) => {
      await assert.rejects(client.put('a', Buffer.from('x')), (error) => isAppError(error, 'store-unavailable'))
      assert.equal(asked(), 4)
    }))

  test('a proxy that knows no such page says nothing about objects', () =>
    withAnswers([{ status: 404, body: '404 page not found' }], async (client) => {
      for (const request of [
        client.get('a', { offset: 0, length: 1 }),
        client.put('a', Buffer.from('x')),
        client.list(''),
        client.remove('a'),
      ])
        await assert.rejects(request, (error) => isAppError(error, 'store-unavailable'))
    }))

  test('a full server is reported as full', () =>
    withAnswers([{ status: 507, body: '<Error><Code>XMinioStorageFull</Code></Error>' }], (client) =>
      assert.rejects(client.put('a', Buffer.from('x')), (error) => isAppError(error, 'store-full')),
    ))

  for (const [status, code, expected] of [
    [403, 'QuotaExceeded', 'store-full'],
    [400, 'XMinioAdminBucketQuotaExceeded', 'store-full'],
    [400, 'RequestTimeout', 'store-unavailable'],
  ] as const)
    test(`${code} with status ${status} passes: it is reported as ${expected}`, () =>
      withAnswers([{ status, body: `<Error><Code>${code}</Code></Error>` }], (client) =>
        assert.rejects(
          client.put('a', Buffer.from('x')),
          (error) => isAppError(error, expected) && error.retry === 'later',
        ),
      ))

  const page = (key: string, rest: string): { status: number; body: string } => ({
    status: 200,
    body: `<ListBucketResult><Contents><Key>${key}</Key><Size>7</Size></Contents>${rest}</ListBucketResult>`,
  })

  test('a listing of several pages is read to the end', () =>
    withAnswers(
      [
        page('a', '<IsTruncated>true</IsTruncated><NextContinuationToken>1+2&amp;/=</NextContinuationToken>'),
        page('b', '<IsTruncated>false</IsTruncated>'),
      ],
      async (client, asked) => {
        const keys = (await client.list('')).map(({ key }) => key)
        assert.deepEqual([keys, asked()], [['a', 'b'], 2])
      },
    ))

  test('a response longer than the requested range is rejected', () =>
    withAnswers([{ status: 206, body: 'x'.repeat(100) }], (client) =>
      assert.rejects(client.get('a', { offset: 0, length: 10 }), (error) => isAppError(error, 'store-failed')),
    ))
})
