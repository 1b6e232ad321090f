import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { TokenScope } from '../../src/core/account.ts'
import type { RoutesArchive } from '../../src/server/every-route.testkit.ts'
import { ada, eve } from '../../src/server/routes/archive/archive.testkit.ts'
import { createSecret, hashOfSecret, TOKEN_PREFIX } from '../../src/services/accounts/secrets.ts'

type Mode = 'legacy' | 'auto'

const readAndWrite: readonly TokenScope[] = ['read', 'write']

/** The suite that each transport must pass: the tools, called with the official SDK's client. */
export type McpWorld = RoutesArchive & {
  /** A client acting for this user, over the transport under test; `close` closes the clients, not the archive. */
  connect(email: string, options?: Options): Promise<Client>
}

export function textOf(result: CallToolResult): string {
  return result.content.map((each) => (each.type === 'text' ? each.text : '')).join('\n')
}

/** Members of the tools' answers; each tool has some of them. */
type Data = {
  items: {
    id: number
    url: string
    kind: string
    version: number
    changes: { kind: string; before?: string; after?: string }[]
  }[]
  next: string | number | null
  text: string
  totalLength: number
  changed: number[]
  profile: { id: string; sources: { uri: string; every: string }[] }
}

/** Calls a tool, which must succeed, and returns its data. */
export async function dataOf(client: Client, name: string, args: Record<string, unknown>): Promise<Data> {
  const result = await client.callTool({ name, arguments: args })
  assert.ok(result.isError !== true, `${name}: ${textOf(result)}`)
  assert.ok(textOf(result).length > 0)
  return result.structuredContent as Data
}

export async function failureOf(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, arguments: args })
  assert.equal(result.isError, true, `${name} did not fail: ${textOf(result)}`)
  return textOf(result)
}

export async function addToken(
  { erace }: Pick<RoutesArchive, 'erace'>,
  email: string,
  scopes: readonly TokenScope[] = readAndWrite,
): Promise<string> {
  const secret = createSecret(TOKEN_PREFIX)
  const { id } = (await erace.stores.accounts.findByEmail(email))!
  const times = { createdAt: Date.now(), expiresAt: 0 }
  await erace.stores.tokens.add({ hash: hashOfSecret(secret), account: id, name: 'mcp', scopes, ...times })
  return secret
}

type Options = { scopes?: readonly TokenScope[]; mode?: Mode }
type Connect = (email: string, options: Required<Options>) => Promise<Transport>

/** One client per user and connection options. */
function createWorld(archive: RoutesArchive, usual: Mode, transportFor: Connect): McpWorld {
  const clients = new Map<string, Promise<Client>>()
  async function connect(email: string, options: Required<Options>): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: options.mode } })
    await client.connect(await transportFor(email, options))
    return client
  }
  return {
    ...archive,
    connect(email, { scopes = readAndWrite, mode = usual } = {}) {
      const key = JSON.stringify([email, scopes, mode])
      const client = clients.get(key) ?? connect(email, { scopes, mode })
      clients.set(key, client)
      return client
    },
    async close() {
      for (const client of clients.values()) await (await client).close()
    },
  }
}

/** Clients connect to the listening server with a token of their user. */
export async function overHttp(archive: RoutesArchive): Promise<McpWorld> {
  const address = await archive.erace.server.listen({ host: '127.0.0.1', port: 0 })
  return createWorld(archive, 'auto', async (email, { scopes }) => {
    const headers = { authorization: `Bearer ${await addToken(archive, email, scopes)}` }
    return new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit: { headers } })
  })
}

const launcher = fileURLToPath(new URL('../../bin/erace.js', import.meta.url))

/** A transport to `erace mcp` in its own process. */
export function startedMcp(args: readonly string[], env: Record<string, string> = {}): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', ...args],
    env: { ...getDefaultEnvironment(), ...env },
    stderr: 'inherit',
  })
}

/** Each client starts `erace mcp`, which forwards its calls to the listening server. */
export function overService(archive: RoutesArchive): McpWorld {
  const { port } = archive.erace.server.server.address() as AddressInfo
  return createWorld(archive, 'legacy', async (email, { scopes }) =>
    startedMcp(['--url', `http://127.0.0.1:${port}`], { ERACE_TOKEN: await addToken(archive, email, scopes) }),
  )
}

