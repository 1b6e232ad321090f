import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { createSink } from '../../delivery/sink.testkit.ts'
import { webhookSignature } from '../../delivery/webhook.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { lockFolder } from '../../store/sqlite/folder/lock.ts'
import {
  type CommandTarget,
  createPostgresTarget,
  createSqliteTarget,
  type FolderCommandTarget,
} from '../engines/targets.testkit.ts'

usePostgres()

const ann = 'ann@example.org'
const env = { ERACE_PASSWORD: 'correct horse', ERACE_DELIVERY_ALLOW: '127.0.0.0/8', TOKEN: 'geheim' }

const engines: readonly [name: string, create: () => Promise<CommandTarget>][] = [
  ['a data folder whose service runs', openLocked],
  ['a shared store', () => createPostgresTarget([])],
]

/** A data folder locked as if `erace up` were using it. */
async function openLocked(): Promise<CommandTarget> {
  const folder: FolderCommandTarget = await createSqliteTarget([])
  const lock = lockFolder(folder.data, 'erace up', 0)
  return {
    ...folder,
    async destroy() {
      lock.release()
      await folder.destroy()
    },
  }
}

for (const [name, create] of engines)
  describe(`erace channel on ${name}`, () => {
    let target: CommandTarget
    let sink: Awaited<ReturnType<typeof createSink>>
    before(async () => {
      target = await create()
      await run('user', 'add', ann)
    })
    after(() => target.destroy())
    beforeEach(async () => {
      sink = await createSink()
    })
    afterEach(() => sink.close())

    async function run(...argv: string[]): Promise<string> {
      const { code, out, err } = await target.run(argv, { env })
      assert.equal(code, 0, `${argv.join(' ')}: ${err}`)
      return out
    }

    async function add(...argv: string[]): Promise<{ id: string; out: string }> {
      const out = await run('channel', 'add', ...argv)
      return { id: /^added (c_\w{16}) /.exec(out)![1]!, out }
    }

    test('adds a channel, lets a profile use it, lists it without its secret, and removes it', async () => {
      const settings = ['--set', 'url=https://93.184.216.34', '--set', 'token=env:TOKEN']
      const { id, out } = await add('--kind', 'gotify', '--name', 'phone', ...settings)
      assert.equal(out, `added ${id} (gotify, phone) of ${ann}\n`)
      const profile = { name: 'p', sources: [{ uri: 'http://a.example/' }], delivery: { channels: ['inbox', id] } }
      writeFileSync(join(target.out, 'p.json'), JSON.stringify([profile]))
      await run('profile', 'import', 'p.json', '--owner', ann)
      assert.equal(await run('channel', 'list'), `${id}  gotify  phone  ${ann}  active\n`)
      const list = await run('channel', 'list', '--json')
      assert.doesNotMatch(list, /geheim/)
      const [listed] = JSON.parse(list).channels
      assert.deepEqual(listed.settings, { url: 'https://93.184.216.34', hasToken: true })
      assert.equal(listed.profiles.length, 1)
      const removed = await run('channel', 'remove', id)
      assert.equal(removed, `removed ${id} (gotify, phone) of ${ann}, which 1 profile used\n`)
      await run('profile', 'export', 'q.json', '--owner', ann)
      assert.deepEqual(JSON.parse(readFileSync(join(target.out, 'q.json'), 'utf8'))[0].delivery.channels, ['inbox'])
      const again = await target.run(['channel', 'remove', id])
      const gone = `erace channel: there is no channel ${id}; erace channel list shows them\n`
      assert.deepEqual([again.code, again.out, again.err], [1, '', gone])
    })

    test("channel test prints the receiver's answer, and exits with 1 if the message did not arrive", async () => {
      const { id, out } = await add('--kind', 'webhook', '--name', 'ops', '--set', `url=${sink.url}/a`)
      const secret = /whsec_\S+/.exec(out)![0]
      for (const [answer, code, expected] of [
        [{ status: 200, body: 'thanks' }, 0, 'delivered: status 200: thanks\n'],
        [{ status: 503, body: 'busy' }, 1, 'not delivered, but a later attempt may succeed: status 503: busy\n'],
        [{ status: 404, body: 'nothing here' }, 1, 'not delivered: status 404: nothing here\n'],
      ] as const) {
        sink.answerWith(answer)
        const tested = await target.run(['channel', 'test', id], { env })
        assert.deepEqual([tested.code, tested.out, tested.err], [code, expected, ''])
        const { method, path, headers, body } = sink.received.pop()!
        const { type, links } = JSON.parse(body)
        assert.deepEqual([method, path, type, links.inbox], ['POST', '/a', 'test', 'http://127.0.0.1:7070/inbox'])
        const [message, at] = [headers['webhook-id'], headers['webhook-timestamp']] as [string, string]
        assert.equal(headers['webhook-signature'], webhookSignature(secret, message, Number(at), body))
      }
      const blocked = await target.run(['channel', 'test', id])
      assert.deepEqual([blocked.code, sink.received], [1, []])
      assert.match(blocked.out, /^not delivered.*: .*127\.0\.0\.1/)
      await run('channel', 'remove', id)
    })
  })
