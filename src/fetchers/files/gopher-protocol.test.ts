import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { programSkip } from '../../../test/kit/programs.ts'
import { isAppError } from '../../core/errors.ts'
import type { ItemBody, Place } from '../../crawl/fetch/protocol.ts'
import { fails } from '../failing.testkit.ts'
import { type ProtocolWorld, placeIn, testProtocol } from '../protocol-suite.testkit.ts'
import { createGopherProtocol } from './gopher-protocol.ts'
import { startInetd } from './inetd.testkit.ts'

const program = '/usr/sbin/gophernicus'
const skip = programSkip(program, 'gophernicus')

async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'erace-gopher-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'in'), { mode: 0o755 })
  const at = (name: string): string => join(folder, 'in', name)
  const inetd = await startInetd([
    program,
    '-r',
    folder,
    '-h',
    'gopher.example',
    '-p',
    '70',
    ...['-nf', '-nu', '-nr', '-nm', '-ns'],
  ])
  const world: ProtocolWorld = {
    protocol: createGopherProtocol(),
    url: `gopher://127.0.0.1:${inetd.port}/0/in/document.txt`,
    missingUrl: `gopher://127.0.0.1:${inetd.port}/0/in/none.txt`,
    secret: null,
    put: async (_, text) => writeFileSync(at('document.txt'), text),
    change: async (_, text) => writeFileSync(at('document.txt'), text),
    async close() {
      await inetd.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return { ...world, at, root: `gopher://127.0.0.1:${inetd.port}/` }
}

async function read(url: string, changes: Partial<Place> = {}): Promise<ItemBody> {
  const session = await createGopherProtocol().open(placeIn({ url, secret: null }, changes))
  const found = await session.look('')
  await session.close()
  assert.ok(found.kind === 'item' && found.item.body !== undefined)
  return found.item.body
}

testProtocol('Gopher', openWorld, {
  skip,
  lacks: {
    lists: 'a menu is a page with links',
    removals: 'a document that is not there is not found',
    counts: 'nothing is known of a document without reading it',
    credentials: 'everybody may read',
    push: 'a server speaks when it is asked',
  },
})

test('a Gophernicus menu becomes a page with links', { skip }, async () => {
  const world = await openWorld()
  try {
    writeFileSync(world.at('a.txt'), 'words')
    writeFileSync(world.at('ü b.txt'), 'words')
    mkdirSync(world.at('sub'), { mode: 0o755 })
    const { type, body } = await read(`${world.root}1/in`)
    assert.equal(type, 'text/html; charset=utf-8')
    const page = body.toString()
    assert.match(page, /<title>\[\/in\/\]<\/title>/)
    assert.match(page, /<li><a href="gopher:\/\/gopher\.example\/0\/in\/a\.txt">a\.txt /)
    assert.match(page, /<li><a href="gopher:\/\/gopher\.example\/1\/in\/sub\/">sub /)
    const coded = /href="gopher:\/\/gopher\.example(\/0[^"]*b\.txt)">ü b\.txt /.exec(page)?.[1]
    assert.equal((await read(`${world.root}${coded?.slice(1)}`)).body.toString(), 'words\r\n')
    await fails(world, () => read(`${world.root}1/none`), 'not-found')
  } finally {
    await world.close()
  }
})

describe('Gopher URLs', () => {
  const { normalise } = createGopherProtocol()

  test('are normalised', () => {
    assert.equal(normalise('GOPHER://Example.ORG:70'), 'gopher://example.org/')
    assert.equal(normalise('gopher://example.org/1'), 'gopher://example.org/')
    assert.equal(normalise('gopher://example.org:7070/0/%61 b?c'), 'gopher://example.org:7070/0/a%20b%3Fc')
    assert.equal(normalise('gopher://example.org/7/find%09two words'), 'gopher://example.org/7/find%09two%20words')
    assert.equal(normalise('gopher://example.org/1//a//'), 'gopher://example.org/1//a//')
  })

  test('are refused if they could send anything but a selector to a Gopher server', () => {
    for (const rest of [
      '/0a%0d%0aDATA',
      '/0a%0A',
      '/0a%00',
      '/0a%09b',
      '/7a%09b%09c',
      '/0/../x',
      '/0/%2e%2E/x',
      '/0a%1b',
      '/2x',
      '/8x',
      '/0%',
      `/0${'a'.repeat(3000)}`,
    ])
      assert.throws(
        () => normalise(`gopher://a.example${rest}`),
        (error) => isAppError(error, 'url-invalid'),
        rest,
      )
    for (const port of [25, 80, 6379, 6667, 11211])
      assert.throws(
        () => normalise(`gopher://a.example:${port}/`),
        (error) => isAppError(error, 'url-invalid'),
      )
  })
})

