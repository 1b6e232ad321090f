import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes, formatDuration, parseBytes, parseDuration } from './quantities.ts'

test('durations are read in every unit', () => {
  const cases: [unknown, number][] = [
    [500, 500],
    ['500', 500],
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5h', 5_400_000],
    ['10 m', 600_000],
    ['1d', 86_400_000],
  ]
  for (const [text, ms] of cases) assert.equal(parseDuration(text), ms, String(text))
})

test('sizes are read in decimal and binary units', () => {
  const cases: [unknown, number][] = [
    [1000, 1000],
    ['1000', 1000],
    ['64KiB', 65_536],
    ['64kb', 64_000],
    ['100MB', 100_000_000],
    ['1.5GiB', 1_610_612_736],
  ]
  for (const [text, bytes] of cases) assert.equal(parseBytes(text), bytes, String(text))
})

test('names of Object.prototype members are not units', () => {
  for (const unit of ['constructor', 'valueOf', 'toString']) {
    assert.equal(parseDuration(`1${unit}`), undefined, unit)
    assert.equal(parseBytes(`1 ${unit}`), undefined, unit)
  }
})

test('invalid quantities are rejected', () => {
  for (const value of ['', 's', '1y', '1e9', '0x10', '1,5s', '1h30m', null, {}, Number.NaN, '9'.repeat(100)]) {
    assert.equal(parseDuration(value), undefined, String(value))
  }
  assert.equal(parseBytes('10 XB'), undefined)
})

test('quantities are formatted in the largest unit that fits exactly', () => {
  assert.deepEqual([0, 1500, 90_000, 7_200_000].map(formatDuration), ['0ms', '1500ms', '90s', '2h'])
  assert.deepEqual([0, 65_536, 64_000, 2e9].map(formatBytes), ['0', '65536', '64KB', '2GB'])
})
