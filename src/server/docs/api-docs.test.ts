import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parse } from 'parse5'
import { Compile } from 'typebox/schema'
import { routesOf } from '../route-list.testkit.ts'
import { ada, createKeptArchive, root } from '../routes/archive/archive.testkit.ts'
import { createTestServer, type TestServer } from '../server.testkit.ts'
import type { Operation } from './api-docs-page.ts'
import { writeApiDocs } from './api-docs-page.ts'
import { exampleOf, type JsonSchema, outlineOf } from './api-docs-schema.ts'

type Description = { paths: Record<string, Record<string, Operation>> }
let server: TestServer
let description: Description

before(async () => {
  server = await createTestServer()
  description = (await server.nobody().get('/openapi.json')).json()
})

after(() => server.close())

const openPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

describe('OpenAPI description', () => {
  test('contains every route, with a summary, its access level and its responses', () => {
    const described = routesOf(server.server).filter(
      ({ method, path }) =>
        path.startsWith('/api/v1/') && path !== '/api/v1/openapi.json' && !['HEAD', 'OPTIONS'].includes(method),
    )
    assert.ok(described.length > 10)
    const errors: string[] = []
    for (const { method, path } of described) {
      const operation = description.paths[openPath(path)]?.[method.toLowerCase()]
      const name = `${method} ${path}`
      if (operation === undefined) {
        errors.push(`${name} is missing`)
        continue
      }
      if ((operation.summary ?? '').length < 5) errors.push(`${name} has no summary`)
      if ((operation.tags ?? []).length !== 1) errors.push(`${name} has not one tag`)
      if (!['anyone', 'user', 'session', 'administrator'].includes(operation['x-access'] ?? ''))
        errors.push(`${name} does not say who may call it`)
      const answers = Object.keys(operation.responses ?? {})
      if (!answers.some((status) => status.startsWith('2'))) errors.push(`${name} does not say what it answers`)
      const mayRefuse = operation['x-access'] !== 'anyone'
      if (mayRefuse && !answers.some((status) => status.startsWith('4')))
        errors.push(`${name} does not say how it refuses`)
    }
    assert.deepEqual(errors, [])
  })

  test('has a unique operationId for every operation, usable by generated clients', () => {
    const names = Object.values(description.paths).flatMap((path) =>
      Object.values(path).map((each) => each.operationId),
    )
    assert.deepEqual(
      names.filter((name) => !/^[a-z]+[A-Z][A-Za-z]*$/.test(name ?? '')),
      [],
    )
    assert.equal(new Set(names).size, names.length)
    assert.equal(description.paths['/api/v1/sources/{id}']!.patch!.operationId, 'patchSourcesById')
  })

  test('contains only existing routes', () => {
    const there = new Set(routesOf(server.server).map(({ method, path }) => `${method} ${openPath(path)}`))
    for (const [path, operations] of Object.entries(description.paths))
      for (const method of Object.keys(operations)) assert.ok(there.has(`${method.toUpperCase()} ${path}`), path)
  })

  test('matches the real responses to GET requests, and to POST requests that create something', async (t) => {
    const kept = await createKeptArchive({ '/solar': { body: '<title>Solar</title><p>solar panels</p>' } })
    t.after(() => kept.close())
    const { erace, url } = kept
    await erace.parts.activity.tick()
    await kept.annotate(ada, url('/'))
    const [her, administrator] = [erace.as(ada), erace.as(root)]

    const create = async (path: string, body: Record<string, unknown>, client = her): Promise<string> => {
      const answer = await client.post(path, body)
      assert.ok([201, 202].includes(answer.statusCode), `${path} ${answer.body}`)
      assertDescribed(description.paths[`/api/v1${path}`]?.post, answer, `POST ${path}`)
      return answer.json().id
    }
    const firstOf = async (path: string, client = her): Promise<string> => (await client.get(path)).json().items[0].id
    await create('/tokens', { name: 'one' })
    const ids = new Map<string, string | number>([
      ['annotations', await firstOf('/annotations')],
      ['channels', await create('/channels', { kind: 'feed', name: 'one' })],
      ['crawl', await create('/crawl', { seeds: ['http://127.0.0.1:9/'] }, administrator)],
      ['credentials', await create('/credentials', { name: 'one', kind: 'bearer', values: { token: 'x' } })],
      ['documents', kept.idOf(url('/'))],
      ['profiles', await create('/profiles', { name: 'x', sources: [{ uri: 'http://127.0.0.1:9/' }] })],
      ['sources', await firstOf('/sources')],
      ['users', await firstOf('/users', administrator)],
      ['versions', kept.versionOf(url('/'), 1)],
    ])
    const queries = new Map([
      ['/api/v1/explain', `?url=${encodeURIComponent(url('/'))}`],
      ['/api/v1/search', '?q=solar'],
    ])
    for (const [path, { get }] of Object.entries(description.paths)) {
      if (get === undefined || path.endsWith('/events') || path.endsWith('/{picture}')) continue
      const at = path.replace('{id}', () => String(ids.get(path.split('/')[3]!))) + (queries.get(path) ?? '')
      const answer = await (get['x-access'] === 'administrator' ? administrator : her).get(at)
      assert.equal(answer.statusCode, 200, `${at} ${answer.body}`)
      assertDescribed(get, answer, at)
      const refused = await erace.nobody().get(at)
      if (refused.statusCode !== 200) assertDescribed(get, refused, `${at} refused`)
    }
  })
})

