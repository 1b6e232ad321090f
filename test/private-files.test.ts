import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startErace } from './kit/erace.ts'
import { createSite } from './site/site.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('the data folder and backups are private to their owner, regardless of the umask', async () => {
  const before = process.umask(0)
  const folder = mkdtempSync(join(tmpdir(), 'erace-modes-'))
  const site = await createSite({ pages: 20 })
  try {
    const data = join(folder, 'new', 'data')
    const erace = async (...args: string[]) => {
      const end = await startErace([...args, '--data', data]).ended
      assert.equal(end.exitCode, 0, end.stderr)
      return end
    }
    const crawl = () => erace('crawl', `${site.origin(0)}/`, '--allow-net', '127.0.0.0/8', '--delay', '0')
    const { stderr } = await crawl()
    assert.doesNotMatch(stderr, /other users/)
    await erace('search', 'page')
    const backup = join(folder, 'backup.tar')
    await erace('backup', backup, '--quiet')
    assert.equal(modeOf(backup), '600')
    assert.equal(modeOf(data), '700')
    const names = readdirSync(data, { recursive: true, encoding: 'utf8' })
    assert.ok(names.some((name) => /\.warc/.test(name)) && names.includes('catalog.db'), names.join(' '))
    for (const name of names) {
      const path = join(data, name)
      assert.equal(modeOf(path), statSync(path).isDirectory() ? '700' : '600', name)
    }
    chmodSync(data, 0o755)
    assert.match((await crawl()).stderr, /other users of this machine can read the data folder/)
    assert.equal(modeOf(data), '755')
  } finally {
    process.umask(before)
    await site.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a data folder where none can be created is an error, also where a file is in the way', {
  skip: process.platform === 'linux' ? false : 'needs /proc',
}, async () => {
  const crawl = (data: string) => startErace(['crawl', 'http://127.0.0.1:1/', '--data', data, '--quiet']).ended
  const refused = await crawl('/proc/erace/data')
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /\/proc\/erace/)
  const { exitCode, stderr } = await crawl(process.execPath)
  assert.equal(exitCode, 1)
  assert.match(stderr, /^erace crawl: .*: a part of the path is a file, not a folder\n$/)
})
