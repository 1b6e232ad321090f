import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import * as channels from '../../app/commands/channels.ts'
import * as users from '../../app/commands/users.ts'
import { AppError } from '../../core/errors.ts'
import type { OwnedChannel, TextDraft } from '../../services/channels/operator-channels.ts'
import { freshHealth } from '../../store/rules/channels.ts'
import { useCliFolder } from '../cli.testkit.ts'

const ID = 'c_k3v9tq2m5xw7ab4d'
const url = 'https://93.184.216.34/hook'
const webhook = ['channel', 'add', '--kind', 'webhook', '--name', 'ops', '--set', `url=${url}`]

const channel: OwnedChannel = {
  ...{ id: ID, owner: 'ada@example.org', kind: 'webhook', name: 'ops', createdAt: 0, ...freshHealth },
  ...{ settings: { url, hasSecret: true }, waiting: 0, nextAt: 0, profiles: [] },
}

type Draft = TextDraft & { owner: string | null }

describe('erace channel', () => {
  const folder = useCliFolder()

  const taking = (drafts: Draft[]) => ({
    addChannel: async (_: unknown, draft: Draft) => {
      drafts.push(draft)
      return { channel, owner: channel.owner, secret: null, warnings: [] }
    },
  })

  test('takes values from the command line, the environment and a pipe', async () => {
    const drafts: Draft[] = []
    const argv = [...webhook, '--owner', 'Ada@Example.org', '--set', 'a=b=c', '--set', 'key=env:KEY', '--set', 'body=-']
    const given = { engine: taking(drafts), env: { KEY: 'x y' }, piped: 'first\nsecond\r\n' }
    const { code, out, err } = await folder.run(argv, given)
    assert.deepEqual([code, out], [0, `added ${ID} (webhook, ops) of ada@example.org\n`])
    assert.equal(err, `try it with erace channel test ${ID}, then choose it in your profiles\n`)
    const settings = [
      { name: 'url', text: url },
      { name: 'a', text: 'b=c' },
      { name: 'key', text: 'x y' },
      { name: 'body', text: 'first\nsecond' },
    ]
    assert.deepEqual(drafts, [{ owner: 'ada@example.org', kind: 'webhook', name: 'ops', settings }])
    assert.equal((await folder.run([...argv, '--quiet'], given)).err, '')
  })

  test('prompts for the value - without echo on a terminal', async () => {
    const drafts: Draft[] = []
    const argv = [...webhook, '--set', 'secret=-']
    const typed = await folder.run(argv, { engine: taking(drafts), replies: ['geheim'] })
    assert.deepEqual([typed.code, typed.questions], [0, ['secret: (secret)']])
    assert.deepEqual(drafts[0]!.settings[1], { name: 'secret', text: 'geheim' })
    assert.equal((await folder.run(argv, { replies: [] })).code, 130)
  })

  test('reports missing values', async () => {
    const empty = await folder.run([...webhook, '--set', 'secret=-'])
    assert.deepEqual([empty.code, empty.out], [2, ''])
    assert.match(empty.err, /--set secret: standard input is empty/)
    const argv = [...webhook, '--set', 'a=env:constructor', '--set', 'b=env:EMPTY', '--set', 'c=-', '--set', 'd=-']
    const { code, err } = await folder.run(argv, { env: { EMPTY: '' } })
    assert.equal(code, 2)
    assert.match(err, /--set a: the environment variable "constructor" is not set/)
    assert.match(err, /--set b: the environment variable "EMPTY" is not set/)
    assert.match(err, /--set: only one value can be read from standard input/)
  })

  test('reports all errors of a command line without revealing values of settings', async () => {
    const uses: [argv: string[], expected: RegExp[]][] = [
      [[], [/channel: choose an action: add, list, test, remove/]],
      [['ad'], [/ad: choose an action/]],
      [['add'], [/--kind: is missing; erace channel add --help lists the kinds/, /--name: is missing/]],
      [
        ['add', 'ops', '--kind', 'feed', '--set', 'geheim', '--set', '=geheim', '--owner', 'ada', '--yes'],
        [/ops: channel add takes options only/, /--set: expected NAME=VALUE/, /--owner: expected an email/, /--yes: /],
      ],
      [
        ['list', ID, '--set', 'token=geheim'],
        [/channel list takes options only/, /--set: only valid with add/],
      ],
      [['test'], [/ID: the id of the channel is missing/]],
      [
        ['test', ID, ID, '--owner', 'a@b.c'],
        [/channel test takes one id/, /--owner: only valid with add and list/],
      ],
      [
        ['remove', 'ops', '--kind', 'feed'],
        [/ops: expected the id of a channel; erace channel list/, /--kind: only/],
      ],
    ]
    for (const [argv, expected] of uses) {
      const { code, out, err } = await folder.run(['channel', ...argv])
      assert.deepEqual([code, out], [2, ''], argv.join(' '))
      for (const each of expected) assert.match(err, each)
      assert.doesNotMatch(err, /geheim/)
    }
  })

  test('lists channels with waiting messages and reasons of failures', async () => {
    const failing: OwnedChannel = {
      ...{ ...channel, name: 'ph\u001bone', kind: 'gotify', owner: 'eve@example.org', state: 'failing', waiting: 1200 },
      ...{ reason: '503 Service Unavailable', failures: 4, retryAt: Date.UTC(2026, 0, 1, 8, 30) },
    }
    const engine = { listChannels: async () => [{ ...channel, sentAt: Date.UTC(2026, 0, 1) }, failing] }
    const { code, out } = await folder.run(['channel', 'list'], { engine })
    assert.deepEqual(
      [code, ...out.split('\n')],
      [
        0,
        `${ID}  webhook  ops     ada@example.org  active   last message 2026-01-01 00:00:00Z`,
        `${ID}  gotify   ph?one  eve@example.org  failing  503 Service Unavailable; next attempt 2026-01-01 08:30:00Z; 1,200 waiting`,
        '',
      ],
    )
    const json = JSON.parse((await folder.run(['channel', 'list', '--json'], { engine })).out)
    assert.deepEqual(json.channels[1], {
      ...failing,
      ...{ retryAt: '2026-01-01T08:30:00.000Z', sentAt: null, nextAt: null, createdAt: '1970-01-01T00:00:00.000Z' },
    })
    const none = await folder.run(['channel', 'list'], { engine: { listChannels: async () => [] } })
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'no channels yet\n'])
  })

  test("prints the receiver's answer, and fails if the message did not arrive", async () => {
    for (const [outcome, answer, expected] of [
      ['delivered', '200 OK\u001b[2J', [0, 'delivered: 200 OK?[2J\n']],
      ['later', '503', [1, 'not delivered, but a later attempt may succeed: 503\n']],
      ['never', '', [1, 'not delivered\n']],
    ] as const) {
      const engine = { testChannel: async () => ({ outcome, answer }) }
      const { code, out } = await folder.run(['channel', 'test', ID], { engine })
      assert.deepEqual([code, out], expected)
      const json = await folder.run(['channel', 'test', ID, '--json'], { engine })
      assert.deepEqual([json.code, JSON.parse(json.out)], [expected[0], { id: ID, outcome, answer }])
    }
  })

  test('asks for confirmation before removing a channel on a terminal', async () => {
    const removed: string[] = []
    const engine = {
      removeChannel: async (_: unknown, id: string) => {
        removed.push(id)
        return { ...channel, profiles: ['7', '8'] }
      },
    }
    const argv = ['channel', 'remove', ID]
    const no = await folder.run(argv, { engine, replies: ['n'] })
    assert.deepEqual([no.code, no.err, removed], [1, 'nothing removed\n', []])
    assert.deepEqual(no.questions, [`Remove ${ID} with its log and everything that waits to be sent? [y/N] `])
    assert.equal((await folder.run(argv, { engine, replies: [] })).code, 130)
    const yes = await folder.run(argv, { engine, replies: ['y'] })
    assert.equal(yes.out, `removed ${ID} (webhook, ops) of ada@example.org, which 2 profiles used\n`)
    const sure = await folder.run([...argv, '--yes', '--json'], { engine, replies: [] })
    assert.deepEqual([sure.questions, JSON.parse(sure.out).channel.id, removed], [[], ID, [ID, ID]])
  })

  test('reports a failure with its error code', async () => {
    const engine = { removeChannel: () => Promise.reject(new AppError('not-found', 'gone')) }
    const { code, out } = await folder.run(['channel', 'remove', ID, '--json'], { engine })
    assert.deepEqual([code, JSON.parse(out).error.code], [1, 'not-found'])
  })

  test('lists all kinds in its help, or the settings of one kind', async () => {
    for (const argv of [
      ['help', 'channel'],
      ['channel', '--help'],
      ['channel', 'add', '--kind', 'pigeon', '--help'],
    ]) {
      const { code, out } = await folder.run(argv, { engine: channels })
      assert.equal(code, 0)
      assert.match(out, /\n {2}ntfy +url\*, topic\*, token\n/)
      assert.match(out, /\n {2}webpush +added in the pages, by the browser itself\n/)
    }
    const one = await folder.run(['channel', 'add', '--kind', 'webhook', '--help'], { engine: channels })
    assert.match(
      one.out,
      /Settings of webhook \(\*: required\):\n {2}url\* +Address\n {2}format +Format \(json, xml; default: json\)\n/,
    )
    assert.match(one.out, /\n {2}secret +Secret \(secret\)\. Signs each message/)
  })
})