type Answer = Awaited<ReturnType<ReturnType<TestServer['nobody']>['get']>>

/** JSON must be valid under the schema of its status; other types must be described. */
function assertDescribed(operation: Operation | undefined, answer: Answer, what: string): void {
  const { statusCode, headers } = answer
  const responses = operation?.responses ?? {}
  const content = (responses[String(statusCode)] ?? responses[`${String(statusCode)[0]}XX`])?.content ?? {}
  const type = String(headers['content-type']).split(';')[0]!
  const form = content[type] ?? content['*/*']
  assert.ok(form, `${what}: ${statusCode} ${type} is not described`)
  if (type === 'application/json') assertValid(form.schema!, answer.json(), what)
}

function assertValid(schema: JsonSchema, value: unknown, what: string): void {
  const components = (description as { components?: unknown }).components ?? {}
  const validator = Compile({ ...schema, components } as object)
  const [isValid, errors] = validator.Errors(value)
  assert.ok(isValid, `${what}: ${JSON.stringify(errors.slice(0, 3))}`)
}

describe('API docs page', () => {
  test('is well-formed HTML without scripts, and lists every path', async () => {
    const answer = await server.nobody().get('/api/docs')
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-type']), /^text\/html/)
    const policy = String(answer.headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.doesNotMatch(policy, /unsafe|script-src/)
    const errors: string[] = []
    parse(answer.body, { onParseError: ({ code }) => errors.push(code) })
    assert.deepEqual(errors, [])
    assert.doesNotMatch(answer.body, /<script|style=|\son\w+=|javascript:/i)
    for (const path of Object.keys(description.paths)) assert.ok(answer.body.includes(`<code>${path}</code>`), path)
    const style = await server.nobody().get('/api/docs.css')
    assert.deepEqual([style.statusCode, style.headers['content-type']], [200, 'text/css; charset=utf-8'])
    assert.ok(answer.body.includes('href="/api/docs.css"'))
  })

  test('uses the requested host or the configured URL in examples', async () => {
    const answer = await server.nobody().get('/api/docs', { headers: { host: 'watch.example:8080' } })
    assert.ok(
      answer.body.includes('&#39;http://watch.example:8080/api/v1/') ||
        answer.body.includes("'http://watch.example:8080/api/v1/"),
    )
    const hostile = await server.nobody().get('/api/docs', { headers: { host: '<script>.example' } })
    assert.doesNotMatch(hostile.body, /<script/)
    // `$` and a backtick in a replacement stand for all text before it: a few of them would fill the memory.
    const growing = await server.nobody().get('/api/docs', { headers: { host: '$`'.repeat(50) } })
    assert.ok(growing.body.length < 2 * answer.body.length)
    const named = await createTestServer({ settings: { 'server.url': 'https://erace.example/' } })
    try {
      assert.match((await named.nobody().get('/api/docs')).body, /https:\/\/erace\.example\/api\/v1\//)
    } finally {
      await named.close()
    }
  })

  test('escapes text from the description', () => {
    const hostile = '"><script>alert(1)</script>'
    const page = writeApiDocs(
      {
        info: { title: hostile },
        paths: { [`/${hostile}`]: { get: { tags: [hostile], summary: hostile, description: hostile } } },
      },
      '/x.css',
    )
    assert.doesNotMatch(page, /<script/)
  })

  test('outlines schemas in a readable form', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['id', 'marks'],
      properties: {
        id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        at: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }], description: 'when' },
        marks: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        limit: { type: 'integer', default: 50, maximum: 200 },
      },
    }
    assert.equal(
      outlineOf(schema),
      [
        '{',
        '  id: integer (from 1)',
        '  at?: time | null   // when',
        '  marks: ("a" | "b")[]',
        '  limit?: integer (to 200, else 50)',
        '}',
      ].join('\n'),
    )
    assert.deepEqual(exampleOf(schema), { id: 1, marks: ['a'] })
    const endless: JsonSchema = { type: 'object', properties: {} }
    endless.properties!.self = endless
    assert.ok(outlineOf(endless).includes('…'))
  })
})
