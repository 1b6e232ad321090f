import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type CommandTarget, createPostgresTarget, createSqliteTarget } from '../src/app/engines/targets.testkit.ts'
import { pageWith } from '../src/archive/export/export.testkit.ts'
import { usePostgres } from '../src/store/postgres/testkit/postgres.testkit.ts'
import { aciGrammar, readAcis } from '../src/xml/aci/aci-reader.ts'
import { metaInfoDtdPath, readMetaInfo, validateMetaInfo } from '../src/xml/meta-info/meta-info-reader.testkit.ts'
import { urdGrammar } from '../src/xml/profile/urd-reader.ts'
import { xmllintSkip } from '../src/xml/xmllint.testkit.ts'

usePostgres()

const tables = join(import.meta.dirname, 'paper-tables')
const tableOf = (name: string): string => readFileSync(join(tables, `${name}.xml`), 'utf8')
const owner = ['--owner', 'ada@example.org']

/** The page described in Table 3, as the crawler would have fetched it. */
const [meta] = readMetaInfo(tableOf('webrace-table-3'))
const page = pageWith('www.cs.ucy.ac.cy', '/~epl121/', 'x'.repeat(1800), {
  links: [...meta!.links],
  lastModified: 'Fri, 26 Jan 2001 21:46:08 GMT',
  headers: ['Server', 'Netscape-FastTrack/2.01', 'Last-modified', 'Fri, 26 Jan 2001 21:46:08 GMT'],
})

const grammars: Record<string, { validate: (xml: string) => unknown[]; dtd: string }> = {
  urd: { validate: (xml) => urdGrammar.validate(xml), dtd: urdGrammar.dtdPath },
  aci: { validate: (xml) => aciGrammar.validate(xml), dtd: aciGrammar.dtdPath },
  meta: { validate: (xml) => validateMetaInfo(xml), dtd: metaInfoDtdPath },
}
const kinds: Record<string, keyof typeof grammars> = {
  'erace-table-1': 'urd',
  'erace-table-2': 'aci',
  'webrace-table-3': 'meta',
  'webrace-table-4': 'urd',
  'webrace-table-6': 'aci',
}

