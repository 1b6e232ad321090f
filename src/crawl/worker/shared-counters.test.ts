import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { counterNames, createBoardMemory, openBoard } from './shared-counters.ts'

describe('the board', () => {
  test('figures of all shards add up for whoever looks', () => {
    const memory = createBoardMemory(3, null)
    const shards = [0, 1, 2].map((index) => openBoard(memory).shard(index))
    for (const [index, shard] of shards.entries()) {
      shard.add('fetched')
      shard.add('bytes', 3_000_000_000 + index)
      shard.set('queued', 10)
      shard.set('queued', 20)
      shard.add('skipped.robots', 2)
    }
    const watcher = openBoard(memory)
    assert.equal(watcher.total('fetched'), 3)
    assert.equal(watcher.total('bytes'), 9_000_000_003)
    assert.equal(watcher.total('queued'), 60)
    assert.equal(watcher.total('skipped.robots'), 6)
    assert.equal(watcher.total('skipped.scope'), 0)
  })

  test('no two figures share a place', () => {
    const board = openBoard(createBoardMemory(2, null))
    const shards = [board.shard(0), board.shard(1)]
    for (const [n, name] of counterNames.entries()) {
      shards[0]!.set(name, n + 1)
      shards[1]!.set(name, 1000)
    }
    for (const [n, name] of counterNames.entries()) assert.equal(board.total(name), n + 1001)
  })

  test('what is outstanding is one number for all shards', () => {
    const memory = createBoardMemory(2, null)
    const [one, two] = [openBoard(memory), openBoard(memory)]
    one.addOutstanding(5)
    two.addOutstanding(2)
    one.addOutstanding(-7)
    assert.equal(two.outstanding(), 0)
  })

  test('a budget of pages is spent once over all shards, and what is given back can be spent again', () => {
    const memory = createBoardMemory(2, 3)
    const [one, two] = [openBoard(memory), openBoard(memory)]
    assert.deepEqual([one.takePage(), two.takePage(), one.takePage(), two.takePage()], [true, true, true, false])
    assert.ok(one.isBudgetSpent())
    two.returnPage()
    assert.equal(one.isBudgetSpent(), false)
    assert.ok(one.takePage())
    assert.equal(two.takePage(), false)
    assert.equal(two.takePage(), false)
    assert.ok(two.isBudgetSpent())
  })

  test('without a budget pages are never refused', () => {
    const board = openBoard(createBoardMemory(1, null))
    for (let n = 0; n < 100; n++) assert.ok(board.takePage())
    for (let n = 0; n < 200; n++) board.returnPage()
    assert.ok(board.takePage())
    assert.equal(board.isBudgetSpent(), false)
  })

  test('a budget of nothing is spent from the start', () => {
    const board = openBoard(createBoardMemory(1, 0))
    assert.ok(board.isBudgetSpent())
    assert.equal(board.takePage(), false)
    assert.equal(board.takePage(), false)
  })

  test('an address has as many connections as the limit allows, over all shards', () => {
    const memory = createBoardMemory(2, null)
    const [one, two] = [openBoard(memory), openBoard(memory)]
    assert.ok(one.takeAddress('192.0.2.1', 2))
    assert.ok(two.takeAddress('192.0.2.1', 2))
    assert.equal(one.takeAddress('192.0.2.1', 2), false)
    assert.ok(one.takeAddress('2001:db8::1', 2), 'another address has its own limit')
    two.returnAddress('192.0.2.1')
    assert.ok(one.takeAddress('192.0.2.1', 2))
  })

  test('a stop is seen by everybody', () => {
    const memory = createBoardMemory(2, null)
    const [one, two] = [openBoard(memory), openBoard(memory)]
    assert.equal(two.isStopped(), false)
    one.stop()
    assert.ok(two.isStopped())
  })

  test('pages that are granted may be fetched, and those that nobody took are withdrawn', () => {
    const board = openBoard(createBoardMemory(1, 0))
    assert.equal(board.wantsPages(), false)
    assert.equal(board.takePage(), false)
    assert.deepEqual([board.wantsPages(), board.wantsPages()], [true, false])
    board.grantPages(3)
    assert.equal(board.takePage(), true)
    assert.equal(board.pagesLeft(), 2)
    assert.deepEqual([board.withdrawPages(), board.withdrawPages()], [2, 0])
    board.returnPage()
    assert.equal(board.pagesLeft(), 1)
    assert.equal(openBoard(createBoardMemory(1, null)).withdrawPages(), 0)
  })
})
