import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PartError } from '../../config/retention.ts'
import { parseUrlFilter } from '../../config/url-filter.ts'
import { createFilterTree } from './filter-tree.ts'

function read(value: unknown) {
  const errors: PartError[] = []
  return { filter: parseUrlFilter(value, errors), errors: errors.map(({ at, message }) => `${at}: ${message}`) }
}

describe('URL filter tree', () => {
  test('is read from an object or JSON text, and accepts every URL if null', () => {
    const tree = { any: [{ host: '.example.org' }, { not: { suffix: '.PDF' } }] }
    assert.deepEqual(read(tree), {
      filter: { any: [{ host: '.example.org' }, { not: { suffix: 'pdf' } }] },
      errors: [],
    })
    assert.deepEqual(read(JSON.stringify(tree)).filter, read(tree).filter)
    assert.equal(read(null).filter, null)
    assert.equal(createFilterTree(null).accepts('http://a.example/'), true)
  })

  const cases: [condition: unknown, accepted: string[], refused: string[]][] = [
    [{ url: '/a+/' }, ['http://h/aa/'], ['http://h/b/']],
    [{ host: 'a.org' }, ['https://a.org:81/', 'http://a.org/x'], ['http://b.a.org/', 'http://a.org.b/']],
    [{ host: 'a.org:81' }, ['http://a.org:81/'], ['http://a.org/']],
    [{ host: '.a.org' }, ['http://b.a.org/', 'http://a.org/'], ['http://ba.org/']],
    [{ prefix: 'HTTP://A.org/x' }, ['http://a.org/xy'], ['https://a.org/x', 'http://a.org/']],
    [{ protocol: 'https' }, ['https://a/'], ['http://https/']],
    [{ suffix: 'tar.gz' }, ['http://a/x.TAR.gz?y'], ['http://a/x.gz', 'http://a.tar.gz/']],
    [{ length: { min: 10, max: 12 } }, ['http://abc', 'http://abcde'], ['http://ab', 'http://abcdef']],
    [
      { all: [{ url: 'a' }, { not: { any: [{ url: 'b' }, { url: 'c' }] } }] },
      ['http://x/a'],
      ['http://x/ab', 'http://x'],
    ],
  ]
  for (const [condition, accepted, refused] of cases)
    test(`${JSON.stringify(condition)} accepts and rejects the expected URLs`, () => {
      const { filter, errors } = read(condition)
      assert.deepEqual(errors, [])
      const { accepts } = createFilterTree(filter ?? null)
      for (const url of accepted) assert.equal(accepts(url), true, url)
      for (const url of refused) assert.equal(accepts(url), false, url)
    })

  test('limits depth and number of conditions and reports the path of each error', () => {
    const deep = Array.from({ length: 50 }).reduce<unknown>((not) => ({ not }), { url: 'a' })
    assert.match(read(deep).errors.join(), /^(?:\.not){21}: is nested more than 20 deep$/)
    const many = { any: Array.from({ length: 900 }, () => ({ any: [{ url: 'a' }, { url: 'b' }] })) }
    assert.deepEqual(read(many).errors, [': has more than 1000 conditions'])
    assert.equal(read(JSON.stringify({ url: 'a'.repeat(2_000_000) })).errors.length, 1)
    assert.deepEqual(
      read({ all: [{ host: 'a/b' }, { prefix: 'a.org' }, { length: { max: '9' } }, { a: 1, b: 2 }] }).errors.map(
        (each) => each.slice(0, each.indexOf(',')),
      ),
      [
        '.all[0].host: expected a host or a domain such as .example.org',
        '.all[1].prefix: expected the beginning of an http(s) URL',
        '.all[2].length: expected min',
        '.all[3]: expected one condition such as { any: [{ host: ".example.org" }',
      ],
    )
    assert.match(read('{').errors[0]!, /^: expected one condition/)
    assert.match(read({ constructor: {} }).errors[0]!, /^\.constructor: unknown condition/)
  })
})
