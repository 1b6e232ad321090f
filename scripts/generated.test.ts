import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
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

test('every file that SECURITY.md names exists, each row names what holds it and what shows it, and the page is linked', async () => {
  const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8')
  const page = await read('SECURITY.md')
  const named = [
    ...[...page.matchAll(/`((?:src|test|scripts|docs|ui|deploy|bin)\/[^`]+)`/g)].map((match) => match[1]!),
    ...[...page.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1]!),
  ]
  assert.ok(named.length > 40)
  assert.deepEqual(
    named.filter((name) => !existsSync(new URL(`../${name}`, import.meta.url))),
    [],
  )
  const rows = page.split('\n').filter((line) => line.split(' | ').length === 5 && !line.startsWith('| ---'))
  for (const row of rows.slice(1)) assert.match(row.split(' | ')[4]!, /`(?:src|test|scripts)\/[^`]+\.ts`/, row)
  assert.ok(rows.length > 10)
  for (const name of ['README.md', 'CONTRIBUTING.md']) assert.match(await read(name), /\]\(SECURITY\.md\)/, name)
})
