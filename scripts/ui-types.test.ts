import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { typesPath, uiTypes } from './ui-types.ts'

test("the types of the pages match the server's schemas", async () => {
  const wanted = await uiTypes()
  assert.equal(readFileSync(typesPath, 'utf8'), wanted, 'run `node scripts/ui-types.ts`')
})
