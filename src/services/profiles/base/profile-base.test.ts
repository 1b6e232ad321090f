import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Profile, ProfileUrd } from '../../../core/profile.ts'
import { anyProfile, rules } from '../profiles.testkit.ts'
import { readProfileJson } from '../values/profile-values.ts'
import { urdsOf } from '../values/urd-values.ts'
import { createProfileBase, profileBaseText, type QueriedBase } from './profile-base.ts'

function profileOf(id: string, keywords: string[]): Profile {
  const read = readProfileJson({ sources: [{ uri: 'http://a.example/' }], interests: { keywords } }, rules)
  assert.ok(read.kind === 'profile')
  return { ...read.profile, id, owner: 'ada@example.org' }
}

function baseOf(profiles: Profile[], version = 1, key = 'all'): QueriedBase & { made: number } {
  const urds: ProfileUrd[] = profiles.flatMap((profile) =>
    urdsOf(profile, (index) => ({ id: `${profile.id}.${index}`, lastCheckedAt: 0 })),
  )
  return {
    made: 0,
    key,
    version,
    text() {
      this.made++
      return profileBaseText(profiles, urds)
    },
  }
}

const two = [profileOf('p1', ['java', 'ibm']), profileOf('p2', ['java'])]

describe('profile base queries', () => {
  const base = createProfileBase()
  after(() => base.end())

  test('find descriptions by id, keywords by key, attributes and texts', async () => {
    const found = await base.query(baseOf(two), "//urd[@id='p2.0']")
    assert.ok(found.kind === 'nodes' && found.total === 1)
    assert.match(found.nodes[0]!, /^<urd id="p2.0" owner="ada@example.org" profile="p2">(?:.|\n)*<\/urd>$/)
    const keywords = await base.query(baseOf(two), "//profile//keyword[@key='java']")
    assert.deepEqual(keywords, { kind: 'nodes', nodes: Array(2).fill('<keyword key="java" weight="1"/>'), total: 2 })
    assert.deepEqual(await base.query(baseOf(two), '//profile/@id'), {
      kind: 'nodes',
      nodes: ['id="p1"', 'id="p2"'],
      total: 2,
    })
    assert.deepEqual(await base.query(baseOf(two), '//profile[1]//uri/text()'), {
      kind: 'nodes',
      nodes: ['http://a.example/'],
      total: 1,
    })
    assert.deepEqual(await base.query(baseOf(two), '//nothing'), { kind: 'nodes', nodes: [], total: 0 })
  })

  test('can be written in XQL', async () => {
    assert.deepEqual(await base.query(baseOf(two), "//urd[keywords/keyword/@key $ieq$ 'IBM']/@id"), {
      kind: 'nodes',
      nodes: ['id="p1.0"'],
      total: 1,
    })
    assert.deepEqual(await base.query(baseOf(two), '//urd!count() $eq$ 2 $and$ $not$ //nothing'), {
      kind: 'value',
      value: true,
    })
  })

  test('can return numbers, booleans and strings', async () => {
    assert.deepEqual(await base.query(baseOf(two), 'count(//profile)'), { kind: 'value', value: 2 })
    assert.deepEqual(await base.query(baseOf(two), 'count(//urd) > 2'), { kind: 'value', value: false })
    assert.deepEqual(await base.query(baseOf(two), 'string(//urd/@profile)'), { kind: 'value', value: 'p1' })
  })

  test('report errors with a message', async () => {
    const errors: [xpath: string, message: RegExp][] = [
      ['//urd[', /^character 7: the query ends too early$/],
      ['//urd[a b]', /^character 9: expected \], not b$/],
      ['//urd[@id $equals$ 1]', /^character 11: unknown operator \$equals\$/],
      ['//urd[@id] trailing', /^character 12: unexpected trailing$/],
      [`//a[${'$not$ '.repeat(31)}b]`, /more than 30 levels deep/],
      ['nothing()', /Unregistered function: nothing/],
      ['$x', /Undefined variable: x/],
      ['a:urd', /Undefined namespace prefix: a/],
      [' ', /empty/],
      [`//${'a'.repeat(1000)}`, /maximum is 1000/],
      [`${'not('.repeat(31)}1${')'.repeat(31)}`, /more than 30 levels deep/],
      [`//a${'[b'.repeat(31)}${']'.repeat(31)}`, /more than 30 levels deep/],
      ['//a[. = "\ud800"]', /not allowed in XML/],
    ]
    for (const [xpath, message] of errors) {
      const found = await base.query(baseOf(two), xpath)
      assert.ok(found.kind === 'fault', xpath)
      assert.match(found.message, message)
    }
    assert.equal((await base.query(baseOf(two), `//a[. = '${'('.repeat(100)}']`)).kind, 'nodes')
  })

  test('rebuild the document only if the base has changed', async () => {
    const first = baseOf(two, 7, 'one')
    const second = baseOf(two, 7, 'one')
    const changed = baseOf(two.slice(0, 1), 8, 'one')
    await base.query(first, 'count(//urd)')
    await base.query(second, 'count(//urd)')
    assert.deepEqual([first.made, second.made], [1, 0])
    assert.deepEqual(await base.query(changed, 'count(//urd)'), { kind: 'value', value: 1 })
  })

  test('work on a base of arbitrary profiles', async () => {
    const profiles = fc.sample(anyProfile, { numRuns: 50, seed: 3 })
    const found = await base.query(baseOf(profiles, 1, 'any'), 'count(/base/profiles/profile)')
    assert.deepEqual(found, { kind: 'value', value: 50 })
  })
})