describe("the papers' tables", () => {
  for (const [name, kind] of Object.entries(kinds))
    test(`${name} conforms to its grammar`, () => {
      assert.deepEqual(grammars[kind]!.validate(tableOf(name)), [])
    })

  for (const [name, create] of [
    ['a data folder', createSqliteTarget],
    ['a shared store', createPostgresTarget],
  ] as const)
    describe(`in ${name}`, () => {
      let target: CommandTarget
      before(async () => {
        target = await create([page])
        for (const table of Object.keys(kinds))
          copyFileSync(join(tables, `${table}.xml`), join(target.out, `${table}.xml`))
      })
      after(() => target.destroy())

      const run = async (...argv: string[]) => {
        const { code, out, err } = await target.run(argv)
        assert.equal(code, 0, err)
        return out
      }
      const exportOf = async (kind: string) => {
        await run('export', kind, `${kind}.xml`)
        return readFileSync(join(target.out, `${kind}.xml`), 'utf8')
      }
      const query = async (...argv: string[]) => (await run('query', ...argv)).trimEnd().split('\n')
      /** Validates with our validator, and with xmllint if it is installed. */
      const valid = (kind: keyof typeof grammars, xml: string): void => {
        const { validate, dtd } = grammars[kind]!
        assert.deepEqual(validate(xml), [])
        if (xmllintSkip !== false) return
        const file = join(target.out, 'exported.xml')
        writeFileSync(file, xml)
        const { status, stderr } = spawnSync('xmllint', ['--noout', '--dtdvalid', dtd, file], { encoding: 'utf8' })
        assert.equal(status, 0, stderr)
      }

      test('URDs (eRACE 1, WebRACE 4) are imported, queried and exported', async () => {
        for (const table of ['erace-table-1', 'webrace-table-4'])
          assert.match(await run('profile', 'import', `${table}.xml`, ...owner), /: 1 profile: 1 new/)
        const ids = (await query('//urd/@id')).map((line) => /\d+/.exec(line)![0])
        assert.equal(ids.length, 2)
        // WebRACE, Table 5: "//urd[@id= " + id + "]"
        for (const id of ids) assert.match((await query(`//urd[@id= ${id}]`)).join(), new RegExp(`^<urd id="${id}"`))
        const keyed = (words: string) => query(`//urd[${words}]/keywords/keyword[4]/@key`, '--over', 'urds')
        assert.deepEqual(await keyed("keywords/keyword/@key $eq$ 'xmlp4j'"), ['key="xmlp4j"'])
        assert.deepEqual((await keyed("depth/@level $gt$ 3 $and$ keywords/keyword/@key $ieq$ 'JAVA'")).toSorted(), [
          'key="xmlp4j"',
          'key="xmpl4j"',
        ])
        assert.deepEqual(await keyed("$not$ keywords/keyword/@key $eq$ 'xmlp4j' $or$ urgency/@urgent $lt$ 1"), [
          'key="xmpl4j"',
        ])
        assert.deepEqual(
          await query("//keyword[@weight $ge$ 5] $intersect$ //keyword[@key $eq$ 'xmpl4j']", '--over', 'urds'),
          ['<keyword key="xmpl4j" weight="5"/>'],
        )
        const exported = await run('profile', 'export', '-', '--urds', '--quiet')
        valid('urd', exported)
        assert.match(
          exported,
          /<uri timing="600000" lastcheck="0" port="80">http:\/\/www\.cs\.ucy\.ac\.cy\/default\.html<\/uri>/,
        )
      })

      test('ACIs (eRACE 2, WebRACE 6) are imported only once, queried, and exported with the same content', async () => {
        assert.match(await run('aci', 'validate', 'webrace-table-6.xml'), /: valid, 1 annotation$/m)
        const { code, err } = await target.run(['aci', 'import', 'webrace-table-6.xml'])
        assert.equal(code, 2)
        assert.match(err, /webrace-table-6\.xml:6: owner "csyiazt1".*expected an email address/)
        const imported = await run('aci', 'import', 'webrace-table-6.xml', ...owner)
        assert.match(imported, /: 1 annotation: 1 new, 0 already here; 1 about versions that are not in this archive/)
        for (const table of ['webrace-table-6', 'erace-table-2'])
          assert.match(await run('aci', 'import', `${table}.xml`, ...owner), /: 0 new, 1 already here/)
        assert.deepEqual(
          await query("//aci[@relevance $ge$ 18 $and$ expired/@expir $eq$ 'false']/docbase", '--over', 'annotations'),
          ['<docbase>969890.gzip</docbase>'],
        )
        assert.deepEqual(
          await query(
            "//aci[$not$ urgency/@urgent $eq$ 1 $or$ summary $icontains$ 'Keywords']/uri!text()",
            '--over',
            'annotations',
          ),
          ['http://www.cs.ucy.ac.cy/default.html'],
        )
        assert.deepEqual(await query('//aci!count()', '--over', 'annotations', '--owner', 'bob@example.org'), ['0'])
        const exported = await exportOf('aci')
        valid('aci', exported)
        const [aci] = readAcis(exported).acis
        const [table] = readAcis(tableOf('webrace-table-6')).acis
        const { id, document, version } = aci!
        assert.deepEqual(aci, { ...table, owner: 'ada@example.org', id, document, version })
      })

      test('meta-information (WebRACE 3) of the same page is queried and exported', async () => {
        const links = await query(
          '//webrace:document[webrace:ifmodifiedsince $lt$ 989814504121 $and$ webrace:kbytes $eq$ 1]//webrace:link!text()',
          '--over',
          'meta',
        )
        assert.deepEqual(links, meta!.links)
        assert.deepEqual(
          await query(
            "//webrace:document[webrace:header $contains$ 'Netscape-FastTrack/2.01']!count()",
            '--over',
            'meta',
          ),
          ['1'],
        )
        const exported = await exportOf('meta')
        valid('meta', exported)
        const known = readMetaInfo(exported).find(({ url }) => url === meta!.url)
        assert.deepEqual([known?.kbytes, known?.links], [meta!.kbytes, meta!.links])
      })
    })

  test('are valid according to xmllint', { skip: xmllintSkip }, () => {
    for (const [name, kind] of Object.entries(kinds)) {
      const file = join(tables, `${name}.xml`)
      const { status, stderr } = spawnSync('xmllint', ['--noout', '--dtdvalid', grammars[kind]!.dtd, file], {
        encoding: 'utf8',
      })
      assert.equal(status, 0, stderr)
    }
  })
})
