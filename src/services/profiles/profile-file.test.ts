import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { partDefaults } from '../../core/profile.ts'
import { textOf } from '../../xml/meta-info/meta-info.testkit.ts'
import { writeProfile, writeProfiles } from '../../xml/profile/profile.ts'
import { profileGrammar } from '../../xml/profile/profile-reader.ts'
import { writeUrd, writeUrds } from '../../xml/profile/urd.ts'
import { urdGrammar } from '../../xml/profile/urd-reader.ts'
import { xmllintSkip } from '../../xml/xmllint.testkit.ts'
import { type FileError, readProfilesJson, readProfilesXml, readUrdsXml } from './profile-file.ts'
import { anyProfile, anyUrd, rules, rulesOfShape } from './profiles.testkit.ts'
import { profileToJson, withBelongings } from './values/profile-values.ts'
import { urdsOf, writtenUrd } from './values/urd-values.ts'

/** The papers' example, corrected to be well-formed XML. */
const urdOfThePapers = `<?xml version="1.0" encoding="UTF-8"?>
<urd>
  <uri timing="600000" lastcheck="97876750000" port="80">
  http://www.cs.ucy.ac.cy/default.html </uri>
  <type protocol="http" method="pull" processtype="filter"/>
  <keywords>
    <keyword key="ibm" weight="1"/>
    <keyword key="research" weight="3"/>
    <keyword key="java" weight="4"/>
    <keyword key="xmlp4j" weight="5"/>
  </keywords>
  <depth level="4"/>
  <urgency urgent="1"/>
</urd>
`

const profile = `<?xml version="1.0"?>
<profiles>
  <profile id="p1" owner="ada@example.org" name="Stock">
    <data>
      <source every="10m" depth="4">
        <uri>http://quotes.example.org/find?market=ny</uri>
        <argument name="symbol" value="IBM &amp; co"/>
        <scope kind="pattern">/find\\?</scope>
        <window zone="Europe/Nicosia" days="1 2 3 4 5" from="08:00" to="18:30"/>
      </source>
      <source process="track">
        <uri>imap://mail.example.org/INBOX</uri>
      </source>
    </data>
    <interests>
      <keywords>
        <keyword key="java" weight="4"/>
        <keyword key="ibm"/>
      </keywords>
      <exclude key="job advert"/>
      <expression>java OR coffee</expression>
      <threshold relevance="4"/>
    </interests>
    <control>
      <frequency every="1d" max="7d"/>
      <urgency urgent="2"/>
      <amount size="full"/>
      <delivery cadence="daily" perhour="20" urgentfrom="5">
        <channel name="inbox"/>
        <quiet from="22:00" to="07:00"/>
        <escalation channel="c_phone" after="30m" urgency="5"/>
      </delivery>
    </control>
  </profile>
</profiles>
`

function errorsOf(read: { kind: 'read' } | { kind: 'invalid'; errors: FileError[] }): string[] {
  return read.kind === 'read' ? [] : read.errors.map(({ line, message }) => `${line}: ${message}`)
}

