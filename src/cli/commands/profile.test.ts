import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  deliveryDefaults,
  type ImportedProfile,
  type Profile,
  type ProfileUrd,
  partDefaults,
} from '../../core/profile.ts'
import type { QueryRequest } from '../../core/reports/profile-report.ts'
import { useCliFolder } from '../cli.testkit.ts'

const urd = (uri: string, type = '') => `<urd>
  <uri timing="600000">${uri}</uri>
  <type protocol="http"${type}/>
  <keywords><keyword key="java" weight="4"/></keywords>
</urd>
`

const wrong = `<profiles>
  <profile name="a">
    <data><source every="soon"><uri>http://a.example/</uri></source></data>
  </profile>
  <profile name="b" colour="red">
    <data><source><uri>nowhere</uri></source></data>
  </profile>
</profiles>
`

const profile: Profile = {
  id: '7',
  owner: 'ada@example.org',
  name: 'Java',
  paused: false,
  sources: [
    {
      uri: 'http://a.example/',
      everyMs: 600_000,
      everyMaxMs: 600_000,
      depth: 0,
      scope: { kind: 'host' },
      process: 'filter',
      window: null,
      ...partDefaults,
    },
  ],
  interests: {
    keywords: [{ key: 'java', weight: 4 }],
    exclude: [],
    expression: '',
    threshold: 0,
    stemming: '',
    scorer: 'keywords',
    ignore: [],
    match: 'change',
  },
  urgency: 1,
  amount: 'summary',
  delivery: deliveryDefaults,
}

async function* each<T>(...items: T[]): AsyncGenerator<T> {
  yield* items
}

