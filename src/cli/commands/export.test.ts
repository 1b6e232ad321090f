import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { ExportReport, ExportRequest } from '../../core/reports/export-report.ts'
import { useCliFolder } from '../cli.testkit.ts'
import type { ExportHooks } from '../engine.ts'

const done: ExportReport = {
  kind: 'warc',
  file: '/x/all.warc.gz',
  records: 12_345,
  bytes: 6_700_000,
  seconds: 2.5,
  skipped: 0,
  faults: [],
  interrupted: false,
}

describe('erace export', () => {
  const folder = useCliFolder({ 'there.warc': 'x' })
  const asked: ExportRequest[] = []
  const engine = (report: Partial<ExportReport> = {}) => ({
    export: async (_: unknown, request: ExportRequest, hooks: ExportHooks) => {
      asked.push(request)
      hooks.onProgress({ records: 512, bytes: 1_000_000 })
      return { ...done, ...report }
    },
  })
  const ask = async (...words: string[]): Promise<ExportRequest> => {
    const { code, out, err } = await folder.run(['export', ...words], { engine: engine() })
    assert.equal(code, 0, out + err)
    return asked.pop()!
  }

  before(() => mkdirSync(join(folder.cwd, 'erace-data')))

  test('reports the result as text and as JSON', async () => {
    const { out, err } = await folder.run(['export', 'warc', 'all.warc.gz'], { engine: engine() })
    assert.equal(out, '/x/all.warc.gz: 12,345 records, 6.7 MB, 3s\n')
    assert.equal(err, '')
    const result = await folder.run(['export', 'warc', 'all.warc.gz', '--json'], { engine: engine() })
    assert.deepEqual(JSON.parse(result.out), done)
    const terminal = await folder.run(['export', 'warc', 'all.warc.gz'], { engine: engine(), columns: 80 })
    assert.match(terminal.err, /^\r512 · 1\.0 MB\r +\r$/)
    assert.equal(terminal.listening, 0)
  })

  test('exits with 1 if records were skipped, and lists them', async () => {
    const faults = [{ url: 'http://a.example/\u0007', version: 2, message: 'cut off' }]
    const { code, out } = await folder.run(['export', 'warc', 'x.warc'], { engine: engine({ skipped: 3, faults }) })
    assert.equal(code, 1)
    assert.match(out, /^http:\/\/a\.example\/\?@2: cut off\nand 2 more\n.*; 3 skipped, see above\n$/)
  })

  test('exits with 130 if it was interrupted', async () => {
    const { code, out } = await folder.run(['export', 'warc', 'x.warc'], { engine: engine({ interrupted: true }) })
    assert.equal(code, 130)
    assert.equal(out, 'interrupted: no file was written\n')
  })

  test('writes nothing but the export to standard output', async () => {
    const { code, out, err } = await folder.run(['export', 'links', '-'], {
      engine: engine({ kind: 'links', file: '-' }),
    })
    assert.deepEqual([code, out, err], [0, '', '12,345 links, 6.7 MB, 3s\n'])
    assert.equal(asked.pop()!.file, null)
  })

  test('can write a list of bad URLs to standard output as JSON lines', async () => {
    const report = { kind: 'bad-urls' as const, file: '-' }
    const { code, out, err } = await folder.run(['export', 'bad-urls', '-', '--json'], { engine: engine(report) })
    assert.deepEqual([code, out, err], [0, '', ''])
    assert.deepEqual([asked.at(-1)!.file, asked.pop()!.jsonLines], [null, true])
    assert.equal((await ask('bad-urls', '-')).jsonLines, undefined)
  })

  test('reads kind, file, selection and index file from its arguments', async () => {
    const all = { urlPrefix: '', afterMs: null, beforeMs: null, currentOnly: false }
    const file = join(folder.cwd, 'x')
    assert.deepEqual(await ask('meta', 'x'), { kind: 'meta', file, indexFile: null, selection: all })
    assert.deepEqual((await ask('links', 'x')).selection, { ...all, currentOnly: true })
    assert.deepEqual((await ask('links', 'x', '--all')).selection, all)
    const words = ['--after', '2026-11-01', '--before', '2026-11-01T12:00+01:00', '--current']
    assert.deepEqual((await ask('warc', 'x', '--url', 'HTTP://A.example', ...words)).selection, {
      urlPrefix: 'http://a.example/',
      afterMs: Date.UTC(2026, 10, 1),
      beforeMs: Date.UTC(2026, 10, 1, 11),
      currentOnly: true,
    })
    assert.equal((await ask('warc', 'x', '--cdxj', 'y')).indexFile, join(folder.cwd, 'y'))
    assert.equal((await ask('warc', 'there.warc', '--force')).file, join(folder.cwd, 'there.warc'))
  })

  const wrong: Record<string, string[]> = {
    'no kind': [],
    'an unknown kind': ['zip', 'x'],
    'no file': ['warc'],
    'too many arguments': ['warc', 'x', 'y'],
    'an existing file': ['warc', 'there.warc'],
    'an existing index file': ['warc', 'x', '--cdxj', 'there.warc'],
    'an index with the same name as the export': ['warc', 'x', '--cdxj', './x'],
    'an index of another kind of export': ['meta', 'x', '--cdxj', 'y'],
    'an index of an export to standard output': ['warc', '-', '--cdxj', 'y'],
    'JSON and export on one output': ['warc', '-', '--json'],
    'a missing folder': ['warc', 'no/x'],
    'a folder': ['warc', 'erace-data', '--force'],
    'a file in the data folder': ['warc', 'erace-data/catalog.db', '--force'],
    'a compression that is not supported': ['warc', 'x.warc.zst'],
    'a compressed WACZ file': ['wacz', 'x.wacz.gz'],
    'an index with a compression that is not supported': ['warc', 'x.warc', '--cdxj', 'x.cdxj.xz'],
    'a device': ['warc', '/dev/null', '--force'],
    'an owner for another kind of export': ['meta', 'x', '--owner', 'a@b.c'],
    'current versions of a list of bad URLs': ['bad-urls', 'x', '--current'],
    'all versions of another kind of export': ['warc', 'x', '--all'],
    'both all and current versions': ['links', 'x', '--all', '--current'],
    'a prefix that is not a URL': ['warc', 'x', '--url', 'example.org'],
    'an invalid time': ['warc', 'x', '--after', 'yesterday'],
    'a reversed period of time': ['warc', 'x', '--after', '2026-02', '--before', '2026-01'],
  }
  for (const [name, words] of Object.entries(wrong)) {
    test(`${name} is a usage error`, async () => {
      assert.equal((await folder.run(['export', ...words], { engine: engine() })).code, 2)
      assert.deepEqual(readdirSync(folder.cwd).toSorted(), ['erace-data', 'there.warc'])
    })
  }

  test('reports all errors at once', async () => {
    const { err } = await folder.run(['export', 'zip', 'there.warc', '--after', 'x', '--url', 'y'])
    assert.equal(err.match(/^erace export: /gm)?.length, 4)
  })

  test('does not write a WARC file to a terminal', async () => {
    assert.equal((await folder.run(['export', 'warc', '-'], { engine: engine(), columns: 80 })).code, 2)
  })
})
