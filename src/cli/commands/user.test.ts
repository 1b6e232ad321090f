import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as users from '../../app/commands/users.ts'
import { type Account, defaultAccountSettings } from '../../core/account.ts'
import { AppError } from '../../core/errors.ts'
import { useCliFolder } from '../cli.testkit.ts'

const PASSWORD = 'correct horse'

const account: Account = {
  id: 1,
  email: 'ada@example.org',
  name: 'Ada',
  role: 'user',
  level: 'silver',
  disabled: false,
  createdAt: 0,
  settings: defaultAccountSettings,
}

describe('erace user', () => {
  const folder = useCliFolder()

  const taking = (drafts: object[]) => ({
    addUser: async (_: unknown, draft: object) => {
      drafts.push(draft)
      return account
    },
  })

  test('takes a password from the environment', async () => {
    const drafts: object[] = []
    const argv = ['user', 'add', 'Ada@Example.org', '--role', 'administrator', '--level', 'gold', '--name', 'Ada']
    const { code, out, err } = await folder.run(argv, { engine: taking(drafts), env: { ERACE_PASSWORD: PASSWORD } })
    assert.deepEqual([code, out, err], [0, 'added ada@example.org (user, silver)\n', ''])
    const traits = { role: 'administrator', level: 'gold', name: 'Ada' }
    assert.deepEqual(drafts, [{ email: 'ada@example.org', password: PASSWORD, ...traits }])
  })

  test('takes the password from the first line of piped input', async () => {
    const drafts: object[] = []
    const given = { engine: taking(drafts), piped: `${PASSWORD}\r\nmore\n` }
    assert.equal((await folder.run(['user', 'add', 'ada@example.org'], given)).code, 0)
    assert.deepEqual(drafts, [{ email: 'ada@example.org', password: PASSWORD }])
  })

  test('prompts twice without echo, and rejects short or different passwords', async () => {
    const drafts: object[] = []
    const engine = taking(drafts)
    const argv = ['user', 'add', 'ada@example.org']
    const done = await folder.run(argv, { engine, replies: [PASSWORD, PASSWORD] })
    assert.deepEqual([done.code, done.questions], [0, ['New password: (secret)', 'Repeat password: (secret)']])
    const differs = await folder.run(argv, { engine, replies: [PASSWORD, 'battery staple'] })
    assert.deepEqual([differs.code, differs.out], [2, ''])
    assert.match(differs.err, /the passwords do not match/)
    const short = await folder.run(argv, { engine, replies: ['short'] })
    assert.deepEqual([short.code, short.questions.length], [2, 1])
    const brokenOff = await folder.run(argv, { engine, replies: [] })
    assert.equal(brokenOff.code, 130)
    assert.equal(drafts.length, 1)
  })

  test('reports a missing password', async () => {
    const { code, err } = await folder.run(['user', 'passwd', 'ada@example.org'])
    assert.equal(code, 2)
    assert.match(err, /no password given: set ERACE_PASSWORD or pipe it in/)
  })

  test('reports all errors in a command line', async () => {
    const { code, err } = await folder.run(['user', 'add', 'nobody', '--role', 'king', '--level', 'iron', '--yes'])
    assert.equal(code, 2)
    for (const expected of [
      /nobody: expected an email/,
      /--role: expected one of user, administrator/,
      /--level: /,
      /--yes: /,
    ])
      assert.match(err, expected)
    assert.match((await folder.run(['user', 'ad'])).err, /ad: choose an action: add, list, passwd, remove/)
    assert.match((await folder.run(['user', 'remove'])).err, /EMAIL: the email address is missing/)
    assert.match((await folder.run(['user', 'list', 'x@y'])).err, /x@y: user list takes no email address/)
    assert.match((await folder.run(['user', 'passwd', 'x@y', '--name', 'x'])).err, /--name: only valid with add/)
  })

  test('prints accounts as text and as JSON', async () => {
    const eve = { ...account, id: 2, email: 'eve@example.org', name: 'E\u001b[2Jve', disabled: true }
    const engine = { listUsers: async () => [account, eve] }
    const { code, out } = await folder.run(['user', 'list'], { engine })
    assert.equal(code, 0)
    assert.match(out, /^ada@example\.org +user +silver/)
    assert.match(out, /^eve@example\.org +user +silver +disabled +E\?\[2Jve$/m)
    const { users: items } = JSON.parse((await folder.run(['user', 'list', '--json'], { engine })).out)
    assert.equal(items.length, 2)
    assert.deepEqual(items[0], {
      id: 1,
      email: 'ada@example.org',
      name: 'Ada',
      role: 'user',
      level: 'silver',
      disabled: false,
      createdAt: '1970-01-01T00:00:00.000Z',
    })
    const none = await folder.run(['user', 'list'], { engine: { listUsers: async () => [] } })
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'no accounts yet\n'])
  })

  test('asks for confirmation before a removal on a terminal', async () => {
    const removed: string[] = []
    const engine = {
      removeUser: async (_: unknown, email: string) => {
        removed.push(email)
        return { account, profiles: 2, annotations: 1200 }
      },
    }
    const argv = ['user', 'remove', 'ada@example.org']
    const no = await folder.run(argv, { engine, replies: ['n'] })
    assert.deepEqual([no.code, no.out, no.err, removed.length], [1, '', 'nothing removed\n', 0])
    const yes = await folder.run(argv, { engine, replies: ['Y'] })
    assert.equal(yes.out, 'removed ada@example.org (user, silver), with 2 profiles and 1,200 annotations\n')
    const sure = await folder.run([...argv, '--yes', '--json'], { engine, replies: [] })
    assert.deepEqual([sure.questions, JSON.parse(sure.out).annotations], [[], 1200])
    assert.equal((await folder.run(argv, { engine })).code, 0)
    assert.equal(removed.length, 3)
  })

  test('reports a failure with its code', async () => {
    const engine = { removeUser: () => Promise.reject(new AppError('last-administrator', 'the last one')) }
    const { code, out } = await folder.run(['user', 'remove', 'ada@example.org', '--json'], { engine })
    assert.deepEqual([code, JSON.parse(out).error.code], [1, 'last-administrator'])
  })

  test('works on a real store', async () => {
    const engine = users
    const env = { ERACE_PASSWORD: PASSWORD }
    const run = (...argv: string[]) => folder.run(['user', ...argv], { engine, env })
    assert.match((await run('list')).err, /There is no data folder/)
    assert.equal((await run('add', 'root@example.org', '--role', 'administrator')).code, 0)
    assert.equal((await run('add', 'ada@example.org')).code, 0)
    assert.match((await run('add', 'ADA@example.org')).err, /an account with this email address already exists/)
    assert.match((await run('passwd', 'ada@example.org')).out, /new password for ada/)
    assert.match((await run('passwd', 'eve@example.org')).err, /there is no account of eve@example\.org/)
    assert.match((await run('remove', 'root@example.org')).err, /last administrator/)
    assert.match((await run('remove', 'ada@example.org')).out, /removed ada@example\.org \(.*\), with 0 profiles/)
    assert.equal((await run('list')).out.trimEnd().split('\n').length, 1)
  })
})
