import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configOf, readConfig } from './load-config.ts'
import { InvalidInputError } from './validation-errors.ts'

const DAY_MS = 86_400_000
const none = { maxAgeMs: null, maxVersions: null, maxBytes: null }

describe('retention setting', () => {
  const spellings: [unknown, object][] = [
    ['forever', { kind: 'forever' }],
    ['90d', { kind: 'limits', ...none, maxAgeMs: 90 * DAY_MS }],
    [5000, { kind: 'limits', ...none, maxAgeMs: 5000 }],
    [{ versions: 10 }, { kind: 'limits', ...none, maxVersions: 10 }],
    ['versions=10', { kind: 'limits', ...none, maxVersions: 10 }],
    [
      { age: '90d', versions: 10, size: '5GB' },
      { kind: 'limits', maxAgeMs: 90 * DAY_MS, maxVersions: 10, maxBytes: 5e9 },
    ],
    ['age=90d, versions=10 ,size=5GB', { kind: 'limits', maxAgeMs: 90 * DAY_MS, maxVersions: 10, maxBytes: 5e9 }],
  ]
  for (const [given, retention] of spellings) {
    test(`accepts ${JSON.stringify(given)}`, () =>
      assert.deepEqual(configOf({ retention: given }).retention, retention))
  }

  const wrong: [unknown, RegExp][] = [
    ['sometimes', /^retention: expected forever, a duration .*, not "sometimes"$/],
    ['0d', /^retention: expected forever/],
    [null, /^retention: expected forever.*, not null$/],
    [['90d'], /^retention: expected forever/],
    [{}, /^retention: expected forever/],
    [{ age: '90x' }, /^retention\.age: expected a duration such as 90d, not "90x"$/],
    [{ version: 3 }, /^retention\.version: unknown part; did you mean versions\?$/],
    ['age=1d,age=2d', /^retention\.age: is set twice$/],
    ['age=1d,forever', /^retention: expected NAME=VALUE, not "forever"$/],
    ['versions=0', /^retention\.versions: expected a whole number from 1 to/],
    [{ age: '-1d', versions: 1.5, size: 'big' }, /^retention\.age: .*\nretention\.versions: .*\nretention\.size: .*$/],
    [JSON.parse('{"__proto__": 1}'), /^retention\.__proto__: unknown part/],
  ]
  for (const [given, message] of wrong) {
    test(`rejects ${JSON.stringify(given)} and names the invalid part`, () => {
      assert.throws(() => configOf({ retention: given }), { message })
    })
  }
})

describe('sources setting', () => {
  test('accepts rules as objects, and as JSON from the environment', async () => {
    const rules = [
      { match: '.example.org', omit: ['.banner'], omitText: ['\\d+ readers'], retention: '30d' },
      { match: '*' },
    ]
    const expected = [
      {
        match: '.example.org',
        omit: ['.banner'],
        omitText: ['\\d+ readers'],
        retention: { kind: 'limits', ...none, maxAgeMs: 30 * DAY_MS },
      },
      { match: '*', omit: [], omitText: [], retention: null },
    ]
    const config = configOf({ sources: rules })
    assert.deepEqual(config.sources, expected)
    assert.ok(
      Object.isFrozen(config.sources) && Object.isFrozen(config.sources[0]) && Object.isFrozen(config.sources[0]!.omit),
    )
    assert.deepEqual(structuredClone(config), config)
    const read = await readConfig({ cwd: '/', env: { ERACE_SOURCES: JSON.stringify(rules) } })
    assert.deepEqual(read.errors, [])
    assert.deepEqual(read.config.sources, expected)
  })

  test('lists all errors together with their place', () => {
    const sources = [
      { match: 'a b', retention: { ages: 1 } },
      'x',
      { match: '*', omit: ['.x', 3, ''], omitText: ['('], omits: [] },
      { omit: '.x' },
    ]
    try {
      configOf({ sources })
      assert.fail('it was accepted')
    } catch (error) {
      assert.ok(error instanceof InvalidInputError)
      assert.deepEqual(
        error.errors.map(({ place }) => place),
        `sources[0].match sources[0].retention.ages sources[1] sources[2].omits sources[2].omit[1]
          sources[2].omit[2] sources[2].omitText[0] sources[3].match sources[3].omit`.split(/\s+/),
      )
      assert.match(error.message, /sources\[2\]\.omits: unknown key; did you mean omit\?/)
    }
  })

  test('names the environment variable as the place of an error', async () => {
    const { errors } = await readConfig({ cwd: '/', env: { ERACE_SOURCES: '[{"match":"*","retention":"age=x"}]' } })
    assert.deepEqual(
      errors.map(({ place }) => place),
      ['ERACE_SOURCES[0].retention.age'],
    )
    const broken = await readConfig({ cwd: '/', env: { ERACE_SOURCES: '[{' } })
    assert.match(broken.errors[0]!.message, /^expected a list of rules/)
  })

  test('rejects too many rules or selectors, and values that are too long', () => {
    assert.throws(() => configOf({ sources: new Array(1001).fill({ match: '*' }) }), /sources: has 1001 rules/)
    assert.throws(() => configOf({ sources: [{ match: '*', omit: new Array(201).fill('p') }] }), /sources\[0\]\.omit: /)
    assert.throws(() => configOf({ sources: [{ match: '*', omit: ['p'.repeat(2001)] }] }), /sources\[0\]\.omit\[0\]: /)
    assert.throws(() => configOf({ sources: [{ match: `${'a'.repeat(2001)}` }] }), /sources\[0\]\.match: /)
  })
})
