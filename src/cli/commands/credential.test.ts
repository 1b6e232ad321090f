import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import * as credentials from '../../app/commands/credentials.ts'
import * as maintenance from '../../app/commands/maintenance.ts'
import * as profiles from '../../app/commands/profiles.ts'
import * as users from '../../app/commands/users.ts'
import { useCliFolder } from '../cli.testkit.ts'

describe('erace credential', () => {
  const folder = useCliFolder()

  test('reports all errors of a command line', async () => {
    const uses: [argv: string[], expected: RegExp[]][] = [
      [[], [/credential: choose an action: add, list, remove/]],
      [['add'], [/NAME: the name of the credentials is missing/]],
      [
        ['add', 'a', 'b', '--kind', 'key', '--header', 'X', '--yes', '--owner', 'ada'],
        [
          /b: credential add takes one name/,
          /--kind: /,
          /--header: only valid with --kind header/,
          /--yes: /,
          /--owner: /,
        ],
      ],
      [
        ['list', 'x', '--user', 'ada'],
        [/credential list takes options only/, /--user: only valid with add/],
      ],
      [['remove'], [/NAME: the name of the credentials is missing/]],
    ]
    for (const [argv, expected] of uses) {
      const { code, err } = await folder.run(['credential', ...argv])
      assert.equal(code, 2)
      for (const pattern of expected) assert.match(err, pattern)
    }
  })
})

