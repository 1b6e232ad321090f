import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseControlResponse } from 'basic-ftp/dist/parseControlResponse.js'
import { parseMLSxDate } from 'basic-ftp/dist/parseListMLSD.js'
import { parseEpsvResponse, parsePasvResponse } from 'basic-ftp/dist/transfer.js'
import { isAppError } from '../../core/errors.ts'
import { placeIn } from '../protocol-suite.testkit.ts'
import { createFtpProtocol } from './ftp-protocol.ts'
import { startFtpScript } from './ftp-script.testkit.ts'

const folder = process.env.ERACE_CONFORMANCE
if (folder === undefined && process.env.CI) throw new Error('ERACE_CONFORMANCE must name the conformance data in CI')
const skip = folder === undefined && 'ERACE_CONFORMANCE names no folder of conformance data'

type Entry = { name: string; type?: 'File' | 'Directory' | 'SymbolicLink'; size?: number; rawModifiedAt?: string }
type Case = { kind: string; title: string; input: string; expected?: unknown; throws?: true }

/** Functions of the library that parse servers' replies. */
const parsers = new Map<string, (one: Case) => unknown>([
  ['parseControlResponse', ({ input }) => parseControlResponse(input)],
  ['parseMLSxDate', ({ input }) => parseMLSxDate(input).toISOString()],
  ['parseEpsvResponse', ({ input }) => parseEpsvResponse(input)],
  [
    'parsePasvResponse',
    ({ input, expected }) => parsePasvResponse(input)[typeof expected === 'number' ? 'port' : 'host'],
  ],
])

/** A folder with this listing, as the engine gets it. Entries without a known type are files of 5 bytes. */
async function look(listing: string) {
  const server = await startFtpScript({ listing, replies: { SIZE: '213 5' } })
  const url = `ftp://127.0.0.1:${server.port}/`
  try {
    const session = await createFtpProtocol().open(placeIn({ url, secret: null }))
    const found = await session.look('')
    await session.close()
    assert.ok(found.kind === 'list')
    return found
  } finally {
    await server.close()
  }
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)

/** The expected result for an entry; owners and permissions are ignored. */
function seen({ name, type, size, rawModifiedAt = '' }: Entry) {
  if (type === 'Directory') return { name, kind: 'list' }
  const bytes = type === 'File' ? size : 5
  return {
    name,
    kind: 'item',
    validator: rawModifiedAt === '' || bytes === undefined ? '' : `${bytes} ${rawModifiedAt}`,
  }
}

describe('FTP with the test cases of basic-ftp', { skip }, () => {
  const cases: Case[] =
    skip === false ? JSON.parse(readFileSync(join(folder!, 'ftp-basic-ftp', 'cases.json'), 'utf8')) : []

  for (const one of cases.filter(({ kind }) => kind === 'parseList'))
    test(`listing: ${one.title}`, async () => {
      if (one.throws) return assert.rejects(look(one.input), (error) => isAppError(error, 'protocol-failed'))
      const { items, lists } = await look(one.input)
      const found = [
        ...items.map(({ name, validator }) => ({ name, kind: 'item', validator })),
        ...lists.map(({ name }) => ({ name, kind: 'list' })),
      ]
      assert.deepEqual(found.sort(byName), (one.expected as Entry[]).map(seen).sort(byName))
    })

  for (const one of cases.filter(({ kind }) => kind !== 'parseList'))
    test(`${one.kind}: ${one.title}`, () => {
      const parse = parsers.get(one.kind)
      assert.ok(parse !== undefined, `a new kind of case: ${one.kind}`)
      if (one.throws) assert.throws(() => parse(one))
      else assert.deepEqual(parse(one), one.expected)
    })
})
