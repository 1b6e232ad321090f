import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { createLineSorter } from './line-sorter.ts'

describe('line sorter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-sorter-'))
  after(() => rmdirSync(folder))

  test('sorts lines bytewise with any memory limit', () => {
    const line = fc.string({
      unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
      maxLength: 8,
    })
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 100 }),
        fc.nat(200),
        fc.integer({ min: 1, max: 40 }),
        (lines, held, read) => {
          const sorter = createLineSorter({ folder, maxHeldChars: held, readBytes: read })
          for (const each of lines) sorter.add(each)
          assert.deepEqual(
            [...sorter.sorted()],
            lines.toSorted().map((each) => `${each}\n`),
          )
          sorter.close()
        },
      ),
    )
  })

  test('leaves no files in the folder, even while it works', () => {
    const sorter = createLineSorter({ folder, maxHeldChars: 10 })
    for (let n = 0; n < 100; n++) sorter.add(`line ${n}`)
    assert.deepEqual(readdirSync(folder), [])
    assert.equal([...sorter.sorted()].length, 100)
    sorter.close()
  })
})
