import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readResult, startErace } from '../../../test/kit/erace.ts'
import { createExportFolder, type ExportFolder, pageWith } from '../../archive/export/export.testkit.ts'

describe('erace export', () => {
  let folder: ExportFolder
  before(async () => {
    const links = Array.from({ length: 500 }, (_, n) => `http://a.example/${n}/${'long'.repeat(20)}`)
    folder = await createExportFolder(links.map((_, n) => pageWith('a.example', `/${n}`, `page ${n}`, { links })))
  })
  after(() => folder.remove())

  const run = (...words: string[]) => startErace(['export', ...words, '--data', folder.folder])

  test('writes each kind of file and says so', async () => {
    for (const [kind, name, records] of [
      ['warc', 'x.warc.gz', 500],
      ['cdxj', 'x.cdxj', 500],
      ['links', 'x.csv', 250_000],
      ['meta', 'x.xml', 500],
    ] as const) {
      const file = join(folder.out, name)
      const end = await run(kind, file, '--json').ended
      const { seconds: _, ...result } = readResult(end) ?? {}
      const bytes = readFileSync(file).length
      assert.deepEqual(result, { kind, file, records, bytes, skipped: 0, faults: [], interrupted: false }, end.stderr)
      assert.equal(end.exitCode, 0)
    }
    assert.deepEqual(readdirSync(folder.out).toSorted(), ['x.cdxj', 'x.csv', 'x.warc.gz', 'x.xml'])
  })

  test('standard output has the whole export, even if it is read slowly', async () => {
    const { ended } = run('cdxj', '-', '--quiet')
    const { stdout, stderr, exitCode } = await ended
    assert.equal(stdout.trim().split('\n').length, 500)
    assert.deepEqual([stderr, exitCode], ['', 0])
  })

  test('a reader that closes the pipe ends it', async () => {
    const { child, ended } = run('links', '-', '--quiet')
    await once(child.stdout!, 'data')
    child.stdout!.destroy()
    const { exitCode, stderr } = await ended
    assert.deepEqual([exitCode, stderr], [130, ''])
  })

  test('a missing data folder is reported', async () => {
    const { exitCode, stderr } = await startErace(['export', 'warc', join(folder.out, 'y'), '--data', '/no/such']).ended
    assert.equal(exitCode, 1)
    assert.match(stderr, /There is no data folder at/)
  })
})
