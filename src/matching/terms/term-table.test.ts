import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { hashText } from './term-hash.ts'
import { TermTable } from './term-table.ts'

describe('term table', () => {
  test('behaves like a map after any additions and removals', () => {
    const step = fc.record({
      text: fc.string({ unit: fc.constantFrom('a', 'b', 'ö', '東'), minLength: 1, maxLength: 4 }),
      space: fc.constantFrom(0, 1, 200),
      removes: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const table = new TermTable()
        const known = new Map<string, number>()
        for (const { text, space, removes } of steps) {
          const name = `${space}:${text}`
          const id = known.get(name)
          assert.equal(table.findText(hashText(text), space, text), id ?? -1)
          if (removes && id !== undefined) {
            table.remove(id)
            known.delete(name)
          } else known.set(name, table.addText(hashText(text), space, text))
          assert.equal(table.size, known.size)
        }
        for (const [name, id] of known) assert.equal(`${table.spaceOf(id)}:${table.textOf(id)}`, name)
        assert.equal(new Set(known.values()).size, known.size)
      }),
    )
  })

  test('reuses the memory of removed terms', () => {
    const table = new TermTable()
    const fill = (round: number): number[] =>
      Array.from({ length: 1_000 }, (_, n) => `term-${round}-${n}`).map((text) =>
        table.addText(hashText(text), 0, text),
      )
    for (const id of fill(0)) table.remove(id)
    const before = table.memoryBytes()
    for (let round = 1; round < 20; round++) for (const id of fill(round)) table.remove(id)
    assert.ok(table.memoryBytes() <= before * 1.5)
    assert.equal(table.size, 0)
  })
})
