import assert from 'node:assert/strict'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { WARCParser } from 'warcio'
import { goneWith, pageWith } from '../../archive/export/export.testkit.ts'
import type { GcReport } from '../../core/reports/gc-report.ts'
import type { SearchReport } from '../../core/reports/search-report.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import {
  type ClusterCommandTarget,
  type CommandTarget,
  createPostgresTarget,
  createSqliteTarget,
  recordCaptures,
} from './targets.testkit.ts'

usePostgres()

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)

/** Pages of five hosts; the first of each changes twice, the second has a known body, the third disappears. */
function* captures(): Generator<Capture> {
  for (const [index, host] of ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'].entries()) {
    const at = start + index * 1000
    const links = [`http://${host}/same`, 'http://elsewhere.example/']
    yield pageWith(host, '/', `<title>First of ${host}</title><p>Whales and ${host} cafés`, {
      at,
      links,
      title: `First of ${host}`,
    })
    yield pageWith(host, '/same', '<p>The same everywhere', { at })
    yield pageWith(host, '/gone', `<p>Soon gone from ${host}`, { at, gzip: true })
    yield pageWith(host, '/', `<p>Second of ${host}, still with whales`, { at: at + day, links })
    yield pageWith(host, '/', `<p>Third of ${host}: dolphins`, { at: at + 2 * day, etag: '"3"' })
    yield goneWith(host, '/gone', at + 2 * day)
  }
}

const profileXml = `<profiles>
  <profile name="Whales" owner="ada@example.org">
    <data><source every="10m"><uri>http://a.example/</uri></source></data>
    <interests><keywords><keyword key="dolphins" weight="4"/></keywords></interests>
  </profile>
</profiles>
`

/** Removes what legitimately differs between two targets with the same content: names, engine-specific sizes, durations. */
function comparable(value: unknown): unknown {
  const own = new Set([
    'file',
    'seconds',
    'tookMs',
    'score',
    'bytes',
    'unusedBytes',
    'files',
    'disk',
    'examples',
    'createdAt',
    'versionId',
    'id',
  ])
  return JSON.parse(JSON.stringify(value, (key, each) => (own.has(key) ? undefined : each)))
}