describe('hostile profile base queries', () => {
  const many = Array.from({ length: 300 }, (_, index) => profileOf(`p${index}`, ['java', 'ibm', 'xml']))

  test('are aborted after a time limit, and the next one is answered', async () => {
    const base = createProfileBase({ timeLimitMs: 300 })
    const slow = base.query(baseOf(many), 'count(//*[count(//*[count(//*) > 0]) > 0])')
    const quick = base.query(baseOf(many), 'count(//profile)')
    const ended = await slow
    assert.ok(ended.kind === 'fault')
    assert.match(ended.message, /more than 300 ms/)
    assert.deepEqual(await quick, { kind: 'value', value: 300 })
    await base.end()
  })

  test('get a limited number of nodes and amount of text', async () => {
    const base = createProfileBase({ maxNodes: 10, maxResultChars: 5000 })
    const found = await base.query(baseOf(many), '//keyword')
    assert.ok(found.kind === 'nodes')
    assert.deepEqual([found.nodes.length, found.total], [10, 1800])
    const large = await base.query(baseOf(many), '/base/profiles')
    assert.deepEqual(large, { kind: 'nodes', nodes: [], total: 1 })
    await base.end()
  })

  test('are refused if the base is too large or too many are waiting', async () => {
    const base = createProfileBase({ maxBaseBytes: 10_000, maxWaiting: 1 })
    const first = base.query(baseOf(many), '1')
    const second = await base.query(baseOf(many), '1')
    assert.ok(second.kind === 'fault')
    assert.match(second.message, /too many queries/)
    const refused = await first
    assert.ok(refused.kind === 'fault')
    assert.match(refused.message, /larger than 10000 bytes/)
    await base.end()
  })

  test('evict the least recently used documents', async () => {
    const base = createProfileBase({ maxBaseBytes: 100_000 })
    const parts = [0, 1, 2].map((index) => baseOf(many.slice(0, 45), 1, `user ${index}`))
    for (const part of [...parts, ...parts.slice(1)])
      assert.deepEqual(await base.query(part, 'count(//profile)'), { kind: 'value', value: 45 })
    assert.deepEqual(
      parts.map(({ made }) => made),
      [1, 1, 1],
    )
    await base.query(parts[0]!, '1')
    assert.equal(parts[0]!.made, 2)
    await base.end()
  })
})
