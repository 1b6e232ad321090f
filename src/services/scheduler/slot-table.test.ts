import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { createRandom } from './scheduler.testkit.ts'
import { createSlotTable } from './slot-table.ts'

test('a slot table finds what a map finds, however ids come and go', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = createRandom(seed)
    let room = 16
    const table = createSlotTable({
      capacity: room,
      onGrow(capacity) {
        room = capacity
      },
    })
    const model = new Map<number, number>()
    const wide = [1, 2 ** 16, 2 ** 32, 2 ** 40]
    for (let step = 0; step < 2_000; step++) {
      const id = random.below(60) * random.of(wide)
      const slot = table.find(id)
      assert.equal(slot, model.get(id) ?? -1)
      if (slot !== -1 && random.chance(0.6)) {
        table.remove(slot)
        model.delete(id)
      } else if (slot === -1) {
        const added = table.add(id)
        assert.ok(added < room && ![...model.values()].includes(added))
        model.set(id, added)
      }
      assert.equal(table.size(), model.size)
    }
    for (const [id, slot] of model) assert.equal(table.idOf(slot), id)
  }
})

test('what is no whole number is no id', () => {
  const table = createSlotTable({ capacity: 16, onGrow() {} })
  for (const wrong of [-1, 1.5, Number.NaN, 2 ** 53]) {
    assert.throws(
      () => table.add(wrong),
      (error) => isAppError(error, 'internal'),
    )
  }
})
