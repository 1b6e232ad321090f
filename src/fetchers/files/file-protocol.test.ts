import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import type { List } from '../../crawl/fetch/protocol.ts'
import { fails } from '../failing.testkit.ts'
import { createVisitor, type ProtocolWorld, placeIn, testProtocol } from '../protocol-suite.testkit.ts'
import { createFileProtocol } from './file-protocol.ts'
import { createRootedFiles } from './rooted-files.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'erace-files-')))
  folders.push(folder)
  return folder
}

/** A root with a folder in it, and a folder outside that may not be read. */
function openWorld() {
  const outer = makeFolder()
  const [root, outside] = [join(outer, 'root'), join(outer, 'outside')]
  mkdirSync(join(root, 'in'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.txt'), 'not for everybody')
  const at = (name: string): string => join(root, 'in', name)
  const world: ProtocolWorld = {
    protocol: createFileProtocol({ roots: [root] }),
    url: `file://${root}/in/`,
    missingUrl: `file://${root}/none/`,
    secret: null,
    put: async (name, text) => writeFileSync(at(name), text),
    change: async (name, text) => writeFileSync(at(name), text),
    remove: async (name) => rmSync(at(name)),
    close: async () => {},
  }
  return { ...world, root, outside, at }
}

async function look(world: ProtocolWorld, url = world.url): Promise<List> {
  const session = await world.protocol.open(placeIn(world, { url }))
  const found = await session.look('')
  assert.ok(found.kind === 'list')
  return found
}

async function read(world: ProtocolWorld, url: string) {
  const session = await world.protocol.open(placeIn(world, { url }))
  return session.read({ url, name: '', validator: '' })
}

testProtocol('files', async () => openWorld(), {
  lacks: {
    hosts: 'files are on this machine',
    counts: 'nobody serves them',
    credentials: 'the roots say what may be read',
  },
})

describe('file URLs', () => {
  const { normalise } = createFileProtocol({ roots: ['/srv/files', '/data/'] })
  const refused = (url: string): void =>
    assert.throws(
      () => normalise(url),
      (error) => isAppError(error, 'url-invalid'),
      url,
    )

  test('are normalised', () => {
    assert.equal(normalise('file:///srv/files/a'), 'file:///srv/files/a')
    assert.equal(normalise('FILE://localhost/srv//files/%61 b/'), 'file:///srv/files/a%20b/')
    assert.equal(normalise('file:/data'), 'file:///data')
    assert.equal(normalise('file:///data/ü|\\'), 'file:///data/%C3%BC%7C%5C')
    assert.equal(normalise('file:///data/%0a%ff%3f%25'), 'file:///data/%0A%FF%3F%25')
  })

  test('are refused outside the roots or if malformed', () => {
    for (const path of [
      '/',
      '/srv',
      '/srv/filesystem',
      '/etc/passwd',
      '/data/../etc/passwd',
      '/data/%2e%2E/etc',
      '/data/./a',
    ])
      refused(`file://${path}`)
    for (const url of ['file://host/data/a', 'file:data', 'http://data/', 'file:///data/a%00', 'file:///data/a%2Fb'])
      refused(url)
    for (const url of ['file:///data/a?b', 'file:///data/a#b', 'file:///data/100%', 'file:///data/%2']) refused(url)
  })

  test('are refused if no root is configured', () => {
    const none = createFileProtocol({ roots: [] })
    assert.throws(() => none.normalise('file:///srv/files/'), /files\.roots is empty/)
  })
})

describe('a folder', () => {
  test('lists files as items and folders as lists', async () => {
    const world = openWorld()
    writeFileSync(world.at('b.txt'), 'b')
    writeFileSync(world.at('a.html'), 'a')
    mkdirSync(world.at('sub'))
    const { items, lists, isWhole, left } = await look(world)
    assert.deepEqual([items.map(({ name }) => name), isWhole, left], [['a.html', 'b.txt'], true, ''])
    assert.deepEqual(lists, [{ url: `${world.url}sub/`, name: 'sub' }])
    assert.deepEqual((await look(world, `${world.url}sub`)).items, [])
  })

  test('may contain names of any bytes', async () => {
    const world = openWorld()
    const names = ['line\r\nbreak', '50% #1?', 'ünï', '~a@b', '\u202e']
    for (const name of names) writeFileSync(world.at(name), name)
    writeFileSync(Buffer.concat([Buffer.from(world.at('')), Buffer.from([0x2f, 0xff, 0xfe])]), 'broken')
    const { read } = await createVisitor(world).visit()
    assert.deepEqual(read.map(({ body }) => body.body.toString()).sort(), [...names, 'broken'].sort())
    for (const { url } of read) assert.equal(world.protocol.normalise(url), url)
  })

  test('leaves out special files and links that lead nowhere or outside, and reports this', async () => {
    const world = openWorld()
    execFileSync('mkfifo', [world.at('pipe')])
    const server = createServer().listen(world.at('socket'))
    symlinkSync('/dev/zero', world.at('zero'))
    symlinkSync(join(world.outside, 'secret.txt'), world.at('secret'))
    symlinkSync('nowhere', world.at('dangling'))
    symlinkSync('loop', world.at('loop'))
    const { items, lists, left } = await look(world)
    assert.deepEqual({ items, lists }, { items: [], lists: [] })
    assert.match(left, /^Left out: 6 entries/)
    for (const name of ['pipe', 'socket', 'zero', 'secret', 'loop'])
      await fails(world, () => read(world, `${world.url}${name}`), 'file-refused')
    await fails(world, () => read(world, `${world.url}dangling`), 'not-found')
    server.close()
  })

  test('follows links that stay below the roots', async () => {
    const world = openWorld()
    mkdirSync(world.at('sub'))
    writeFileSync(world.at('sub/file'), 'words')
    symlinkSync('sub/file', world.at('link'))
    symlinkSync('..', world.at('up'))
    symlinkSync(world.outside, world.at('out'))
    const { items, lists } = await look(world)
    assert.deepEqual(
      items.map(({ name }) => name),
      ['link'],
    )
    assert.deepEqual(lists, [
      { url: `${world.url}sub/`, name: 'sub' },
      { url: `file://${world.root}/`, name: 'up' },
    ])
    assert.equal((await read(world, `${world.url}link`)).body.toString(), 'words')
    await fails(world, () => look(world, `${world.url}out/`), 'file-refused')
    await fails(world, () => read(world, `${world.url}out/secret.txt`), 'file-refused')
  })

  test('can be read below a root that is a link', async () => {
    const world = openWorld()
    const root = join(world.outside, 'root')
    symlinkSync(world.root, root)
    writeFileSync(world.at('a'), 'words')
    symlinkSync('in', join(world.root, 'link'))
    const linked = { ...world, protocol: createFileProtocol({ roots: [root] }), url: `file://${root}/` }
    const { lists } = await look(linked)
    assert.deepEqual(
      lists.map(({ url }) => url),
      [`file://${root}/in/`],
    )
    assert.equal((await read(linked, `file://${root}/in/a`)).body.toString(), 'words')
  })

  test('fails for now, without losing its files, if its root is missing', async () => {
    const world = openWorld()
    renameSync(world.root, `${world.root}-away`)
    await assert.rejects(look(world), (error) => isAppError(error, 'file-unreadable') && error.retry === 'later')
  })

  test('fails with file-unreadable if permission is denied', async () => {
    const world = openWorld()
    chmodSync(world.at(''), 0)
    // Root may read everything, so switch to another user.
    const isRoot = process.getuid?.() === 0
    if (isRoot) {
      chmodSync(dirname(world.root), 0o755)
      process.seteuid?.('nobody')
    }
    try {
      await fails(world, () => look(world), 'file-unreadable')
    } finally {
      if (isRoot) process.seteuid?.(0)
      chmodSync(world.at(''), 0o700)
    }
  })
})

test('a folder swapped for a link between check and open does not expose files outside', async () => {
  const world = openWorld()
  writeFileSync(join(world.outside, 'a'), 'outside')
  mkdirSync(world.at('folder'))
  writeFileSync(world.at('folder/a'), 'inside')
  symlinkSync(world.outside, world.at('link'))
  const files = createRootedFiles([world.root])
  let isOver = false
  const swapping = (async () => {
    while (!isOver) {
      for (const [from, to] of [
        ['folder', 'aside'],
        ['link', 'folder'],
        ['folder', 'link'],
        ['aside', 'folder'],
      ] as const)
        renameSync(world.at(from), world.at(to))
      await new Promise(setImmediate)
    }
  })()
  for (let round = 0; round < 300; round++) {
    try {
      const { handle } = await files.open(Buffer.from(world.at('folder/a')))
      const text = await handle.readFile('utf8')
      await handle.close()
      assert.equal(text, 'inside')
    } catch (error) {
      assert.ok(isAppError(error), String(error))
    }
  }
  isOver = true
  await swapping
})

test('the media type of a file is derived from its name or content', async () => {
  const world = openWorld()
  const files: [name: string, body: string | Buffer, type: string][] = [
    ['a.HTML', 'x', 'text/html'],
    ['a.md', 'x', 'text/markdown'],
    ['report.pdf', 'x', 'application/pdf'],
    ['README', 'plain words', 'text/plain'],
    ['empty', '', 'text/plain'],
    ['page', ' <!DOCTYPE html><p>', 'text/html'],
    ['feed', '<?xml version="1.0"?><rss/>', 'application/xml'],
    ['paper', '%PDF-1.7\n\0', 'application/pdf'],
    ['program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 0]), 'application/octet-stream'],
    ['data.log', Buffer.from([1, 2, 3, 0]), 'application/octet-stream'],
    ['wide', Buffer.from('\ufeffwords', 'utf16le'), 'text/plain'],
    ['constructor', 'x', 'text/plain'],
    ['x.constructor', 'x', 'text/plain'],
  ]
  for (const [name, body] of files) writeFileSync(world.at(name), body)
  for (const [name, , type] of files) assert.equal((await read(world, `${world.url}${name}`)).type, type, name)
})

describe('watching a folder', () => {
  async function listen(world: ProtocolWorld, url = world.url) {
    let count = 0
    let wake = (): void => {}
    const { promise: end, resolve: onEnd } = Promise.withResolvers<Error>()
    const onNews = (): void => {
      count++
      wake()
    }
    const listener = await world.protocol.listen!(placeIn(world, { url }), { onNews, onEnd })
    let seen = 0
    return {
      close: () => listener.close(),
      end,
      async news(): Promise<void> {
        while (count === seen) await new Promise<void>((resolve) => (wake = resolve))
        seen = count
      },
    }
  }

  test('notices changes in subfolders, including new ones', { timeout: 60_000 }, async () => {
    const world = openWorld()
    mkdirSync(world.at('old'))
    const heard = await listen(world)
    writeFileSync(world.at('old/a'), 'x')
    await heard.news()
    mkdirSync(world.at('new'))
    await heard.news()
    renameSync(world.at('new'), world.at('renamed'))
    await heard.news()
    writeFileSync(world.at('renamed/b'), 'x')
    await heard.news()
    await heard.close()
  })

  test('notices changes to a single file, even if it is replaced', { timeout: 60_000 }, async () => {
    const world = openWorld()
    writeFileSync(world.at('a'), 'x')
    const heard = await listen(world, `${world.url}a`)
    writeFileSync(world.at('b'), 'y')
    renameSync(world.at('b'), world.at('a'))
    await heard.news()
    writeFileSync(world.at('a'), 'z')
    await heard.news()
    await heard.close()
  })

  test('ends if the folder is removed', { timeout: 60_000 }, async () => {
    const world = openWorld()
    const heard = await listen(world)
    rmSync(world.at(''), { recursive: true })
    assert.ok(isAppError(await heard.end, 'not-found'))
  })

  test('fails for missing folders and folders outside the roots', async () => {
    const world = openWorld()
    await fails(world, () => listen(world, world.missingUrl), 'not-found')
    await fails(world, () => listen(world, `file://${world.outside}/`), 'file-refused')
  })
})
