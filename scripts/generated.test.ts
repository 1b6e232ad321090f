import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { settingKeys } from '../src/config/schema.ts'
import { errorCodes } from '../src/core/errors.ts'
import { agents, agentsByKind } from '../src/delivery/registry.ts'
import { webhookSignature } from '../src/delivery/webhook.ts'
import { configPage, deliveryPage, errorsPage } from './docs.ts'

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

test('docs/delivery.md lists every kind of channel and no other, and its example verifies a signature', async () => {
  const page = await readPage('delivery.md')
  assert.equal(page, deliveryPage(page), 'run npm run docs')
  for (const { kind } of agents) assert.ok(firstCells(page).includes(kind), kind)
  const { hint } = agentsByKind.get('http')!.settings.find(({ name }) => name === 'body')!
  for (const [place] of hint!.matchAll(/\{\{\w+\}\}/g)) assert.ok(page.includes(`\`${place}\``), place)
  const code = /^ {4}import \{ createHmac[\s\S]*?^ {4}\}$/m.exec(page)![0].replaceAll(/^ {4}/gm, '')
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const [secret, id, at, body] = ['whsec_c2VjcmV0', 'm1', Math.floor(Date.now() / 1000), '{"a":"ä"}'] as const
  const headers = {
    ...{ 'webhook-id': id, 'webhook-timestamp': String(at) },
    'webhook-signature': webhookSignature(secret, id, at, body),
  }
  assert.equal(isGenuine(secret, headers, body), true)
  assert.equal(isGenuine(secret, headers, `${body} `), false)
  assert.equal(isGenuine(secret, { ...headers, 'webhook-timestamp': String(at - 301) }, body), false)
})

test('SECURITY.md names only existing files, names the tests in each row, and is linked', async () => {
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