describe('each command does the same on a data folder and on a shared store', () => {
  let folder: CommandTarget
  let cluster: ClusterCommandTarget
  before(async () => {
    folder = await createSqliteTarget(captures())
    cluster = await createPostgresTarget(captures())
  })
  after(async () => {
    await folder?.destroy()
    await cluster?.destroy()
  })

  /** Runs a command on both targets and compares the results. */
  async function same(argv: readonly string[]): Promise<Record<string, unknown>> {
    const [here, there] = [await folder.run([...argv, '--json']), await cluster.run([...argv, '--json'])]
    assert.deepEqual([here.code, there.code], [0, 0], `${here.err}${here.out}${there.err}${there.out}`)
    assert.deepEqual(comparable(there.json()), comparable(here.json()))
    return there.json()
  }

  test('history, show and diff', async () => {
    const { versions } = (await same(['history', 'http://a.example/', '--changes'])) as { versions: unknown[] }
    assert.equal(versions.length, 3)
    for (const words of [['http://a.example/@1'], ['http://c.example/same'], ['http://b.example/gone@1', '--text']]) {
      const [here, there] = [await folder.run(['show', ...words]), await cluster.run(['show', ...words])]
      assert.equal(there.code, 0, there.err)
      assert.equal(there.out, here.out)
    }
    await same(['diff', 'http://a.example/'])
    await same(['diff', 'http://d.example/', '1', '3'])
  })

  test('error messages for missing documents and versions', async () => {
    for (const argv of [
      ['show', 'http://a.example/nothing'],
      ['history', 'http://f.example/'],
      ['show', 'http://a.example/@9'],
    ]) {
      const [here, there] = [await folder.run(argv), await cluster.run(argv)]
      assert.deepEqual([there.code, there.err], [here.code, here.err])
      assert.equal(there.code, 1)
    }
  })

  test('search', async () => {
    const first = (await same(['search', 'whales'])) as unknown as SearchReport
    assert.equal(first.items.length, 5)
    assert.equal(first.index.added, 25)
    await same(['search', 'dolphins', 'site:b.example'])
    await same(['search', '"soon gone"'])
    const rebuilt = (await same(['search', 'dolphins', '--rebuild'])) as unknown as SearchReport
    assert.deepEqual([rebuilt.items.length, rebuilt.index.versions, rebuilt.index.added], [5, 25, 25])
  })

  for (const [kind, name] of [
    ['links', 'x.csv'],
    ['meta', 'x.xml'],
    ['aci', 'x.aci.xml'],
  ] as const)
    test(`export ${kind}`, async () => {
      const texts: string[] = []
      for (const target of [folder, cluster]) {
        const file = join(target.out, name)
        const { code, err } = await target.run(['export', kind, file])
        assert.equal(code, 0, err)
        texts.push(readFileSync(file, 'utf8'))
      }
      // Versions get ids in a different order if several partitions are written at once.
      assert.deepEqual(texts[1]!.split('\n').sort(), texts[0]!.split('\n').sort())
    })

  for (const name of ['x.warc', 'x.warc.gz'])
    test(`export warc to ${name}, readable by an independent reader`, async (t) => {
      const complaints = ['warn', 'error', 'log'].map((method) => t.mock.method(console, method as 'warn', () => {}))
      const seen: string[][] = []
      for (const target of [folder, cluster]) {
        const file = join(target.out, name)
        const { code, err, json } = await target.run(['export', 'warc', file, '--cdxj', `${file}.cdxj`, '--json'])
        assert.equal(code, 0, err)
        assert.equal(json().records, 30)
        const records: string[] = []
        const originals = new Set<string>()
        for await (const record of new WARCParser(createReadStream(file))) {
          const body = Buffer.from(await record.readFully(true)).toString()
          if (record.warcType === 'warcinfo') continue
          if (record.warcType === 'response') originals.add(body)
          if (record.warcType === 'revisit') assert.ok(originals.has('<p>The same everywhere'))
          records.push(`${record.warcTargetURI} ${record.warcDate} ${record.warcType === 'revisit' ? '' : body}`)
        }
        assert.equal(readFileSync(`${file}.cdxj`, 'utf8').trim().split('\n').length, 30)
        seen.push(records.sort())
      }
      assert.deepEqual(
        seen[1]!.filter((line) => !line.includes('/same')),
        seen[0]!.filter((line) => !line.includes('/same')),
      )
      assert.deepEqual(
        complaints.map((mock) => mock.mock.callCount()),
        [0, 0, 0],
      )
    })

  test('export cdxj', async () => {
    const texts: string[][] = []
    for (const target of [folder, cluster]) {
      const file = join(target.out, 'x.cdxj')
      assert.equal((await target.run(['export', 'cdxj', file])).code, 0)
      texts.push(
        readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split(' ').slice(0, 2).join(' ')),
      )
    }
    assert.deepEqual(texts[1], texts[0])
  })

  test('status', async () => {
    const report = await same(['status'])
    assert.deepEqual(report.documents, { documents: 15, versions: 30, bodies: 21 })
    const { disk } = report as { disk: { databaseBytes: number; archiveBytes: number } }
    assert.ok(disk.databaseBytes > 0 && disk.archiveBytes > 0)
    assert.match((await cluster.run(['status'])).out, /versions +30/)
  })

  test('user add, list, passwd and remove', async () => {
    const env = { ERACE_PASSWORD: 'correct horse' }
    for (const argv of [
      ['user', 'add', 'ada@example.org', '--role', 'administrator'],
      ['user', 'add', 'bob@example.org'],
      ['user', 'passwd', 'bob@example.org'],
      ['user', 'list'],
      ['user', 'add', 'bob@example.org'],
      ['user', 'remove', 'bob@example.org'],
      ['user', 'remove', 'bob@example.org'],
    ]) {
      const [here, there] = [await folder.run(argv, { env }), await cluster.run(argv, { env })]
      const text = ({ code, out, err }: typeof here) => [code, out.replace(/\d{4}-\S+/g, 'DATE'), err]
      assert.deepEqual(text(there), text(here))
    }
  })

  test('profile import, export and preview, and query', async () => {
    for (const target of [folder, cluster]) writeFileSync(join(target.out, 'p.xml'), profileXml)
    await same(['profile', 'import', 'p.xml'])
    const preview = (await same(['profile', 'preview', 'p.xml'])) as { profiles?: unknown[] }
    assert.ok(JSON.stringify(preview).includes('a.example'))
    for (const target of [folder, cluster]) assert.equal((await target.run(['profile', 'export', 'q.xml'])).code, 0)
    const text = (target: CommandTarget) => readFileSync(join(target.out, 'q.xml'), 'utf8').replace(/\sid="[^"]*"/g, '')
    assert.equal(text(cluster), text(folder))
    assert.match(text(cluster), /dolphins/)
    await same(['query', 'count(//profile)'])
    await same(['query', '//urd/uri'])
  })

  test('export, but not search, includes a version while a lower id may still be committed', async () => {
    const { database } = cluster
    const open = await database.pool.connection()
    try {
      await open.query('BEGIN')
      // Like a writer before it draws an id.
      await open.query('SELECT pg_current_xact_id() FROM leases LIMIT 1 FOR KEY SHARE')
      await recordCaptures(database, [pageWith('late.example', '/', '<p>late')])
      const file = join(cluster.out, 'late.warc')
      const { json } = await cluster.run(['export', 'warc', file, '--url', 'http://late.example/', '--json'])
      assert.equal(json().records, 1)
      const found = await cluster.run(['search', 'late', '--json'])
      assert.equal((found.json() as unknown as SearchReport).total, 0)
    } finally {
      await open.query('ROLLBACK')
      open.release()
      await database.pool.query(
        `DELETE FROM versions WHERE document IN (SELECT id FROM documents WHERE host = 'late.example')`,
      )
      await database.pool.query(`DELETE FROM documents WHERE host = 'late.example'`)
    }
  })

  test('verify', async () => {
    const report = await same(['verify'])
    assert.deepEqual([report.records, report.faultCount], [30, 0])
  })

  test('gc, after a dry run with the same result', async () => {
    const collect = async (...words: string[]): Promise<GcReport> => {
      const report = (await same(['gc', ...words])) as GcReport
      assert.equal(report.finished, true)
      return report
    }
    const dry = await collect('--dry-run', '--retention', 'versions=2')
    const real = await collect('--retention', 'versions=2')
    const { files, seconds } = real
    assert.deepEqual({ ...dry, dryRun: false, files, seconds }, real)
    assert.equal(real.removed.versions, 5)
    assert.equal((await collect('--retention', 'versions=2')).removed.versions, 0)
    await collect('--retention', 'age=1d')
    await same(['verify'])
    await same(['history', 'http://b.example/'])
    const found = (await same(['search', 'whales'])) as unknown as SearchReport
    assert.equal(found.total, 0)
  })
})
