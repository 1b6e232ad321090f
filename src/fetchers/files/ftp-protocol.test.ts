import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'
import { fails } from '../failing.testkit.ts'
import { createVisitor, type ProtocolWorld, placeIn, testProtocol } from '../protocol-suite.testkit.ts'
import { createFtpProtocol } from './ftp-protocol.ts'
import { type FtpScript, startFtpScript } from './ftp-script.testkit.ts'
import { startVsftpd, type VsftpdOptions, vsftpdSkip } from './vsftpd.testkit.ts'

const password = 'sesame-3141-open'

async function openWorld(options: VsftpdOptions = {}, scheme = 'ftp') {
  const server = await startVsftpd(options)
  const host = options.tls === undefined ? '127.0.0.1' : 'localhost'
  const world: ProtocolWorld = {
    protocol: createFtpProtocol({ ca: server.cert }),
    url: `${scheme}://${host}:${server.port}/in/`,
    missingUrl: `${scheme}://${host}:${server.port}/none/`,
    secret: options.password === undefined ? null : { user: 'anonymous', password: options.password },
    ...(options.password === undefined ? {} : { wrongSecret: { user: 'anonymous', password: `not-${password}` } }),
    put: async (name, text) => writeFileSync(server.at(name), text),
    change: async (name, text) => writeFileSync(server.at(name), text),
    remove: async (name) => rmSync(server.at(name)),
    moved: async () => (await server.sent()).length,
    close: () => server.close(),
  }
  return { ...world, server }
}

const lacks = { push: 'a server speaks when it is asked' }
testProtocol('FTP', () => openWorld({ password }), { skip: vsftpdSkip, lacks })
testProtocol('FTP with TLS for credentials', () => openWorld({ password, tls: 'offered' }), { skip: vsftpdSkip, lacks })
testProtocol('FTP over TLS', () => openWorld({ tls: 'implicit' }, 'ftps'), {
  skip: vsftpdSkip,
  lacks: { ...lacks, credentials: 'this server lets everybody in' },
})

describe('FTP with vsftpd', { skip: vsftpdSkip }, () => {
  const withWorld =
    (options: VsftpdOptions, scheme: string, work: (world: Awaited<ReturnType<typeof openWorld>>) => Promise<void>) =>
    async () => {
      const world = await openWorld(options, scheme)
      try {
        await work(world)
      } finally {
        await world.close()
      }
    }

  test(
    'a second visit transfers no files, and a third only the one that was touched',
    withWorld({}, 'ftp', async (world) => {
      for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(world.server.at(name), name)
      const visitor = createVisitor(world)
      await visitor.visit()
      await visitor.visit()
      assert.equal((await world.server.sent()).length, 3)
      utimesSync(world.server.at('b.txt'), new Date(1e12), new Date(1e12))
      const { read } = await visitor.visit()
      assert.deepEqual(
        read.map(({ name, body }) => [name, body.type]),
        [['b.txt', 'text/plain']],
      )
      const sent = await world.server.sent()
      assert.equal(sent.length, 4)
      assert.match(sent[3]!, / \/in\/b\.txt b _ o /)
    }),
  )

  test(
    'a change is noticed if the size and the minute are the same, but not the second',
    withWorld({}, 'ftp', async (world) => {
      writeFileSync(world.server.at('a'), 'one')
      utimesSync(world.server.at('a'), 1_700_000_001, 1_700_000_001)
      const visitor = createVisitor(world)
      await visitor.visit()
      writeFileSync(world.server.at('a'), 'two')
      utimesSync(world.server.at('a'), 1_700_000_002, 1_700_000_002)
      assert.equal((await visitor.visit()).read[0]?.body.body.toString(), 'two')
    }),
  )

  test(
    'folders are lists, names may be unusual, and links to files are files',
    withWorld({}, 'ftp', async (world) => {
      mkdirSync(world.server.at('sub'))
      const names = [' leading', '50% #1?', 'ünï', 'a -b', '-a']
      for (const name of names) writeFileSync(world.server.at(name), name)
      symlinkSync('ünï', world.server.at('link'))
      symlinkSync('sub', world.server.at('folder-link'))
      const { read, lists, left } = await createVisitor(world).visit()
      assert.deepEqual(read.map(({ body }) => body.body.toString()).sort(), [...names, 'ünï'].sort())
      assert.deepEqual(lists, [{ url: `${world.url}sub/`, name: 'sub' }])
      assert.match(left, /^Left out: 1 /)
      for (const { url } of read) assert.equal(world.protocol.normalise(url), url)
    }),
  )

  test(
    'a URL without a trailing slash can be a file or a folder',
    withWorld({}, 'ftp', async (world) => {
      writeFileSync(world.server.at('a.html'), '<p>words')
      const session = await world.protocol.open(placeIn(world, { url: `${world.url}a.html` }))
      const found = await session.look('')
      assert.ok(found.kind === 'item')
      const listed = await createVisitor(world).visit()
      assert.equal(listed.read[0]!.url, found.item.url)
      assert.deepEqual((await session.read(found.item)).type, 'text/html')
      await session.close()
      const url = world.url.slice(0, -1)
      assert.equal((await createVisitor({ ...world, url }).visit()).read[0]!.url, `${url}/a.html`)
    }),
  )

  test(
    'a session continues after a file was cut',
    withWorld({}, 'ftp', async (world) => {
      for (const name of ['a', 'b', 'c']) writeFileSync(world.server.at(name), name.repeat(3_000_000))
      const limits = { ...placeIn(world).limits, maxBodyBytes: 1000 }
      const { read } = await createVisitor(world).visit({ limits })
      assert.deepEqual(
        read.map(({ body }) => [body.body.toString(), body.isCut]),
        ['a', 'b', 'c'].map((name) => [name.repeat(1000), true]),
      )
    }),
  )

  test(
    'ftps upgrades a plain connection to TLS, and checks the certificate',
    withWorld({ tls: 'offered' }, 'ftps', async (world) => {
      writeFileSync(world.server.at('a'), 'words')
      assert.equal((await createVisitor(world).visit()).read.length, 1)
      const careful = { ...world, protocol: createFtpProtocol() }
      await fails(world, () => createVisitor(careful).visit(), 'tls-failed')
      const url = world.url.replace('localhost', 'other.example')
      await fails(world, () => createVisitor({ ...world, url }).visit(), 'tls-failed')
    }),
  )

  test(
    'implicit TLS connects to the resolved address, and checks the host name',
    withWorld({ tls: 'implicit' }, 'ftps', async (world) => {
      const url = world.url.replace('localhost', 'other.example')
      await fails(world, () => createVisitor({ ...world, url }).visit(), 'tls-failed')
      await fails(world, () => createVisitor(world).visit({ resolve: async () => '127.0.0.9' }), 'connect-refused')
    }),
  )

  test(
    'ftps fails if the server does not support TLS',
    withWorld({}, 'ftps', async (world) => {
      await fails(world, () => createVisitor(world).visit(), 'tls-failed')
    }),
  )
})