/** Each client starts `erace mcp` on these stores, for its user. */
export function overStdio(archive: RoutesArchive, target: readonly string[]): McpWorld {
  return createWorld(archive, 'legacy', async (email) => startedMcp([...target, '--owner', email]))
}

/** Ada watches a host with `/secret-plans`, and has an annotation of it; Eve has nothing. */
export function testMcp(name: string, create: () => Promise<McpWorld>): void {
  describe(`MCP ${name}`, () => {
    let world: McpWorld
    let her: Client
    const secretUrl = () => world.url('/secret-plans')
    const secretVersion = () => world.versionOf(secretUrl(), 1)

    before(async () => {
      world = await create()
      her = await world.connect(ada)
    })
    after(() => world.close())

    for (const mode of ['legacy', 'auto'] as const)
      test(`lists its tools with schemas and hints, in the protocol that is negotiated (${mode})`, async () => {
        const client = await world.connect(ada, { mode })
        const { tools } = await client.listTools()
        const names = ['search', 'read_version', 'changes_since', 'watch', 'inbox', 'mark', 'sources']
        assert.deepEqual(
          tools.map((tool) => tool.name),
          names,
        )
        for (const tool of tools) {
          assert.ok(tool.title !== undefined && tool.description !== undefined && tool.outputSchema !== undefined)
          assert.equal(tool.inputSchema.additionalProperties, false)
          assert.equal(tool.annotations?.readOnlyHint, !['watch', 'mark'].includes(tool.name))
        }
        assert.equal(client.getServerVersion()?.name, 'erace')
        assert.equal(client.getNegotiatedProtocolVersion() === '2026-07-28', mode === 'auto')
        assert.equal((await dataOf(client, 'inbox', {})).items.length, 1)
      })

    test('finds versions and reads them, in parts', async () => {
      const { items } = await dataOf(her, 'search', { query: 'secret plans' })
      assert.deepEqual([items[0]!.url, items[0]!.version], [secretUrl(), secretVersion()])
      const whole = await dataOf(her, 'read_version', { version: items[0]!.version })
      assert.equal(whole.text.trim(), 'Secret plans\nsolar secret plans')
      const first = await dataOf(her, 'read_version', { url: secretUrl(), length: 5 })
      assert.deepEqual([first.text, first.next, first.totalLength], ['Secre', 5, whole.text.length])
      const rest = await dataOf(her, 'read_version', { url: secretUrl(), offset: first.next })
      assert.deepEqual([first.text + rest.text, rest.next], [whole.text, null])
      const past = await dataOf(her, 'read_version', { version: items[0]!.version, offset: 1_000_000 })
      assert.deepEqual([past.text, past.next], ['', null])
    })

    test('reads a version by its resource', async () => {
      const { resourceTemplates } = await her.listResourceTemplates()
      assert.deepEqual(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ['erace://version/{id}'],
      )
      const { contents } = await her.readResource({ uri: `erace://version/${secretVersion()}` })
      assert.match((contents[0] as { text: string }).text, /solar secret plans/)
    })

    test('tells what changed since a time', async () => {
      const inInbox = await dataOf(her, 'changes_since', { since: '1970-01' })
      assert.equal(inInbox.items.length, 1)
      const ofPage = await dataOf(her, 'changes_since', { since: '1000d', url: secretUrl() })
      assert.deepEqual(
        ofPage.items.map((item) => item.kind),
        ['new'],
      )
      assert.deepEqual((await dataOf(her, 'changes_since', { since: '2100-01-01' })).items, [])
      assert.match(await failureOf(her, 'changes_since', { since: 'yesterday' }), /^request-invalid: since: expected/)
    })

    test('watches a page, within the limits and rules of the API', async () => {
      const client = await world.connect(eve)
      const url = world.url('/news')
      const { profile } = await dataOf(client, 'watch', { url, name: 'News', terms: ['solar'], every: '2h' })
      assert.deepEqual([profile.sources[0]!.uri, profile.sources[0]!.every], [url, '2h'])
      const stored = (await world.erace.as(eve).get(`/profiles/${profile.id}`)).json()
      assert.deepEqual([stored.name, stored.interests.keywords], ['News', [{ key: 'solar', weight: 1 }]])
      const { items } = await dataOf(client, 'sources', {})
      assert.deepEqual(
        items.map((item) => item.url),
        [url],
      )
      assert.match(
        await failureOf(client, 'watch', { url: 'nonsense' }),
        /request-invalid: not watched: sources\[0\]\.uri/,
      )
      assert.match(await failureOf(client, 'watch', { url, every: 'often' }), /every/)
      await world.erace.as(eve).delete(`/profiles/${profile.id}`)
    })

    test('lists the inbox and marks its items', async () => {
      const { items, next } = await dataOf(her, 'inbox', { state: 'all' })
      assert.deepEqual([items.length, items[0]!.version, next], [1, secretVersion(), null])
      assert.deepEqual(await dataOf(her, 'mark', { ids: [items[0]!.id], starred: true }), { changed: [items[0]!.id] })
      assert.equal((await dataOf(her, 'inbox', { state: 'starred' })).items.length, 1)
      assert.deepEqual(await dataOf(her, 'mark', { ids: [items[0]!.id], starred: false }), { changed: [items[0]!.id] })
    })

    test('has nothing of another user, whatever ids are named', async () => {
      const { items } = await dataOf(her, 'inbox', { state: 'all' })
      const client = await world.connect(eve)
      assert.match(await failureOf(client, 'read_version', { version: secretVersion() }), /^not-found: no version/)
      const missing = await failureOf(client, 'read_version', { version: 999_999 })
      assert.equal(
        missing.replace('999999', String(secretVersion())),
        await failureOf(client, 'read_version', { version: secretVersion() }),
      )
      assert.match(await failureOf(client, 'read_version', { url: secretUrl() }), /^not-found/)
      assert.match(await failureOf(client, 'changes_since', { since: '1000d', url: secretUrl() }), /^not-found/)
      assert.match(
        await failureOf(client, 'mark', { ids: [items[0]!.id], read: true }),
        /^not-found: not in your inbox/,
      )
      await assert.rejects(client.readResource({ uri: `erace://version/${secretVersion()}` }), /not found/i)
      for (const [tool, args] of [
        ['search', { query: 'secret' }],
        ['inbox', { state: 'all', profile: 'ada-news' }],
        ['changes_since', { since: '1000d', profile: 'ada-news' }],
        ['sources', { profile: 'ada-news' }],
      ] as const)
        assert.deepEqual((await dataOf(client, tool, args)).items, [], tool)
      assert.equal((await dataOf(her, 'inbox', { state: 'unread' })).items.length, 1)
    })

    test('says what is wrong with arguments, and takes none that are huge', async () => {
      for (const [tool, args, message] of [
        ['search', {}, /query/],
        ['search', { query: 'x', limti: 5 }, /limti|additional/i],
        ['search', { query: 'a'.repeat(5000) }, /1000/],
        ['search', { query: 'x', limit: 1e9 }, /50/],
        ['search', { query: 'after:someday' }, /^request-invalid: query: after: needs a date/],
        ['search', { query: 'x', cursor: '-1; DROP' }, /cursor|pattern/],
        ['read_version', {}, /either version or url/],
        ['read_version', { version: 1, url: 'http://x.example/' }, /either version or url/],
        ['read_version', { version: 1.5 }, /integer/],
        ['read_version', { url: secretUrl(), at: 'sometime' }, /neither a version number nor a time/],
        ['read_version', { url: secretUrl(), at: '1990-01-01' }, /had no version at that time/],
        ['mark', { ids: Array.from({ length: 5000 }, (_, i) => i + 1), read: true }, /1000|100/],
        ['mark', { ids: [1] }, /read, starred or archived/],
        ['watch', { url: 'x', terms: Array(2000).fill('x') }, /1000|100/],
      ] as const)
        assert.match(await failureOf(her, tool, args), message, tool)
      for (const unknown of ['no_such_tool', '__proto__', 'constructor'])
        await assert.rejects(her.callTool({ name: unknown, arguments: {} }), /not found|disabled/)
    })
  })
}
