import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { startErace } from '../../../test/kit/erace.ts'
import { createExportFolder, pageWith } from '../../archive/export/export.testkit.ts'
import { draftOf, nothing } from '../../store/conformance/annotations-suite.testkit.ts'
import { alsoAtOf } from '../../store/conformance/stories-suite.testkit.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteAnnotations } from '../../store/sqlite/inbox/annotations.ts'
import { anyAci } from '../../xml/aci/aci.testkit.ts'
import { writeAcis } from '../../xml/aci/aci.ts'
import { type CommandTarget, createPostgresTarget, createSqliteTarget } from '../engines/targets.testkit.ts'

usePostgres()

const start = Date.UTC(2026, 0, 1)
const owner = 'ada@example.org'
const pages = ['/a', '/b'].map((path) => pageWith('a.example', path, `page ${path}`, { at: start }))

/** Without the ids, which each system assigns itself. */
const plain = (xml: string): string => xml.replace(/ (?:id|document|version)="[^"]*"/g, '')

describe('moving annotations between systems', () => {
  let folder: CommandTarget
  let cluster: CommandTarget
  before(async () => {
    folder = await createSqliteTarget([])
    cluster = await createPostgresTarget([])
  })
  after(async () => {
    await folder.destroy()
    await cluster.destroy()
  })

  const ran = async (target: CommandTarget, ...argv: string[]) => {
    const { code, out, err } = await target.run(argv)
    assert.equal(code, 0, err)
    return out
  }

  async function exportOf(target: CommandTarget, name: string, whose = owner): Promise<string> {
    await ran(target, 'export', 'aci', name, '--owner', whose)
    return readFileSync(join(target.out, name), 'utf8')
  }

  test('an import keeps annotations unchanged, and a second import adds nothing', async () => {
    const first = await createExportFolder(pages)
    const versions = await first.versions.versions({ after: 0, limit: 9 })
    const term = {
      key: 'java',
      weight: 4,
      worth: 4,
      count: 1,
      inTitle: 0,
      places: [{ where: 'body', start: 3, end: 7 }],
    }
    const explanation = {
      ...{ relevance: 4, threshold: 1, scorer: 'keywords', terms: [term] },
      ...{ further: { terms: 0, worth: 0 }, missing: 1, exclusions: ['sport'], expression: null },
    }
    const drafts = versions.map(({ documentId, id, size }, n) =>
      draftOf(documentId, id, { owner, at: start + n, size, explanation, kind: n === 0 ? 'new' : 'changed' }),
    )
    const annotations = createSqliteAnnotations(first.db)
    const [made] = await annotations.commit({ ...nothing, annotations: drafts })
    const alsoAt = [alsoAtOf(made!.id, { ...versions[1]!, url: 'http://b.example/' })]
    await annotations.commit({ ...nothing, alsoAt })
    const file = join(first.out, 'mine.xml')
    await first.export({ kind: 'aci', file })
    const original = readFileSync(file, 'utf8')
    assert.match(original, /<docbase>http:\/\/a\.example\/a@1<\/docbase>/)
    for (const target of [folder, cluster]) {
      copyFileSync(file, join(target.out, 'mine.xml'))
      const report = { file: 'mine.xml', added: 2, known: 0, notArchived: 2 }
      assert.deepEqual(JSON.parse(await ran(target, 'aci', 'import', 'mine.xml', '--json')), report)
      assert.equal(plain(await exportOf(target, 'again.xml')), plain(original))
      const again = { ...report, added: 0, known: 2 }
      for (const name of ['mine.xml', 'again.xml'])
        assert.deepEqual(JSON.parse(await ran(target, 'aci', 'import', name, '--json')), { ...again, file: name })
      const other = await ran(target, 'export', 'aci', 'none.xml', '--owner', 'bob@example.org')
      assert.match(other, /: 0 annotations/)
    }
    first.remove()
  })

  test('an imported annotation refers to the archived version if there is one', async () => {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('a page'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const data = join(folder.out, 'crawled')
    const erace = async (...argv: string[]) => {
      const { exitCode, stdout, stderr } = await startErace([...argv, '--data', data]).ended
      assert.equal(exitCode, 0, stderr)
      return stdout
    }
    await erace('crawl', url, '--allow-net', '127.0.0.0/8', '--quiet')
    server.close()
    const file = join(folder.out, 'here.xml')
    const aci = (name: string, bytes: number): string =>
      `<aci owner="${name}@b.c" extension="" format="html" relevance="1" updatetime="${Date.now() + 1000}" filesize="${bytes}">
        <uri>${url}</uri><urgency urgent="1"/><docbase>${url}@1</docbase><expired expir="false"/><summary/></aci>`
    writeFileSync(file, `<acis>${aci('a', 6)}${aci('b', 7)}</acis>`)
    const report = JSON.parse(await erace('aci', 'import', file, '--json'))
    assert.deepEqual(report, { file, added: 2, known: 0, notArchived: 1 })
    const database = openDatabase(paths.catalog(data), { migrations: catalogMigrations })
    const list = await createSqliteAnnotations(database).list({ after: 0, limit: 9 })
    database.close()
    assert.deepEqual(
      list.map(({ owner, n, docbase }) => [owner, n, docbase]),
      [
        ['a@b.c', 1, ''],
        ['b@b.c', 0, `${url}@1`],
      ],
    )
  })

  test('annotations with any content survive import and export on both engines', async () => {
    const web = fc.webUrl({ validSchemes: ['http', 'https'] }).map((url) => new URL(url).href)
    // PostgreSQL can't store NUL in text.
    const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed()
    const imported = fc.tuple(anyAci, web).map(([aci, uri]) => ({
      ...aci,
      ...{ owner: 'eve@example.org', uri, urgency: 1, relevance: Math.abs(aci.relevance), profile: '' },
      ...{ updatedAt: aci.updatedAt % start, expiresAt: null, isExpired: false, title: clean(aci.title) },
      ...{ docbase: `x${clean(aci.docbase)}`, extension: clean(aci.extension), format: clean(aci.format) },
      alsoAt: [...new Set(aci.alsoAt.map((each) => clean(each).trim()))],
    }))
    const acis = fc.sample(imported, { numRuns: 60, seed: 5 }).map((aci, n) => ({ ...aci, uri: `${aci.uri}?${n}` }))
    let xml = ''
    for await (const piece of writeAcis(acis)) xml += piece
    for (const target of [folder, cluster]) {
      writeFileSync(join(target.out, 'any.xml'), xml)
      await ran(target, 'aci', 'import', 'any.xml')
      assert.deepEqual(plain(await exportOf(target, 'all.xml', 'eve@example.org')).split('\n'), plain(xml).split('\n'))
    }
  })

  test('an import rejects invalid files with line numbers, without storing any annotation, and wrong arguments', async () => {
    const aciOf = (attributes: string, uri: string) =>
      `<aci owner="${owner}" extension="" format="html" relevance="1" filesize="1" ${attributes}><uri>${uri}</uri>
      <urgency urgent="1"/><docbase/><expired expir="false"/><summary/></aci>`
    const right = aciOf('updatetime="1"', 'http://a.example/')
    const cases: [xml: string, message: RegExp][] = [
      [`<acis>${right}${aciOf('updatetime="1"', 'ftp://a.example/')}</acis>`, /x\.xml:2: <uri>: not a web address/],
      [`<acis>\n${aciOf('updatetime="1"', 'ftp://a.example/')}</acis>`, /x\.xml:2: <uri>: not a web address/],
      [aciOf('updatetime="9e15"', 'http://a.example/'), /x\.xml:1: <aci>: updatetime: /],
      [aciOf('', 'http://a.example/'), /x\.xml:1: .*updatetime/],
      ['<acis><aci/></acis>', /x\.xml:1: /],
      ['<acis>', /x\.xml:1: /],
    ]
    for (const [xml, message] of cases) {
      writeFileSync(join(folder.out, 'x.xml'), xml)
      const { code, err } = await folder.run(['aci', 'import', 'x.xml'])
      assert.equal(code, 2)
      assert.match(err, message)
      assert.equal((await folder.run(['aci', 'validate', 'x.xml'])).code, 2)
    }
    writeFileSync(join(folder.out, 'x.xml'), right)
    const report = JSON.parse(await ran(folder, 'aci', 'import', 'x.xml', '--json'))
    assert.deepEqual(report, { file: 'x.xml', added: 1, known: 0, notArchived: 1 })
    for (const argv of [
      ['aci'],
      ['aci', 'export', 'x'],
      ['aci', 'import'],
      ['aci', 'import', 'no.xml'],
      ['aci', 'validate', 'x.xml', '--unread'],
    ])
      assert.equal((await folder.run(argv)).code, 2)
  })
})