describe('FTP URLs', () => {
  const { normalise } = createFtpProtocol()

  test('are normalised', () => {
    assert.equal(normalise('FTP://Example.ORG:21'), 'ftp://example.org/')
    assert.equal(normalise('ftp://example.org//a/%62 c/'), 'ftp://example.org/a/b%20c/')
    assert.equal(normalise('ftps://BÜCHER.example:990/a'), 'ftps://xn--bcher-kva.example/a')
    assert.equal(normalise('ftps://example.org:21/a'), 'ftps://example.org:21/a')
    assert.equal(normalise('ftp://[::1]:2121/%2fetc/motd'), 'ftp://[::1]:2121/%2Fetc/motd')
  })

  test('are refused if they contain credentials, line breaks or parent folders, or are malformed', () => {
    for (const rest of [
      'u:p@a.example/',
      'a.example/%0d%0aDELE%20x',
      'a.example/a%0A',
      'a.example/../b',
      'a.example/%2e%2e/b',
    ])
      assert.throws(
        () => normalise(`ftp://${rest}`),
        (error) => isAppError(error, 'url-invalid') && !error.message.includes('u:p'),
      )
    for (const url of [
      'ftp:///a',
      'ftp://a b/',
      'ftp://a:99999/',
      'ftp://a.example/x?y',
      'ftp://a.example/x#y',
      'http://a.example/',
      'ftp:a',
    ])
      assert.throws(
        () => normalise(url),
        (error) => isAppError(error, 'url-invalid'),
        url,
      )
  })
})