describe('erace channel on a data folder', () => {
  const folder = useCliFolder()
  const env = { ERACE_PASSWORD: 'correct horse' }
  const run = (argv: readonly string[], given: { env?: Record<string, string>; piped?: string } = {}) =>
    folder.run([...argv], { engine: { ...users, ...channels }, ...given })

  before(async () => {
    assert.match((await run(['channel', 'list'])).err, /There is no data folder/)
    await run(['user', 'add', 'root@example.org', '--role', 'administrator'], { env })
  })

  test('adds a channel for the only account, shows its generated secret once, and removes it', async () => {
    const added = await run(webhook)
    const [, id, secret] = /^added (c_\w+) .* of root@example\.org\nsecret, shown only now: (whsec_\S+)\n$/.exec(
      added.out,
    )!
    const list = await run(['channel', 'list', '--json'])
    assert.deepEqual(JSON.parse(list.out).channels[0].settings, { url, format: 'json', hasSecret: true })
    assert.ok(!list.out.includes(secret!))
    assert.match((await run(['channel', 'remove', id!])).out, /^removed c_\w+ \(webhook, ops\) of root@example\.org\n$/)
    const again = await run(['channel', 'remove', id!])
    assert.deepEqual(
      [again.code, again.err],
      [1, `erace channel: there is no channel ${id}; erace channel list shows them\n`],
    )
  })

  test('shows the secret URLs of a feed only when it is added, and sends nothing to it', async () => {
    const added = await run(['channel', 'add', '--kind', 'feed', '--name', 'reader', '--json'], {
      env: { ERACE_SERVER_URL: 'https://erace.example' },
    })
    const { channel, feedUrls } = JSON.parse(added.out)
    assert.match(feedUrls.atom, /^https:\/\/erace\.example\/feeds\/\S+\.atom$/)
    for (const flags of [[], ['--json']])
      assert.doesNotMatch((await run(['channel', 'list', ...flags])).out, /\/feeds\//)
    const { code, err } = await run(['channel', 'test', channel.id])
    assert.deepEqual([code, err], [1, 'erace channel: readers fetch this channel; nothing is sent to it\n'])
    await run(['channel', 'remove', channel.id])
  })

  test('reports all errors together, by option', async () => {
    const wrong = ['channel', 'add', '--kind', 'ntfy', '--set', 'url=ftp://x', '--set', 'token=-', '--set', 'tpoic=a']
    const { code, out, err } = await run(wrong, { piped: 'geheim\nmore' })
    assert.deepEqual([code, out], [2, ''])
    assert.deepEqual(err.split('\n'), [
      'erace channel: --name: is empty',
      'erace channel: --set url: expected an address that begins with https:// or http://',
      'erace channel: --set topic: is missing',
      'erace channel: --set token: has a line end or a control character',
      'erace channel: --set tpoic: is unknown',
      '  see erace channel --help',
      '',
    ])
    const kind = await run(['channel', 'add', '--kind', 'pigeon', '--name', 'x'])
    assert.match(kind.err, /^erace channel: --kind: expected email, webpush, feed, webhook, /)
    const inside = await run(['channel', 'add', '--kind', 'webhook', '--name', 'x', '--set', 'url=http://10.0.0.1/'])
    assert.match(inside.err, /--set url: 10\.0\.0\.1 is in a private network .* delivery\.allow\n/)
    const exec = ['channel', 'add', '--kind', 'exec', '--name', 'run', '--set', 'command=/bin/true']
    assert.match((await run(exec)).err, /^erace channel: --set: .*delivery\.commands/)
    const allowed = { env: { ERACE_DELIVERY_COMMANDS: '/bin/true' } }
    const [id] = /c_\w{16}/.exec((await run(exec, allowed)).out)!
    assert.equal((await run(['channel', 'test', id], allowed)).out, 'delivered: exit status 0\n')
    assert.match((await run(['channel', 'test', id])).out, /^not delivered: this program is not allowed; /)
  })

  test('requires --owner if there are several accounts', async () => {
    await run(['user', 'add', 'ada@example.org'], { env })
    const which = await run(webhook)
    assert.deepEqual([which.code, which.out], [2, ''])
    assert.match(which.err, /there are several accounts: name the owner with --owner/)
    assert.match((await run([...webhook, '--owner', 'eve@example.org'])).err, /there is no account of eve@example\.org/)
    assert.equal((await run([...webhook, '--owner', 'ada@example.org'])).code, 0)
    const listOf = async (...argv: string[]) =>
      (await run(['channel', 'list', ...argv])).out.match(/^c_\w+ .*$/gm)?.map((line) => line.split(/ +/)[3])
    assert.deepEqual(await listOf(), ['root@example.org', 'ada@example.org'])
    assert.deepEqual(await listOf('--owner', 'ada@example.org'), ['ada@example.org'])
    assert.match((await run(['channel', 'list', '--owner', 'eve@example.org'])).err, /there is no account of eve/)
    const exec = ['--kind', 'exec', '--name', 'run', '--set', 'command=/bin/true', '--owner', 'ada@example.org']
    const refused = await run(['channel', 'add', ...exec], { env: { ERACE_DELIVERY_COMMANDS: '/bin/true' } })
    assert.match(refused.err, /only administrators can use this kind of channel, and ada@example\.org is not one/)
  })
})
