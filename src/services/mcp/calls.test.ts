import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { AppError } from '../../core/errors.ts'
import { createCalls } from './calls.ts'
import { defineTool, type ToolAnswer } from './tool.ts'

const ada = { owner: 'ada@example.org', mayWrite: true }
const eve = { owner: 'eve@example.org', mayWrite: true }

function toolOf(call: () => Promise<ToolAnswer>) {
  const empty = Type.Object({})
  const texts = { name: 'tool', title: '', description: '' }
  return defineTool({ ...texts, input: empty, output: empty, access: 'read', isIdempotent: true, call })
}

describe('tool calls', () => {
  test('are limited per user, and count until the work has ended, even after a timeout', async () => {
    const calls = createCalls({ onProblem: () => {}, limits: { maxOfOwner: 2, timeLimitMs: 1 } })
    const work = Promise.withResolvers<ToolAnswer>()
    const slow = toolOf(() => work.promise)
    const late = await Promise.all([calls.run(slow, ada, {}), calls.run(slow, ada, {})])
    assert.deepEqual(
      late.map((outcome) => outcome.kind === 'failed' && outcome.code),
      ['took-too-long', 'took-too-long'],
    )
    const third = await calls.run(slow, ada, {})
    assert.equal(third.kind === 'failed' && third.code, 'too-many-reads')
    const quick = toolOf(async () => ({ text: 'done', data: {} }))
    assert.equal((await calls.run(quick, eve, {})).kind, 'answer')
    work.resolve({ text: '', data: {} })
    await work.promise
    await new Promise((done) => setImmediate(done))
    assert.equal((await calls.run(quick, ada, {})).kind, 'answer')
  })

  test('log internal errors without revealing them to the caller', async () => {
    const problems: unknown[] = []
    const calls = createCalls({ onProblem: (_, { err }) => problems.push(err) })
    for (const [error, message] of [
      [new Error('secret path'), 'internal error; see the server log'],
      [new AppError('internal', 'secret path'), 'internal error; see the server log'],
      [new AppError('store-failed', 'secret path'), 'the store is not responding; try again in a moment'],
      [new AppError('store-damaged', 'secret path'), 'internal error; see the server log'],
    ] as const) {
      const outcome = await calls.run(
        toolOf(() => Promise.reject(error)),
        ada,
        {},
      )
      assert.equal(outcome.kind === 'failed' && outcome.message, message)
      assert.equal(problems.pop(), error)
    }
  })
})
