import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { settingKeys } from '../src/config/schema.ts'
import { errorCodes } from '../src/core/errors.ts'
import { configPage, errorsPage } from './docs.ts'

const readPage = (name: string) => readFile(new URL(`../docs/${name}`, import.meta.url), 'utf8')
const firstCells = (page: string) => [...page.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1])

test('docs/config.md lists every setting and no other', async () => {
  const page = await readPage('config.md')
  assert.deepEqual(firstCells(page), settingKeys)
  assert.equal(page, configPage(), 'run npm run docs')
})

test('docs/errors.md lists every error code and no other', async () => {
  const page = await readPage('errors.md')
  assert.deepEqual(firstCells(page), Object.keys(errorCodes))
  assert.equal(page, errorsPage(), 'run npm run docs')
})