describe('Gopher with scripted servers', () => {
  /** A server that calls `answer` for each connection, once it has received the selector. */
  async function serve(answer: (socket: Socket, selector: string) => void) {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
      socket.once('data', (line) => answer(socket, line.toString('latin1')))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      root: `gopher://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      close() {
        for (const socket of sockets) socket.destroy()
        server.close()
      },
    }
  }
  const withServer =
    (answer: string | Buffer | ((socket: Socket, selector: string) => void), work: (root: string) => Promise<void>) =>
    async () => {
      const server = await serve(typeof answer === 'function' ? answer : (socket) => socket.end(answer))
      try {
        await work(server.root)
      } finally {
        server.close()
      }
    }
  const limited = (limits: Partial<Place['limits']>) => ({
    limits: { ...placeIn({ url: '', secret: null }).limits, ...limits },
  })

  const menu = [
    'iWelcome <b>&"\tfake\t(NULL)\t0',
    'i  to  art\t\terror.host\t1',
    '1Folder\t/folder\tA.example\t70',
    '0Text <i>\t/a b?"\tb.example\t7070\t+',
    'hWeb\tURL:https://example.org/?a=1&b=2\tc.example\t70',
    'hScript\tURL:javascript:alert(1)\tc.example\t70',
    '8Terminal\t\td.example\t23',
    '0Line\t/a\x0bb\te.example\t70',
    '0Up\t/a/../b\te.example\t70',
    '0Mail\t/HELO\te.example\t25',
    '0Nowhere\t/x\t\t70',
    '0Port\t/x\te.example\tmany',
    'a line of its own',
    '7Search\t/find\tf.example\t70',
    '.',
    '1After\t/after\tg.example\t70',
  ].join('\r\n')

  test(
    'menus become pages that contain only safe links',
    withServer(menu, async (root) => {
      const page = (await read(root)).body.toString()
      const body = page.slice(page.indexOf('<body>\n') + 7, page.indexOf('\n</body>'))
      assert.deepEqual(body.split('\n'), [
        '<pre>Welcome &lt;b&gt;&amp;&quot;',
        '  to  art</pre>',
        '<ul>',
        '<li><a href="gopher://a.example/1/folder">Folder</a></li>',
        '<li><a href="gopher://b.example:7070/0/a%20b%3F%22">Text &lt;i&gt;</a></li>',
        '<li><a href="https://example.org/?a=1&amp;b=2">Web</a></li>',
        ...['Script', 'Terminal', 'Line', 'Up', 'Mail', 'Nowhere', 'Port'].map((name) => `<li>${name}</li>`),
        '</ul>',
        '<pre>a line of its own</pre>',
        '<ul>',
        '<li><a href="gopher://f.example/7/find">Search</a></li>',
        '</ul>',
      ])
    }),
  )

  test(
    'menus are decoded as UTF-8 or else as Latin-1',
    withServer(
      (socket, selector) =>
        socket.end(Buffer.from('1Bücher\t/x\ta.example\t70\r\n.\r\n', selector === 'old\r\n' ? 'latin1' : 'utf8')),
      async (root) => {
        for (const name of ['1old', '1new']) assert.match((await read(`${root}${name}`)).body.toString(), />Bücher</)
      },
    ),
  )

  const texts: [sent: string, text: string][] = [
    ['a\r\n..b\r\n.\r\n', 'a\r\n.b\r\n'],
    ['a\r\n..b\r\n', 'a\r\n..b\r\n'],
    ['a\n.\nb\n', 'a\n.\nb\n'],
    ['.\r\n', ''],
    ['', ''],
    ['a.\r\n', 'a.\r\n'],
  ]
  for (const [sent, text] of texts)
    test(
      `decodes a text sent as ${JSON.stringify(sent)}`,
      withServer(sent, async (root) => {
        const { type, body } = await read(`${root}0/x`)
        assert.deepEqual([type, body.toString()], ['text/plain', text])
      }),
    )

  test(
    'other documents get their media type from the item type, name or content',
    withServer(Buffer.from('%PDF-1.7\n..\n.\n'), async (root) => {
      for (const [path, type] of [
        ['9/x', 'application/pdf'],
        ['d/x', 'application/pdf'],
        ['h/x', 'text/html'],
        ['g/x', 'image/gif'],
        ['I/x.jpg', 'image/jpeg'],
      ])
        assert.equal((await read(`${root}${path}`)).type, type)
      assert.equal((await read(`${root}9/x`)).body.toString(), '%PDF-1.7\n..\n.\n')
    }),
  )

  test(
    'an entry of type 3 means not found',
    withServer("3'/x' does not exist (no handler found)\t\terror.host\t1\r\n.\r\n", async (root) => {
      for (const path of ['', '0/x', '9/x']) await fails({ secret: null }, () => read(`${root}${path}`), 'not-found')
    }),
  )

  test(
    'sends the bytes of the selector, and the words of a search',
    withServer(
      (socket, selector) => socket.end(selector, 'latin1'),
      async (root) => {
        assert.equal((await read(`${root}9/%FFa`)).body.toString('latin1'), '/\xffa\r\n')
        // The echoed line contains a tab, so it is an entry of the menu that a search returns.
        assert.match((await read(`${root}7/find%09two%20words`)).body.toString(), /<li>find<\/li>/)
      },
    ),
  )

  test(
    'cuts endless texts and menus at the limit',
    withServer(
      (socket) => {
        const more = (): void => {
          while (!socket.destroyed && socket.write('1Entry\t/entry\ta.example\t70\r\n'.repeat(1000)));
        }
        socket.on('drain', more)
        more()
      },
      async (root) => {
        const text = await read(`${root}0/x`, limited({ maxBodyBytes: 100_000 }))
        assert.deepEqual([text.body.length, text.isCut], [100_000, true])
        const page = await read(root, limited({ maxBodyBytes: 100_000 }))
        assert.deepEqual([page.body.length, page.isCut], [100_000, true])
      },
    ),
  )

  test(
    'times out if the server stalls',
    withServer(
      (socket) => void socket.write('a few words'),
      async (root) => {
        await fails({ secret: null }, () => read(root, limited({ stallTimeoutMs: 100 })), 'body-timeout')
      },
    ),
  )

  test('disconnects when the visit ends', async () => {
    const ended = new AbortController()
    const server = await serve((socket) => {
      socket.write('a few words')
      ended.abort()
    })
    try {
      await fails({ secret: null }, () => read(server.root, { signal: ended.signal }), 'total-timeout')
    } finally {
      server.close()
    }
  })

  test('fails with connect-refused if there is no server', async () => {
    const server = await serve(() => {})
    server.close()
    await fails({ secret: null }, () => read(server.root), 'connect-refused')
  })
})
