import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import * as errors from '../errors.ts'
import { importQuickly } from './quick-imports.ts'

describe('quick imports', () => {
  const names = ['./retry.ts', '../errors.ts', 'undici', 'node:fs']
  const usual = names.map((name) => import.meta.resolve(name))
  before(importQuickly)

  test('lead where imports lead without them', () => {
    assert.deepEqual(
      names.map((name) => import.meta.resolve(name)),
      usual,
    )
  })

  test('give the module that was loaded before', async () => {
    const name = '../errors.ts'
    assert.equal(await import(name), errors)
  })

  test('fail where there is no such file', async () => {
    const missing = './no-such-module.ts'
    await assert.rejects(import(missing), /no-such-module/)
  })
})
