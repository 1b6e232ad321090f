import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { type AugmentRequest, augmentFolder } from './augment.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function openSite(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'erace-augment-'))
  folders.push(folder)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  return {
    folder,
    write,
    augment: (parts: Partial<AugmentRequest> = {}) =>
      augmentFolder({ folder, base: null, check: false, clock: systemClock, ...parts }),
    /** All files with their contents and modification times. */
    state: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => {
          const path = join(parentPath, name)
          return [path.slice(folder.length + 1), readFileSync(path, 'utf8'), statSync(path).mtimeMs] as const
        })
        .sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}

const volatile = '<a href="b.html">b</a><span class="vol" id="x">1</span>'
const small = { 'a.html': volatile, 'sub/index.html': '<a href="../a.html">a</a>', 'data.xml': '<r><Vol1>1</Vol1></r>' }

describe('augment', () => {
  test('writes the tables of all documents, and nothing on the second run', async () => {
    const site = openSite({ ...small, 'notes.txt': 'x', 'plain.xml': '<r/>' })
    const { written, documents, links, volatileParts } = await site.augment()
    assert.deepEqual([written, documents, links, volatileParts], [4, 3, 2, 2])
    const before = site.state()
    const names = before.map(([name]) => name).filter((name) => /\.T/.test(name))
    assert.deepEqual(names, ['a.html.TOL', 'a.html.TVI', 'data.xml.TVI', 'sub/index.html.TOL'])
    const again = await site.augment()
    assert.deepEqual([again.written, again.unchanged], [0, 4])
    assert.deepEqual(site.state(), before)
  })

  test('writes changed tables only, and removes unedited tables of deleted documents', async () => {
    const site = openSite({ ...small, 'own.html.TOL': 'my own list', 'edited.html': volatile })
    await site.augment()
    const edited = readFileSync(join(site.folder, 'edited.html.TOL'), 'utf8').replace('b.html', 'c.html')
    site.write('edited.html.TOL', edited)
    for (const name of ['edited.html', 'data.xml']) rmSync(join(site.folder, name))
    site.write('a.html', volatile.replace('>1<', '>2<'))
    const { written, removed, problemCount } = await site.augment()
    assert.deepEqual([written, removed, problemCount], [2, 2, 0])
    const names = site.state().map(([name]) => name)
    assert.ok(names.includes('own.html.TOL') && names.includes('edited.html.TOL'))
    assert.ok(!names.includes('data.xml.TVI') && !names.includes('edited.html.TVI'))
  })

  test('reports stale, missing and orphaned tables without writing when checking', async () => {
    const site = openSite(small)
    await site.augment()
    assert.equal((await site.augment({ check: true })).problemCount, 0)
    site.write('a.html', volatile.replace('>1<', '>2<'))
    site.write('new.html', volatile)
    rmSync(join(site.folder, 'data.xml'))
    const before = site.state()
    const { problems } = await site.augment({ check: true })
    assert.deepEqual(problems.map(({ file, problem }) => `${file} ${problem}`).sort(), [
      'a.html.TOL stale',
      'a.html.TVI stale',
      'data.xml.TVI orphaned',
      'new.html.TOL missing',
      'new.html.TVI missing',
    ])
    assert.deepEqual(site.state(), before)
  })

  test('never overwrites a file that is not a table', async () => {
    const site = openSite({ 'a.html': '<a href="b.html">b</a>', 'a.html.TOL': 'a list of tolls' })
    const { written, problems } = await site.augment()
    assert.deepEqual([written, problems], [0, [{ file: 'a.html.TOL', problem: 'foreign' }]])
    assert.equal(readFileSync(join(site.folder, 'a.html.TOL'), 'utf8'), 'a list of tolls')
  })

  test('does not follow symbolic links', async () => {
    const outside = openSite({ 'secret.html': volatile })
    const site = openSite({ 'a.html': volatile })
    symlinkSync(outside.folder, join(site.folder, 'out'))
    symlinkSync(join(outside.folder, 'secret.html'), join(site.folder, 'b.html'))
    symlinkSync(site.folder, join(site.folder, 'round'))
    const { documents } = await site.augment()
    assert.equal(documents, 1)
    assert.deepEqual(
      outside.state().map(([name]) => name),
      ['secret.html'],
    )
  })

  test('reports its progress every hundred documents', async () => {
    const site = openSite(Object.fromEntries(Array.from({ length: 205 }, (_, n) => [`${n}.html`, volatile])))
    const seen: number[][] = []
    await site.augment({ onProgress: ({ documents, links, written }) => seen.push([documents, links, written]) })
    assert.deepEqual(seen, [
      [100, 100, 200],
      [200, 200, 400],
    ])
  })

  test('limits file size, number of files and depth', async () => {
    const site = openSite({ 'a/b/c.html': volatile, 'a/d.html': volatile, 'large.html': volatile.repeat(100) })
    const { skipped, documents } = await site.augment({ limits: { maxBytes: 1000 } })
    assert.deepEqual([skipped, documents], [[{ file: 'large.html', reason: 'larger than 1000 bytes' }], 2])
    const isRefused = (error: unknown): boolean => isAppError(error, 'file-invalid')
    await assert.rejects(site.augment({ limits: { maxFiles: 2 } }), isRefused)
    await assert.rejects(site.augment({ limits: { maxDepth: 1 } }), isRefused)
    await assert.rejects(site.augment({ folder: join(site.folder, 'nothing') }), (error) =>
      isAppError(error, 'file-unreadable'),
    )
  })
})
