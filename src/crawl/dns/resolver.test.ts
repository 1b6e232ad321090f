import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createManualClock, systemClock } from '../../core/clock.ts'
import { type NameServerAnswer, startNameServer } from './name-server.testkit.ts'
import { createSystemResolver, parseHosts } from './resolver.ts'

const noHosts = join(tmpdir(), 'no-such-hosts-file')

async function withServer(
  answer: (name: string, type: 'A' | 'AAAA', nth: number) => NameServerAnswer,
  use: (resolver: ReturnType<typeof createSystemResolver>, questions: string[]) => Promise<void>,
) {
  const server = await startNameServer(answer)
  const resolver = createSystemResolver({
    clock: systemClock,
    servers: [server.server],
    hostsPath: noHosts,
    timeoutMs: 50,
    tries: 1,
  })
  try {
    await use(resolver, server.questions)
  } finally {
    await server.close()
  }
}

test('queries A and AAAA, returns IPv6 first and uses the shortest TTL', async () => {
  await withServer(
    (_, type) =>
      type === 'A'
        ? { addresses: ['93.184.215.14'], ttlSeconds: 300 }
        : { addresses: ['2606:2800:21f:cb07:6820:80da:af6b:8b2c'], ttlSeconds: 120 },
    async (resolver, questions) => {
      assert.deepEqual(await resolver.resolve('example.org'), {
        addresses: ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '93.184.215.14'],
        ttlMs: 120_000,
      })
      assert.deepEqual(questions.toSorted(), ['example.org A', 'example.org AAAA'])
    },
  )
})

test('one address family is enough if the other is empty, fails or times out', async () => {
  await withServer(
    (name, type) =>
      type === 'A'
        ? { addresses: ['192.0.2.1'] }
        : name === 'half.example'
          ? { rcode: 2 }
          : name === 'mute.example'
            ? 'silent'
            : {},
    async (resolver) => {
      assert.deepEqual((await resolver.resolve('half.example')).addresses, ['192.0.2.1'])
      assert.deepEqual((await resolver.resolve('v4.example')).addresses, ['192.0.2.1'])
      assert.deepEqual((await resolver.resolve('mute.example')).addresses, ['192.0.2.1'])
    },
  )
})

test('a nonexistent name has no addresses; a failing or silent server is an error', async () => {
  await withServer(
    (name) => (name === 'none.example' ? { rcode: 3 } : name === 'mute.example' ? 'silent' : { rcode: 2 }),
    async (resolver) => {
      assert.deepEqual((await resolver.resolve('none.example')).addresses, [])
      await assert.rejects(resolver.resolve('broken.example'))
      await assert.rejects(resolver.resolve('mute.example'))
    },
  )
})

test('the hosts file takes precedence over name servers and is reread after a minute', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'erace-hosts-'))
  const hostsPath = join(folder, 'hosts')
  const clock = createManualClock()
  const server = await startNameServer(() => ({ rcode: 3 }))
  try {
    await writeFile(hostsPath, '192.0.2.7 intra.example # the wiki\n')
    const resolver = createSystemResolver({ clock, servers: [server.server], hostsPath })
    assert.deepEqual((await resolver.resolve('intra.example')).addresses, ['192.0.2.7'])
    await writeFile(hostsPath, '192.0.2.8 intra.example\n')
    assert.deepEqual((await resolver.resolve('intra.example')).addresses, ['192.0.2.7'])
    clock.advance(60_000)
    assert.deepEqual((await resolver.resolve('intra.example.')).addresses, ['192.0.2.8'])
    assert.deepEqual(server.questions, [])
  } finally {
    await server.close()
    await rm(folder, { recursive: true })
  }
})

test('localhost and its subdomains resolve to loopback addresses without a query', async () => {
  await withServer(
    () => ({ addresses: ['93.184.215.14'] }),
    async (resolver, questions) => {
      assert.deepEqual((await resolver.resolve('localhost')).addresses, ['127.0.0.1', '::1'])
      assert.deepEqual((await resolver.resolve('app.localhost')).addresses, ['127.0.0.1', '::1'])
      assert.deepEqual(questions, [])
    },
  )
})

test('parseHosts keeps all addresses of a name and skips invalid addresses', () => {
  const names = parseHosts('127.0.0.1 Localhost box\n::1 localhost\nrubbish x\nfe80::1%lo0 localhost\n\n# 1.2.3.4 no\n')
  assert.deepEqual(names.get('localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(names.get('box'), ['127.0.0.1'])
  assert.equal(names.has('x'), false)
  assert.equal(names.has('no'), false)
})
