import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetLinks } from './met-links.ts'

test('each link is new once per page', () => {
  const met = createMetLinks()
  for (let page = 0; page < 3; page++) {
    met.clear()
    // Many with the same low bits, and more than the initial size of the table.
    const added = (): number => {
      let count = 0
      for (let i = 0; i < 5000; i++) if (met.add(i, (i & 7) << 28)) count++
      return count
    }
    assert.deepEqual([added(), added()], [5000, 0])
  }
})
