import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as errors from '../errors.ts'
import { importQuickly } from './quick-imports.ts'

const program = fileURLToPath(new URL('./quick-imports.testkit.ts', import.meta.url))
const nothing = '--import=data:text/javascript,'

function codeOf(options: string[], nodeOptions = ''): string {
  const env = { ...process.env, NODE_OPTIONS: nodeOptions }
  const { stdout, stderr } = spawnSync(process.execPath, [...options, program], { env, encoding: 'utf8' })
  assert.equal(stderr, '')
  return stdout
}

describe('quick imports', () => {
  const names = ['./retry.ts', '../errors.ts', 'undici', 'node:fs']
  const usual = names.map((name) => import.meta.resolve(name))
  before(importQuickly)

  test('resolve to the same modules as ordinary imports', () => {
    assert.deepEqual(
      names.map((name) => import.meta.resolve(name)),
      usual,
    )
  })

  test('return the instance of a module that is already loaded', async () => {
    const name = '../errors.ts'
    assert.equal(await import(name), errors)
  })

  test('are active unless something was preloaded before the program', () => {
    assert.equal(codeOf([]), 'ENOENT')
    assert.equal(codeOf([nothing]), 'ERR_MODULE_NOT_FOUND')
    assert.equal(codeOf([], nothing), 'ERR_MODULE_NOT_FOUND')
  })
})
