import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import { createAddressGuard } from '../core/url/address.ts'
import type { SendOutcome } from './channel-agent.ts'
import { exec } from './exec.ts'
import { createHttpSender } from './http-sender.ts'
import { hostileText, itemOf, messageOf } from './render/message.testkit.ts'
import { readSettings } from './settings.ts'
import { toolsOf } from './sink.testkit.ts'

const network = createHttpSender(createAddressGuard({ allow: [] }))
const tools = toolsOf(network, createManualClock())
let folder: string

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'erace-exec-'))
})
after(async () => {
  rmSync(folder, { recursive: true })
  await network.close()
})

function script(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return path
}

function run(text: string, { message = messageOf(), answerMs = 20_000 } = {}): Promise<SendOutcome> {
  const command = script('program', text)
  return exec.send(message, { command }, { ...tools, commands: [command], limits: { connectMs: 1, answerMs } })
}

describe('exec agent', () => {
  test('derives the outcome from the exit status and the output', async () => {
    assert.deepEqual(await run('echo kept'), { kind: 'delivered', answer: 'exit status 0: kept' })
    assert.deepEqual(await run('echo busy >&2; exit 75'), { kind: 'later', reason: 'exit status 75: busy' })
    assert.deepEqual(await run('exit 1'), { kind: 'never', reason: 'exit status 1' })
    assert.deepEqual(await run('kill -9 $$'), { kind: 'later', reason: 'killed by SIGKILL' })
    const missing = join(folder, 'missing')
    const outcome = await exec.send(messageOf(), { command: missing }, { ...tools, commands: [missing] })
    assert.equal(outcome.kind, 'later')
  })

  test('accepts only listed commands, both in settings and when sending', async () => {
    const command = script('other', 'echo ran > "$0.ran"')
    const service = { commands: ['/usr/bin/true'], hasMailServer: false }
    for (const given of [command, '/usr/bin/true x', '/usr/bin/../bin/true', 'true', '/usr/bin/TRUE'])
      assert.equal(readSettings(exec, { command: given }, {}, service).errors.length, 1, given)
    assert.deepEqual(readSettings(exec, { command: '/usr/bin/true' }, {}, service).errors, [])
    assert.equal((await exec.send(messageOf(), { command }, tools)).kind, 'never')
    assert.throws(() => readFileSync(`${command}.ran`), /ENOENT/)
  })

  test('passes the message on stdin and in ERACE_ variables, without leaking its own environment', async () => {
    process.env.ERACE_TEST_SECRET = 'secret'
    try {
      const file = join(folder, 'got')
      const message = messageOf({ items: [itemOf({ title: hostileText })] })
      assert.equal((await run(`env > ${file}.env; cat > ${file}; echo $# arguments`, { message })).kind, 'delivered')
      const { id, data } = JSON.parse(readFileSync(file, 'utf8'))
      assert.deepEqual([id, data.length], ['m1', 1])
      const environment = readFileSync(`${file}.env`, 'utf8')
      assert.match(environment, /^ERACE_ID=m1$/m)
      assert.match(environment, /^ERACE_LINK=https:\/\/e\.example\/a\/7$/m)
      assert.doesNotMatch(environment, /secret|^Bcc/m)
    } finally {
      delete process.env.ERACE_TEST_SECRET
    }
  })

  test('kills a command and its child processes on timeout', async () => {
    // Its child processes keep this pipe open until they exit.
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const ended = readFile(pipe)
    const outcome = await run(`exec 3> ${pipe}; sleep 1000 & echo begun; sleep 1000`, { answerMs: 500 })
    assert.deepEqual(outcome, { kind: 'later', reason: 'took too long and was killed: begun' })
    await ended
  })

  test('does not wait for background processes that the command leaves behind', async () => {
    const outcome = await run(`sleep 60 & echo $! > ${folder}/left; echo kept`)
    assert.deepEqual(outcome, { kind: 'delivered', answer: 'exit status 0: kept' })
    process.kill(Number(readFileSync(join(folder, 'left'), 'utf8')))
  })

  test('copes with excessive output and unread input', async () => {
    const text = 'x'.repeat(40_000)
    const message = messageOf({ amount: 'full', items: Array(20).fill(itemOf({ text })) })
    const outcome = await run('head -c 3000000 /dev/zero | tr "\\0" y; exit 75', { message })
    assert.equal(outcome.kind, 'later')
    assert.ok('reason' in outcome && outcome.reason.length < 400)
    assert.equal((await run('exec <&-; exit 0', { message })).kind, 'delivered')
  })
})