describe('erace credential on a data folder', () => {
  const folder = useCliFolder()
  const secret = 'hunter2-secret'
  const run = (
    argv: readonly string[],
    given: { env?: Record<string, string>; piped?: string; replies?: string[] } = {},
  ) => folder.run([...argv], { engine: { ...users, ...credentials, ...profiles, ...maintenance }, ...given })

  before(async () => {
    await run(['user', 'add', 'ada@example.org'], { env: { ERACE_PASSWORD: 'correct horse' } })
  })

  test('takes the secret from a pipe, the environment or a prompt, and never shows it', async () => {
    const added = await run(['credential', 'add', 'mailbox', '--user', 'ada'], { piped: `${secret}\n` })
    assert.deepEqual([added.code, added.out], [0, 'added mailbox (password) of ada@example.org\n'], added.err)
    const token = await run(['credential', 'add', 'shop', '--kind', 'bearer'], { env: { ERACE_SECRET: secret } })
    assert.equal(token.code, 0, token.err)
    const header = ['credential', 'add', 'api', '--kind', 'header', '--header', 'X-Api-Key', '--json']
    const typed = await run(header, { replies: [secret] })
    assert.deepEqual([typed.code, typed.questions], [0, ['value: (secret)']])
    const list = await run(['credential', 'list'])
    assert.deepEqual(
      list.out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 5)),
      [
        ['api', 'header', 'X-Api-Key', 'ada@example.org', 'not used'],
        ['mailbox', 'password', 'ada', 'ada@example.org', 'not used'],
        ['shop', 'bearer', 'ada@example.org', 'not used'],
        [''],
      ],
    )
    const json = await run(['credential', 'list', '--json'])
    assert.equal(JSON.parse(json.out).credentials.length, 3)
    for (const { out, err } of [added, token, typed, list, json]) assert.ok(!`${out}${err}`.includes(secret))
  })

  test('reads the steps of a sign-in from a file', async () => {
    writeFileSync(join(folder.cwd, 'steps.txt'), 'go https://a.example/\r\nclick #in\r\n')
    const added = await run(['credential', 'add', 'site', '--kind', 'steps', '--steps', 'steps.txt'])
    assert.equal(added.code, 0, added.err)
    assert.equal((await run(['credential', 'remove', 'site', '--yes'])).code, 0)
  })

  test('reports errors by option, without the secret', async () => {
    const wrong = await run(['credential', 'add', 'bad', '--user', 'a\tb'], { piped: `${secret}\u0001` })
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /--user: has line breaks or control characters/)
    assert.match(wrong.err, /password: has line breaks or control characters/)
    assert.ok(!wrong.err.includes(secret))
    assert.match((await run(['credential', 'add', 'none', '--user', 'a'])).err, /no password given: set ERACE_SECRET/)
  })

  test('lets imported profiles use only existing credentials of their owner', async () => {
    const profile = { name: 'Shop', sources: [{ uri: 'https://a.example/', credentials: 'shop' }] }
    const importing = async (of: object) => {
      writeFileSync(join(folder.cwd, 'p.json'), JSON.stringify(of))
      return run(['profile', 'import', 'p.json', '--owner', 'ada@example.org'])
    }
    const refused = await importing({ ...profile, sources: [{ ...profile.sources[0], credentials: 'bank' }] })
    assert.match(refused.err, /ada@example.org has no credentials named "bank"; add them with "erace credential add"/)
    assert.equal((await importing(profile)).code, 0)
    const removed = await run(['credential', 'remove', 'shop', '--yes'])
    assert.match(removed.err, /the profile "Shop" still uses these credentials/)
    const exported = await run(['profile', 'export', '-'])
    assert.match(exported.out, /credentials="shop"/)
    assert.ok(!exported.out.includes(secret))
  })

  test('a backup reveals no credentials, and needs the key to be restored', async () => {
    const data = join(folder.cwd, 'erace-data')
    const keyFile = join(data, 'secret.key')
    const key = readFileSync(keyFile, 'latin1').trim()
    const made = await run(['backup', 'backup.tar', '--json'])
    assert.equal(made.code, 0, made.err)
    const { sealed, keepElsewhere } = JSON.parse(made.out)
    assert.deepEqual([sealed, keepElsewhere], [true, keyFile])
    const bytes = readFileSync(join(folder.cwd, 'backup.tar'))
    for (const text of [secret, key, 'secret.key', 'mailbox', 'ada@example.org', 'ustar'])
      assert.equal(bytes.includes(text), false, text)

    const restore = (to: string, more: string[], env = {}) =>
      run(['restore', 'backup.tar', '--data', to, '--json', ...more], { env })
    const codeOf = ({ code, out }: Awaited<ReturnType<typeof run>>) => [code, JSON.parse(out).error?.code]
    writeFileSync(join(folder.cwd, 'other.key'), `${'ab'.repeat(32)}\n`)
    assert.deepEqual(codeOf(await restore('none', [])), [1, 'credentials-locked'])
    assert.deepEqual(codeOf(await restore('none', ['--key-file', 'other.key'])), [1, 'credentials-locked'])
    assert.deepEqual(codeOf(await restore('none', ['--key-file', 'missing.key'])), [1, 'credentials-locked'])
    assert.equal(existsSync(join(folder.cwd, 'none')), false)

    const back = await restore('back', ['--key-file', keyFile])
    assert.deepEqual([back.code, JSON.parse(back.out).sealed], [0, true], back.err)
    assert.equal(readFileSync(join(folder.cwd, 'back', 'secret.key'), 'latin1').trim(), key)
    assert.match((await run(['credential', 'list', '--data', 'back'])).out, /^mailbox /m)
    const configured = await restore('configured', [], { ERACE_CREDENTIALS_KEY: key })
    assert.equal(configured.code, 0, configured.err)
    assert.equal(existsSync(join(folder.cwd, 'configured', 'secret.key')), false)
  })

  test('a folder whose key is lost is not backed up', async () => {
    rmSync(join(folder.cwd, 'erace-data', 'secret.key'))
    const { code, out } = await run(['backup', 'lost.tar', '--json'])
    const { error } = JSON.parse(out)
    assert.deepEqual([code, error.code], [1, 'credentials-locked'])
    assert.match(error.message, /sealed with their key: .*secret\.key \(ENOENT\)/)
    assert.deepEqual(
      readdirSync(folder.cwd).filter((name) => name.startsWith('lost')),
      [],
    )
  })
})
