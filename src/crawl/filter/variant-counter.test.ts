import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createVariantCounter } from './variant-counter.ts'

describe('variant counter', () => {
  it('rejects new query strings of a path that has reached its limit', () => {
    const counter = createVariantCounter({ maxVariantsPerPath: 100 })
    let admitted = 0
    for (let n = 0; n < 5000; n++) if (counter.admits(`http://example.org/calendar?day=${n}`)) admitted++
    assert.equal(admitted, 100)
    assert.equal(counter.admits('http://example.org/calendar'), true)
    assert.equal(counter.admits('http://example.org/other?day=1'), true)
    assert.equal(counter.admits('http://other.example/calendar?day=1'), true)
  })

  it('counts a query string once, however often it is linked', () => {
    const counter = createVariantCounter({ maxVariantsPerPath: 10 })
    for (let n = 0; n < 1000; n++) assert.equal(counter.admits(`http://example.org/?page=${n % 9}`), true)
    assert.equal(counter.admits('http://example.org/?page=9'), true)
    assert.equal(counter.admits('http://example.org/?page=10'), false)
  })

  it('forgets the least recently used paths, but none in use', () => {
    const counter = createVariantCounter({ maxVariantsPerPath: 2, capacity: 100 })
    for (const day of [1, 2]) counter.admits(`http://example.org/trap?${day}`)
    for (let n = 0; n < 10_000; n++) {
      counter.admits(`http://example.org/${n}?x`)
      assert.equal(counter.admits(`http://example.org/trap?${n}`), false)
    }
    for (const day of [1, 2]) counter.admits(`http://example.org/left?${day}`)
    for (let n = 0; n < 200; n++) counter.admits(`http://example.org/${n}?x`)
    assert.equal(counter.admits('http://example.org/left?3'), true)
  })
})