describe('FTP with scripted servers', () => {
  const withScript = (script: FtpScript, work: (world: ReturnType<typeof worldOf>) => Promise<void>) => async () => {
    const server = await startFtpScript(script)
    try {
      await work(worldOf(server))
    } finally {
      await server.close()
    }
  }
  const worldOf = (server: Awaited<ReturnType<typeof startFtpScript>>) => {
    const url = `ftp://127.0.0.1:${server.port}/`
    const unused = async (): Promise<never> => assert.fail('nothing can be put there')
    const protocol = createFtpProtocol()
    return { protocol, url, missingUrl: url, secret: { user: 'me', password }, put: unused, close: unused, server }
  }
  const within = (world: ProtocolWorld, limits: Partial<Place['limits']>) => ({
    limits: { ...placeIn(world).limits, ...limits },
  })
  const file = '-rw-r--r-- 1 0 0 5 Nov 17 03:50 a.txt\r\n'

  test(
    'refuses a data connection to another host',
    withScript(
      { replies: { EPSV: '500 No', PASV: '227 Passive (192,0,2,7,10,229)' }, listing: file },
      async (world) => {
        await fails(world, () => createVisitor(world).visit(), 'address-refused')
        assert.ok(world.server.commands.includes('PASV'))
      },
    ),
  )

  test(
    'opens data connections by EPSV',
    withScript({ replies: { PASV: '500 No' }, listing: file, body: Buffer.from('words') }, async (world) => {
      assert.equal((await createVisitor(world).visit()).read[0]?.body.body.toString(), 'words')
      assert.ok(!world.server.commands.includes('PASV'))
    }),
  )

  test(
    'falls back to PASV if the EPSV reply names another host',
    withScript(
      { replies: { EPSV: '229 Passive (|1|192.0.2.7|99|)' }, listing: file, body: Buffer.from('words') },
      async (world) => {
        assert.equal((await createVisitor(world).visit()).read[0]?.body.body.toString(), 'words')
      },
    ),
  )

  test(
    'leaves out names with path separators or control characters',
    withScript(
      {
        replies: { FEAT: '211-Features\r\n MLST type*;size*;modify*;\r\n211 End' },
        listing: ['..', '.', '../up', 'a/b', 'a\rDELE b', 'nul\0', 'fine.txt']
          .map((name) => `type=file;size=1;modify=20200101000000; ${name}\r\n`)
          .join(''),
      },
      async (world) => {
        const { read, left } = await createVisitor(world).visit()
        assert.deepEqual(
          read.map(({ name }) => name),
          ['fine.txt'],
        )
        assert.match(left, /Left out/)
        assert.ok(world.server.commands.every((line) => !line.includes('DELE')))
      },
    ),
  )

  test(
    'invalid times and sizes yield no validators',
    withScript(
      {
        replies: { FEAT: '211-Features\r\n MLST type*;size*;modify*;\r\n211 End' },
        listing:
          'type=file;modify=yesterday;size=1; a\r\nmodify=;type=file;size=1; b\r\ntype=file;size=x;modify=20200101000000; c\r\n',
      },
      async (world) => {
        const visitor = createVisitor(world)
        await visitor.visit()
        assert.deepEqual([...visitor.kept.values()], ['', '', ''])
      },
    ),
  )

  test(
    'feature names are case-insensitive',
    withScript(
      {
        replies: { FEAT: '211-Features\r\n mlst type*;size*;modify*;\r\n211 End' },
        listing: 'type=file;size=1;modify=20200101000000; a\r\n',
      },
      async (world) => {
        const visitor = createVisitor(world)
        await visitor.visit()
        assert.deepEqual([...visitor.kept.values()], ['1 2020-01-01T00:00:00.000Z'])
        assert.ok(world.server.commands.includes('MLSD'))
      },
    ),
  )

  test(
    'repeats LIST without -a if the listing with it is empty',
    withScript({ listing: (option) => (option === '-a' ? '' : file) }, async (world) => {
      assert.equal((await createVisitor(world).visit()).read.length, 1)
      assert.deepEqual(
        world.server.commands.filter((line) => line.startsWith('LIST')),
        ['LIST -a', 'LIST'],
      )
    }),
  )

  test(
    'accepts a PWD reply without quotes',
    withScript({ replies: { PWD: '257 /home/ann is where you are' }, listing: file }, async (world) => {
      await createVisitor(world).visit()
      assert.ok(world.server.commands.includes('CWD /home/ann/'))
      assert.ok(world.server.commands.includes('RETR /home/ann/a.txt'))
    }),
  )

  test(
    'a file has no validator if the server does not support SIZE',
    withScript(
      { replies: { CWD: (path) => (path === '/b' ? '250 Fine' : '550 No folder') }, listing: file },
      async (world) => {
        const session = await world.protocol.open({ ...placeIn(world), url: `${world.url}a.txt` })
        const found = await session.look('')
        assert.ok(found.kind === 'item' && found.item.name === 'a.txt' && found.item.validator === '')
        await session.close()
        const other = await world.protocol.open({ ...placeIn(world), url: `${world.url}b` })
        assert.equal((await other.look('')).kind, 'list')
        await other.close()
      },
    ),
  )

  test(
    'a server that offers only GSSAPI is used without TLS',
    withScript(
      { replies: { FEAT: '211-Features\r\n AUTH GSSAPI\r\n211 End', AUTH: '504 Unknown' }, listing: file },
      async (world) => {
        assert.equal((await createVisitor(world).visit()).read.length, 1)
      },
    ),
  )

  test(
    'sends no password if the server offers TLS and GSSAPI, but then refuses TLS',
    withScript(
      { replies: { FEAT: '211-Features\r\n AUTH TLS\r\n AUTH GSSAPI\r\n211 End', AUTH: '504 Not now' }, listing: file },
      async (world) => {
        await fails(world, () => createVisitor(world).visit(), 'tls-failed')
        assert.ok(world.server.commands.every((line) => !line.startsWith('PASS')))
      },
    ),
  )

  test(
    'sends no password if the server offers TLS, but then refuses it',
    withScript(
      { replies: { FEAT: '211-Features\r\n auth TLS\r\n211 End', AUTH: '534 Not now' }, listing: file },
      async (world) => {
        await fails(world, () => createVisitor(world).visit(), 'tls-failed')
        assert.ok(world.server.commands.every((line) => !line.startsWith('PASS')))
      },
    ),
  )

  test(
    'errors do not repeat a password from the reply to PASS',
    withScript({ replies: { PASS: (argument) => `530 Who is ${argument}?` } }, async (world) => {
      await fails(world, () => createVisitor(world).visit(), 'sign-in-failed')
    }),
  )

  test(
    'errors do not repeat a password from other replies',
    withScript({ replies: { CWD: `550 ${password}` } }, async (world) => {
      await fails(world, () => createVisitor(world).visit(), 'not-found')
    }),
  )

  test(
    'does not send credentials with line breaks',
    withScript({}, async (world) => {
      const secret = { user: 'me', password: `${password}\r\nDELE a` }
      await fails({ secret }, () => createVisitor(world).visit({ secret }), 'sign-in-failed')
      assert.ok(world.server.commands.every((line) => !/PASS|DELE/.test(line)))
    }),
  )

  test(
    'retries later if the server has too many users',
    withScript({ replies: { USER: '421 Too many users' } }, async (world) => {
      await assert.rejects(
        createVisitor(world).visit(),
        (error) => isAppError(error, 'connect-failed') && error.retry === 'later',
      )
    }),
  )

  test(
    'times out if the server does not answer',
    withScript({ replies: { USER: null } }, async (world) => {
      await fails(world, () => createVisitor(world).visit(within(world, { connectTimeoutMs: 100 })), 'connect-timeout')
    }),
  )

  test(
    'times out if a transfer stalls',
    withScript({ listing: file, body: (data) => void data.write('a few words') }, async (world) => {
      await fails(world, () => createVisitor(world).visit(within(world, { stallTimeoutMs: 200 })), 'body-timeout')
    }),
  )

  test(
    'cuts an endless file at the limit',
    withScript(
      {
        listing: file,
        body: (data) => {
          const more = (): void => {
            while (!data.destroyed && data.write(Buffer.alloc(65_536, 0x61)));
          }
          data.on('drain', more)
          more()
        },
      },
      async (world) => {
        const { read } = await createVisitor(world).visit(within(world, { maxBodyBytes: 1_000_000 }))
        assert.deepEqual([read[0]!.body.body.length, read[0]!.body.isCut], [1_000_000, true])
      },
    ),
  )

  test('aborts a transfer when the visit ends', async () => {
    const ended = new AbortController()
    const server = await startFtpScript({
      listing: file,
      body: (data) => {
        data.write('a few words')
        ended.abort()
      },
    })
    const world = worldOf(server)
    try {
      await fails(world, () => createVisitor(world).visit({ signal: ended.signal }), 'total-timeout')
    } finally {
      await server.close()
    }
  })

  test(
    'fails if the server aborts a transfer',
    withScript({ listing: file, replies: { RETR: '150 Here\r\n426 Or not' } }, async (world) => {
      await fails(world, () => createVisitor(world).visit(), 'connect-failed')
    }),
  )

  test(
    'refuses an endless reply',
    withScript({ greeting: `220-${'x'.repeat(100_000)}` }, async (world) => {
      await fails(world, () => createVisitor(world).visit(), 'protocol-failed')
    }),
  )

  test(
    'refuses an endless listing',
    withScript({ listing: file.repeat(450_000) }, async (world) => {
      await fails(world, () => createVisitor(world).visit(), 'protocol-failed')
    }),
  )
})