describe('erace profile', () => {
  const folder = useCliFolder({
    'urd.xml': urd('http://a.example/'),
    'mail.xml': `<urds>${urd('imap://a.example/').replace('"http"', '"imap"')}</urds>`,
    'owned.json': JSON.stringify({ id: '7', owner: 'eve@example.org', sources: [{ uri: 'http://a.example/' }] }),
    'wrong.xml': wrong,
    'wrong.json': '[{"sources":[{"uri":"x"}],"nmae":1}]',
    'there.xml': 'kept',
    'asking.xml': urd('http://a.example/').replace('protocol=', 'method="push" protocol='),
    'asking.json': JSON.stringify({ sources: [{ uri: 'http://a.example/', method: 'push' }] }),
    'strange.json': JSON.stringify({ owner: 'csyiazt1', sources: [{ uri: 'http://a.example/' }] }),
    'strange.xml': '<profile owner="csyiazt1"><data><source><uri>http://a.example/</uri></source></data></profile>',
    'upper.xml':
      '<profile owner=" Ada@Example.org"><data><source><uri>http://a.example/</uri></source></data></profile>',
    'channel.json': JSON.stringify({ sources: [{ uri: 'http://a.example/' }], delivery: { channels: ['mail'] } }),
  })

  test('reports a valid file', async () => {
    const { code, out, err } = await folder.run(['profile', 'validate', 'urd.xml'])
    assert.deepEqual([code, out, err], [0, 'urd.xml: valid, 1 profile\n', ''])
    const noted = await folder.run(['profile', 'validate', 'mail.xml'])
    assert.equal(noted.code, 0)
    assert.equal(noted.out.split('\n')[0], "mail.xml:2: note: uri: IMAP isn't supported")
  })

  test('prints every error in a file with its place', async () => {
    const { code, out, err } = await folder.run(['profile', 'validate', 'wrong.xml'])
    assert.deepEqual([code, err], [2, ''])
    const lines = out.trimEnd().split('\n')
    const expected = [
      /^wrong\.xml:3: every: expected an interval/,
      /^wrong\.xml:5: .*colour/,
      /^wrong\.xml:6: uri: "nowhere" is not an address/,
    ]
    assert.equal(lines.length, expected.length, out)
    for (const [index, pattern] of expected.entries()) assert.match(lines[index]!, pattern)
    const json = await folder.run(['profile', 'validate', 'wrong.json'])
    assert.equal(json.code, 2)
    assert.match(json.out, /^wrong\.json: \[0\]\.nmae: unknown key; did you mean name\?$/m)
  })

  test('rejects the push method and unknown channels', async () => {
    for (const file of ['asking.xml', 'asking.json']) {
      const { code, out } = await folder.run(['profile', 'validate', file])
      assert.equal(code, 2, file)
      assert.match(out, /method: the hub of a feed must be able to call this server/)
    }
    const { code, out } = await folder.run(['profile', 'validate', 'channel.json'])
    assert.deepEqual([code, /unknown channel "mail"/.test(out)], [2, true], out)
  })

  test('validates and normalises owners in a file like --owner', async () => {
    const taken: ImportedProfile[] = []
    const engine = {
      importProfiles: async (_: unknown, profiles: readonly ImportedProfile[]) => {
        taken.push(...profiles)
        return { created: 1, replaced: 0, profiles: [] }
      },
    }
    for (const file of ['strange.xml', 'strange.json']) {
      const { code, err } = await folder.run(['profile', 'import', file], { engine })
      assert.equal(code, 2, file)
      assert.match(err, /owner: expected an email address/)
    }
    assert.deepEqual(taken, [])
    assert.equal((await folder.run(['profile', 'import', 'upper.xml'], { engine })).code, 0)
    assert.equal(
      (await folder.run(['profile', 'import', 'strange.xml', '--owner', 'EVE@example.org'], { engine })).code,
      0,
    )
    assert.deepEqual(
      taken.map(({ owner }) => owner),
      ['ada@example.org', 'eve@example.org'],
    )
  })

  test('prints validation results as JSON', async () => {
    const { code, out } = await folder.run(['profile', 'validate', 'wrong.xml', '--json'])
    const found = JSON.parse(out)
    assert.deepEqual([code, found.valid, found.profiles, found.faults.length], [2, false, 0, 3])
    assert.equal(found.faults[0].line, 3)
  })

  test('imports each profile with its owner', async () => {
    const taken: ImportedProfile[] = []
    const engine = {
      importProfiles: async (_: unknown, profiles: readonly ImportedProfile[]) => {
        taken.push(...profiles)
        return { created: 1, replaced: 0, profiles: [{ id: '1', owner: 'x', name: 'y' }] }
      },
    }
    const first = await folder.run(['profile', 'import', 'urd.xml', '--owner', 'ada@example.org'], { engine })
    assert.deepEqual([first.code, first.out], [0, 'urd.xml: 1 profile: 1 new, 0 replaced\n'])
    const second = await folder.run(['profile', 'import', 'owned.json', '--json'], { engine })
    assert.deepEqual(JSON.parse(second.out).created, 1)
    assert.deepEqual(
      taken.map(({ id, owner, profile: { name } }) => [id, owner, name]),
      [
        [null, 'ada@example.org', 'a.example'],
        ['7', 'eve@example.org', 'a.example'],
      ],
    )
  })

  test('rejects an import of invalid or ownerless profiles', async () => {
    const invalid = await folder.run(['profile', 'import', 'wrong.xml', '--owner', 'ada@example.org'])
    assert.equal(invalid.code, 2)
    assert.match(invalid.err, /wrong\.xml:3: every: (?:.|\n)*wrong\.xml:5: (?:.|\n)*wrong\.xml:6: uri: /)
    const ownerless = await folder.run(['profile', 'import', 'urd.xml'])
    assert.equal(ownerless.code, 2)
    assert.match(ownerless.err, /urd\.xml:1: has no owner; name one with --owner/)
  })

  test('exports files that it can import again', async () => {
    const asked: unknown[] = []
    const engine = {
      exportProfiles: async (_: unknown, owner: string | null) => {
        asked.push(owner)
        return each(profile, { ...profile, id: '8' })
      },
      exportUrds: async () =>
        each<ProfileUrd>({ ...profile, profile: '7', source: profile.sources[0]!, lastCheckedAt: 0 }),
      importProfiles: async (_: unknown, profiles: readonly ImportedProfile[]) => {
        asked.push(profiles.map(({ id, owner, profile: draft }) => ({ ...draft, id, owner })))
        return { created: 0, replaced: 2, profiles: [] }
      },
    }
    for (const name of ['all.xml', 'all.json']) {
      const written = await folder.run(['profile', 'export', name, '--owner', 'ada@example.org'], { engine })
      assert.deepEqual([written.code, written.out], [0, `${name}: 2 profiles\n`])
      assert.equal((await folder.run(['profile', 'import', name], { engine })).code, 0)
      assert.deepEqual(asked.splice(0), ['ada@example.org', [profile, { ...profile, id: '8' }]])
    }
    const urds = await folder.run(['profile', 'export', '-', '--urds'], { engine })
    assert.deepEqual([urds.code, urds.err], [0, '1 urds\n'])
    assert.match(urds.out, /^<\?xml .*\n<urds>\n<urd id="7" owner="ada@example.org" profile="7">/)
    const none = await folder.run(['profile', 'export', 'none.json', '--json'], {
      engine: { exportProfiles: async () => each<Profile>() },
    })
    assert.deepEqual(JSON.parse(none.out), { file: 'none.json', kind: 'profiles', count: 0, bytes: 3 })
    assert.equal(await readFile(join(folder.cwd, 'none.json'), 'utf8'), '[]\n')
  })

  test('leaves no partial file behind when an export fails', async () => {
    async function* broken(): AsyncGenerator<Profile> {
      yield profile
      throw new Error('the store is gone')
    }
    const failed = await folder.run(['profile', 'export', 'half.xml'], {
      engine: { exportProfiles: async () => broken() },
    })
    assert.equal(failed.code, 1)
    await assert.rejects(readFile(join(folder.cwd, 'half.xml')), { code: 'ENOENT' })
  })

  test('reports all usage errors', async () => {
    const uses: [argv: string[], expected: RegExp][] = [
      [['profile'], /choose an action: import, export, validate/],
      [['profile', 'eat', 'x.xml'], /eat: choose an action/],
      [['profile', 'import'], /FILE: the file name is missing/],
      [['profile', 'import', 'gone.xml', '--urds'], /--urds: only valid with export(?:.|\n)*gone\.xml: no such file/],
      [['profile', 'import', 'urd.xml', '--owner', 'ada'], /--owner: expected an email address/],
      [
        ['profile', 'validate', 'urd.xml', 'b', '--owner', 'a@b.c'],
        /b: profile validate takes one file(?:.|\n)*--owner/,
      ],
      [['profile', 'export', 'there.xml'], /already exists; use --force to replace it/],
      [['profile', 'export', 'a.xml.gz'], /FILE: a\.xml\.gz can't be compressed as \.gz; choose a name without it/],
      [['profile', 'export', 'a.json', '--urds'], /--urds: only available as XML/],
      [['profile', 'export', '-', '--json'], /name a file/],
    ]
    for (const [argv, expected] of uses) {
      const { code, err, out } = await folder.run(argv)
      assert.equal(code, 2, argv.join(' '))
      assert.match(err + out, expected)
    }
  })
})

describe('erace query', () => {
  const folder = useCliFolder()

  test('prints nodes and values', async () => {
    const asked: unknown[] = []
    const engine = {
      query: async (_: unknown, request: QueryRequest) => {
        asked.push(request)
        return { kind: 'nodes' as const, nodes: ['<a/>', 'key="java\u202e"'], total: 5 }
      },
    }
    const { code, out, err } = await folder.run(['query', '//keyword', '--owner', 'a@b.c'], { engine })
    assert.deepEqual([code, out, err], [0, '<a/>\nkey="java\u202e"\n', 'and 3 more\n'])
    assert.deepEqual(asked.pop(), { query: '//keyword', over: 'profiles', owner: 'a@b.c' })
    await folder.run(['query', '//aci', '--over', 'annotations'], { engine })
    assert.deepEqual(asked.pop(), { query: '//aci', over: 'annotations', owner: null })
    const terminal = await folder.run(['query', '//keyword'], { engine, columns: 80 })
    assert.match(terminal.out, /^<a\/>\nkey="java\?"\n$/)
    const count = await folder.run(['query', 'count(//a)'], {
      engine: { query: async () => ({ kind: 'value', value: 3 }) },
    })
    assert.deepEqual([count.code, count.out], [0, '3\n'])
    const json = await folder.run(['query', 'count(//a)', '--json'], {
      engine: { query: async () => ({ kind: 'value', value: 3 }) },
    })
    assert.deepEqual(JSON.parse(json.out), { kind: 'value', value: 3 })
  })

  test('reports invalid expressions and usage errors', async () => {
    const engine = { query: async () => ({ kind: 'fault' as const, message: 'no XPath' }) }
    const { code, err } = await folder.run(['query', '//a['], { engine })
    assert.equal(code, 2)
    assert.match(err, /QUERY: no XPath/)
    assert.match((await folder.run(['query'])).err, /QUERY: the query is missing/)
    assert.match((await folder.run(['query', 'a', '--over', 'x'])).err, /--over: expected one of profiles, urds/)
    assert.match((await folder.run(['query', 'a', '--over', 'meta', '--owner', 'a@b.c'])).err, /--owner: not valid/)
    assert.match((await folder.run(['query', 'a', 'b'])).err, /b: query takes one expression/)
  })
})
