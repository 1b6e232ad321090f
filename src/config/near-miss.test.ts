import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearMiss } from './near-miss.ts'

test('a typing error finds the word that was meant', () => {
  const words = ['crawl', 'status', 'verify']
  assert.equal(nearMiss('crwal', words), 'crawl')
  assert.equal(nearMiss('Statsu', words), 'status')
  assert.equal(nearMiss('verfy', words), 'verify')
})

test('a word that is like none finds none', () => {
  assert.equal(nearMiss('export', ['crawl', 'status']), undefined)
  assert.equal(nearMiss('', ['crawl']), undefined)
  assert.equal(nearMiss('x'.repeat(1e6), ['xxxxx']), undefined)
})
