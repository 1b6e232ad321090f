import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearMiss } from './near-miss.ts'

test('finds the intended word despite a typo', () => {
  const words = ['crawl', 'status', 'verify']
  assert.equal(nearMiss('crwal', words), 'crawl')
  assert.equal(nearMiss('Statsu', words), 'status')
  assert.equal(nearMiss('verfy', words), 'verify')
})

test('finds nothing for a dissimilar word', () => {
  assert.equal(nearMiss('export', ['crawl', 'status']), undefined)
  assert.equal(nearMiss('', ['crawl']), undefined)
  assert.equal(nearMiss('x'.repeat(1e6), ['xxxxx']), undefined)
})
