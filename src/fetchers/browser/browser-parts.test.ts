import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { createBrowserPages } from '../../crawl/worker/shared-counters.ts'
import { placeOf, startBrowserProtocol } from './browser.testkit.ts'
import { makeBrowserFolder } from './browser-folder.ts'
import { createBrowserPool } from './browser-pool.ts'
import type { RunningBrowser } from './chromium.ts'
import { findBrowser } from './find-browser.ts'
import { isRunning, killAll, memoryBytes, processOf, processTree } from './process-tree.ts'
import { startRefusingProxy } from './refusing-proxy.ts'

const folder = mkdtempSync(join(tmpdir(), 'erace-test-'))
after(() => rmSync(folder, { recursive: true }))

test('the configured browser is used, else an installed one, else an error says what to do', () => {
  const program = join(folder, 'chromium')
  writeFileSync(program, '')
  const isKind = (error: unknown) =>
    isAppError(error, 'browser-missing') && /Install Chromium|browser\.executable/.test(error.message)
  assert.throws(() => findBrowser(program), isKind, 'it may not be run')
  chmodSync(program, 0o755)
  assert.equal(findBrowser(program), program)
  assert.equal(findBrowser('', `relative:/nowhere:${folder}`), program)
  assert.throws(() => findBrowser(join(folder, 'missing')), isKind)
  assert.throws(() => findBrowser(folder), isKind)
})

test('opening a page fails with browser-missing if there is no browser', async () => {
  const protocol = startBrowserProtocol({ executable: '/nowhere/chromium' })
  await assert.rejects(protocol.open(placeOf('http://site.example/')), { code: 'browser-missing' })
  await protocol.end()
  await protocol.end()
})

test('URLs are normalised, including their steps, and invalid ones are refused', async () => {
  const { normalise, end } = startBrowserProtocol()
  const spellings = [
    ['HTTP://Site.Example', 'http://site.example/'],
    ['http://site.example/#section', 'http://site.example/'],
    ['http://site.example/a#!', 'http://site.example/a'],
    ['http://site.example/a#!click=a > b&', 'http://site.example/a#!click=a%20%3E%20b'],
  ] as const
  for (const [given, expected] of spellings) {
    assert.equal(normalise(given), expected)
    assert.equal(normalise(expected), expected)
  }
  const wrong = [
    'ftp://site.example/',
    'http://',
    'http://me:secret@site.example/',
    'http://a/\r\nb',
    'http://a/#!eval=1',
  ]
  for (const url of wrong) {
    assert.throws(
      () => normalise(url),
      (error) => isAppError(error, 'url-invalid') && !error.message.includes('secret'),
    )
  }
  await end()
})

test('browser folders of ended processes are removed, without following links', async () => {
  const parent = join(folder, 'parent')
  const others = ['erace-browser-4194999-gone', `erace-browser-${process.pid}-mine`, 'erace-other', 'browser-1-x']
  for (const name of others) mkdirSync(join(parent, name, 'profile'), { recursive: true })
  symlinkSync(folder, join(parent, 'erace-browser-4194998-link'))
  const made = await makeBrowserFolder(parent)
  assert.equal(readdirSync(parent).length, 4)
  assert.deepEqual(readdirSync(made.profile), [])
  await made.remove()
  assert.deepEqual(readdirSync(parent).sort(), others.slice(1).sort())
  assert.ok(readdirSync(folder).includes('chromium'), 'what a link leads to stays')
})

test('a process tree can be listed, measured and killed', {
  skip: process.platform !== 'linux' && 'there is no /proc',
}, async () => {
  const shell = spawn('/bin/sh', ['-c', 'sleep 1000 & echo started; wait'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(shell, 'exit')
  await once(shell.stdout, 'data')
  const root = processOf(shell.pid!)
  const tree = processTree(root)
  assert.equal(tree.length, 2)
  assert.ok(processTree(processOf(process.pid)).some(({ pid }) => pid === tree[1]!.pid))
  const bytes = memoryBytes(tree)
  assert.ok(bytes > 10_000 && bytes < 100e6, String(bytes))
  // A different process with the same pid is not killed.
  killAll([{ ...root, start: '1' }])
  assert.ok(tree.every(isRunning))
  killAll(tree)
  await exited
  while (tree.some(isRunning)) await new Promise(setImmediate)
  assert.deepEqual(processTree(root), [])
  killAll(tree)
})

test('the refusing proxy answers 403 and counts the request', async () => {
  const proxy = await startRefusingProxy()
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1')
  socket.write('CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n')
  let answer = ''
  for await (const piece of socket) answer += piece
  assert.match(answer, /^HTTP\/1\.1 403 /)
  assert.equal(proxy.refused, 1)
  await proxy.close()
})

test('a visit fails at once if no page is free; pages are returned, even after a failed start', async () => {
  const pages = createBrowserPages(new SharedArrayBuffer(4))
  let starts = 0
  const start = async (): Promise<RunningBrowser> => {
    if (++starts === 1) throw new Error('no start')
    return { isAlive: true, memoryBytes: () => 0, close: async () => {} } as RunningBrowser
  }
  const options = { start, takePage: () => pages.take(2), returnPage: pages.giveBack, keepForMs: 1000, maxIdleBytes: 1 }
  // Two threads of a process.
  const [one, other] = [createBrowserPool(options), createBrowserPool(options)]
  const never = new AbortController().signal
  const visit = (pool = one) => pool.use(never, async () => 'done')
  await assert.rejects(visit(), /no start/)
  const { promise: held, resolve: free } = Promise.withResolvers<void>()
  const holders = [one.use(never, () => held), other.use(never, () => held)]
  await assert.rejects(visit(), { code: 'browser-busy' })
  await assert.rejects(visit(other), { code: 'browser-busy' })
  await assert.rejects(one.use(AbortSignal.abort(), held as never), { code: 'total-timeout' })
  free()
  await Promise.all(holders)
  assert.deepEqual(await Promise.all([visit(), visit(other)]), ['done', 'done'])
  assert.equal(starts, 3, 'browsers are used again')
  await Promise.all([one.close(), other.close()])
  await assert.rejects(visit(), { code: 'browser-failed' })
  assert.ok(pages.take(1), 'all pages came back')
})