describe('profiles in files', () => {
  test('the description from the papers survives a round trip', () => {
    assert.deepEqual(urdGrammar.validate(urdOfThePapers), [])
    const read = readUrdsXml(urdOfThePapers, rules)
    assert.ok(read.kind === 'read')
    const { urd } = read.items[0]!
    assert.equal(urd.source.uri, 'http://www.cs.ucy.ac.cy/default.html')
    assert.equal(urd.source.everyMs, 600_000)
    assert.equal(urd.lastCheckedAt, 97_876_750_000)
    assert.deepEqual(urd.interests.keywords.at(-1), { key: 'xmlp4j', weight: 5 })
    assert.deepEqual([urd.source.depth, urd.urgency, urd.source.process], [4, 1, 'filter'])
    assert.equal(writeUrd(writtenUrd(urd)), urdOfThePapers.replace(/>\n {2}http(.*) <\/uri>/, '>http$1</uri>'))
  })

  test('a single description is read as a profile', () => {
    const read = readProfilesXml(urdOfThePapers, rules)
    assert.ok(read.kind === 'read')
    assert.equal(read.items[0]!.profile.name, 'www.cs.ucy.ac.cy')
    assert.equal(read.items[0]!.profile.sources.length, 1)
  })

  test('a profile with data, interests and control parameters is read', () => {
    const read = readProfilesXml(profile, withBelongings(rules, { channels: ['inbox', 'c_phone'], credentials: [] }))
    assert.ok(read.kind === 'read', JSON.stringify(read))
    assert.deepEqual(read.items, [
      {
        id: 'p1',
        owner: 'ada@example.org',
        line: 3,
        profile: {
          name: 'Stock',
          paused: false,
          sources: [
            {
              uri: 'http://quotes.example.org/find?market=ny&symbol=IBM+%26+co',
              everyMs: 600_000,
              everyMaxMs: 600_000,
              depth: 4,
              scope: { kind: 'pattern', source: '/find\\?' },
              process: 'filter',
              window: { zone: 'Europe/Nicosia', days: [1, 2, 3, 4, 5], fromMinute: 480, toMinute: 1110 },
              ...partDefaults,
            },
            {
              uri: 'imap://mail.example.org/INBOX',
              everyMs: 86_400_000,
              everyMaxMs: 7 * 86_400_000,
              depth: 0,
              scope: { kind: 'host' },
              process: 'track',
              window: null,
              ...partDefaults,
            },
          ],
          interests: {
            keywords: [
              { key: 'java', weight: 4 },
              { key: 'ibm', weight: 1 },
            ],
            exclude: ['job advert'],
            expression: 'java OR coffee',
            threshold: 4,
            stemming: '',
            scorer: 'keywords',
            ignore: [],
            match: 'change',
          },
          urgency: 2,
          amount: 'full',
          delivery: {
            channels: ['inbox'],
            cadence: 'daily',
            quiet: { zone: '', from: '22:00', to: '07:00' },
            perHour: 20,
            urgentFrom: 5,
            escalation: { channel: 'c_phone', after: '30m', urgency: 5 },
          },
        },
      },
    ])
    assert.deepEqual(read.notes, [{ line: 12, message: "uri: IMAP isn't supported" }])
  })

  test('any profile survives a round trip as XML and as JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyProfile, { maxLength: 3 }), async (profiles) => {
        const xml = await textOf(writeProfiles(profiles))
        assert.deepEqual(profileGrammar.validate(xml), [])
        const expected = profiles.map(({ id, owner, ...rest }) => ({ id, owner, profile: rest }))
        const read = readProfilesXml(xml, rulesOfShape)
        assert.ok(read.kind === 'read', JSON.stringify(read))
        assert.deepEqual(
          read.items.map(({ line: _, ...item }) => item),
          expected,
        )
        const again = readProfilesJson(JSON.stringify(profiles.map(profileToJson)), rulesOfShape)
        assert.ok(again.kind === 'read', JSON.stringify(again))
        assert.deepEqual(
          again.items.map(({ line: _, ...item }) => item),
          expected,
        )
      }),
      { numRuns: 150 },
    )
  })

  test('any description survives a round trip as XML', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyUrd, { maxLength: 3 }), async (urds) => {
        const xml = await textOf(writeUrds(urds.map(writtenUrd)))
        assert.deepEqual(urdGrammar.validate(xml), [])
        const read = readUrdsXml(xml, rulesOfShape)
        assert.ok(read.kind === 'read', JSON.stringify(read))
        assert.deepEqual(
          read.items.map(({ urd }) => urd),
          urds,
        )
      }),
      { numRuns: 150 },
    )
  })

  test('a profile can be restored from its descriptions', () => {
    fc.assert(
      fc.property(anyProfile, (given) => {
        const urds = urdsOf(given, (index) => ({ id: String(index + 1), lastCheckedAt: 0 }))
        const xml = `<urds>${urds.map((urd) => writeUrd(writtenUrd(urd)).replace(/^.*\n/, '')).join('')}</urds>`
        const read = readProfilesXml(xml, rulesOfShape)
        assert.ok(read.kind === 'read', JSON.stringify(read))
        const { id, owner, name: _, ...rest } = given
        assert.equal(read.items.length, 1)
        assert.deepEqual({ id: read.items[0]!.id, owner: read.items[0]!.owner }, { id, owner })
        assert.deepEqual({ ...read.items[0]!.profile, name: '' }, { ...rest, name: '' })
      }),
      { numRuns: 50 },
    )
  })

  test('xmllint validates all written files against their DTDs', { skip: xmllintSkip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'erace-xml-'))
    try {
      const profiles = fc.sample(anyProfile, { numRuns: 100, seed: 1 })
      const urds = fc.sample(anyUrd, { numRuns: 100, seed: 1 }).map(writtenUrd)
      const files: [text: string, dtd: string][] = [
        [await textOf(writeProfiles(profiles)), profileGrammar.dtdPath],
        [writeProfile(profiles[0]!), profileGrammar.dtdPath],
        [profile, profileGrammar.dtdPath],
        [await textOf(writeUrds(urds)), urdGrammar.dtdPath],
        [urdOfThePapers, urdGrammar.dtdPath],
        [await textOf(writeUrds([])), urdGrammar.dtdPath],
      ]
      for (const [index, [text, dtd]] of files.entries()) {
        const file = join(folder, `${index}.xml`)
        writeFileSync(file, text)
        const { stderr } = await promisify(execFile)('xmllint', ['--noout', '--dtdvalid', dtd, file])
        assert.equal(stderr, '')
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('all errors of a file are reported at once with their lines', () => {
    const wrong = profile
      .replace('every="10m"', 'every="-10m"')
      .replace('depth="4"', 'depth="four"')
      .replace('Europe/Nicosia', 'Europe/Atlantis')
      .replace('imap://', 'imapp://')
      .replace('http://quotes.example.org/', 'http://[quotes/')
      .replace('key="java" weight="4"', 'key="" weight="4"')
      .replace('key="ibm"', 'key="ibm" weight="-3"')
      .replace('<amount size="full"/>', '<amount size="half"/>')
      .replace('from="08:00"', 'from="25:00"')
      .replace('urgent="2"', 'urgent="soon"')
    const errors = errorsOf(readProfilesXml(wrong, rules))
    const told = [
      /^5: every: expected an interval .*"-10m"/,
      /^5: depth: expected a whole number, not "four"/,
      /^6: uri: "http:\/\/\[quotes.* is not an address/,
      /^9: zone: "Europe\/Atlantis" is not a time zone/,
      /^9: from: expected a time/,
      /^12: uri: unknown protocol "imapp"; did you mean imap\?/,
      /^17: key: is empty/,
      /^18: weight: -3 is not a weight/,
      /^26: urgent: expected a number, not "soon"/,
      /^27: .*half/,
      /^31: channel: unknown channel "c_phone"; expected inbox/,
    ]
    assert.equal(errors.length, told.length, errors.join('\n'))
    for (const [index, pattern] of told.entries()) assert.match(errors[index]!, pattern)
  })

  test('errors in a description are reported with their line', () => {
    const wrong: [from: string | RegExp, to: string, told: RegExp][] = [
      ['timing="600000"', 'timing="-1"', /^3: timing: expected an interval/],
      ['timing="600000"', 'timing="0"', /^3: timing: expected an interval/],
      ['timing="600000"', '', /^3: .*timing/],
      ['lastcheck="97876750000"', 'lastcheck="-5"', /^3: lastcheck: /],
      ['port="80"', 'port="http"', /^3: port: expected a whole number/],
      ['port="80"', 'port="70000"', /^3: port: /],
      ['.cy/', '.cy:8080/', /^3: port: is 80, but the URI has 8080/],
      ['protocol="http"', 'protocol="htp"', /^5: protocol: unknown protocol "htp"; did you mean http\?/],
      ['protocol="http"', 'protocol="ftp"', /^5: protocol: is ftp, but the URI starts with http:/],
      ['method="pull"', 'method="push"', /^5: method: the hub of a feed must be able to call this server/],
      ['processtype="filter"', 'credentials="x"', /^5: credentials: you have no credentials named "x"; store them/],
      ['processtype="filter"', 'processtype="x"', /^5: .*processtype/],
      ['weight="1"', 'weight="0"', /^7: weight: /],
      ['weight="1"', 'weight="many"', /^7: weight: expected a number/],
      ['key="ibm"', 'key=" "', /^7: key: is empty/],
      ['level="4"', 'level="1.5"', /^12: level: /],
      ['<depth', '<dept', /^\d+: /],
      ['</urd>', '', /ends inside <urd>/],
      ['<urd>', '<!DOCTYPE urd [<!ENTITY a "b">]><urd>', /^2: .*internal subset/],
      ['ibm', '&ibm;', /^7: invalid reference &ibm;/],
      [/urd>/g, 'urn>', /^2: <urn> where <profile> or <profiles> is expected/],
    ]
    for (const [from, to, told] of wrong) {
      const text = urdOfThePapers.replace(from, to)
      assert.notEqual(text, urdOfThePapers)
      const errors = errorsOf(readProfilesXml(text, rules))
      assert.match(errors.join('\n'), told)
    }
  })

  test('renderer, credentials and method of a source are read, and invalid ones refused with the line', () => {
    const typed = (type: string) => profile.replace('</uri>', `</uri>\n${type}`)
    const known = withBelongings(rules, { channels: ['inbox', 'c_phone'], credentials: ['shop'] })
    const read = readProfilesXml(typed('<type protocol="http" render="browser" credentials="shop"/>'), known)
    assert.ok(read.kind === 'read', JSON.stringify(read))
    const { render, credentials, method } = read.items[0]!.profile.sources[0]!
    assert.deepEqual({ render, credentials, method }, { render: 'browser', credentials: 'shop', method: 'pull' })
    const faults = (type: string) => errorsOf(readProfilesXml(typed(type), known))
    assert.deepEqual(faults('<type protocol="pop3" method="push" credentials="bank"/>'), [
      '7: credentials: you have no credentials named "bank"; expected "shop"',
      '7: protocol: is "pop3", but the URI starts with http:',
      "7: method: the hub of a feed must be able to call this server, which doesn't know its public address (server.url); use pull",
    ])
    assert.match(faults('<type protocol="http" render="paper"/>').join(), /^7: .*render/)
  })

  test('a non-default port becomes part of the URI', () => {
    const read = readUrdsXml(urdOfThePapers.replace('port="80"', 'port="8080"'), rules)
    assert.ok(read.kind === 'read')
    assert.equal(read.items[0]!.urd.source.uri, 'http://www.cs.ucy.ac.cy:8080/default.html')
  })

  test('recursive and external entities are refused', () => {
    const laughs = `<!DOCTYPE urd [<!ENTITY a "ha">${'bcdefghij'
      .split('')
      .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`)
      .join('')}]><urd>&j;</urd>`
    const outside = '<!DOCTYPE urd [<!ENTITY a SYSTEM "file:///etc/passwd">]><urd>&a;</urd>'
    for (const text of [laughs, outside])
      assert.match(errorsOf(readProfilesXml(text, rules)).join('\n'), /^1: .*internal subset/)
  })

  test('files that are too large, too deep, with too many elements or not UTF-8 are refused', () => {
    const large = `<urd>${' '.repeat(20_000_000)}</urd>`
    assert.match(errorsOf(readProfilesXml(large, rules)).join('\n'), /more than 20000000 bytes/)
    assert.match(errorsOf(readProfilesXml('<urd>'.repeat(100), rules)).join('\n'), /nested more than 16 deep/)
    const fine = `<urds>${'<urd/>'.repeat(250_001)}</urds>`
    assert.match(errorsOf(readProfilesXml(fine, rules)).join('\n'), /more than 250000 elements/)
    const long = `<urd ${'x'.repeat(2_000_000)}="1"/>`
    assert.match(errorsOf(readProfilesXml(long, rules)).join('\n'), /longer than 1000000 characters/)
    assert.match(errorsOf(readProfilesJson(`"${'x'.repeat(20_000_000)}"`, rules)).join('\n'), /larger than 20000000/)
    assert.match(errorsOf(readProfilesXml(Buffer.from([0x3c, 0xff, 0xfe]), rules)).join('\n'), /not UTF-8/)
  })

  test('too many keywords are refused with the line of their list', () => {
    const many = '<keyword key="a" weight="1"/>'.repeat(10_001)
    const errors = errorsOf(readProfilesXml(urdOfThePapers.replace('<keywords>', `<keywords>${many}`), rules))
    assert.deepEqual(errors, ['6: keywords: has 10005 entries; the maximum is 10000'])
  })

  test('errors in JSON are reported with their places, and malformed JSON is refused', () => {
    const one = JSON.stringify([{ sources: [{ uri: 'ftp://a.example/', evry: '1h' }], urgency: '3' }, 7])
    assert.deepEqual(errorsOf(readProfilesJson(one, rules)), [
      'null: [0].sources[0].evry: unknown key; did you mean every?',
      'null: [0].urgency: expected a number, not "3"',
      'null: [1]: expected an object, not 7',
    ])
    assert.match(errorsOf(readProfilesJson('{\n"name": ,\n}', rules)).join('\n'), /not valid JSON/)
  })
})
