import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  counterNames,
  createBrowserPages,
  createCounterMemory,
  createThrottleReasons,
  openSharedCounters,
} from './shared-counters.ts'

describe('shared counters', () => {
  test('totals add up the counters of all shards', () => {
    const memory = createCounterMemory(3, null)
    const shards = [0, 1, 2].map((index) => openSharedCounters(memory).shard(index))
    for (const [index, shard] of shards.entries()) {
      shard.add('fetched')
      shard.add('bytes', 3_000_000_000 + index)
      shard.set('queued', 10)
      shard.set('queued', 20)
      shard.add('skipped.robots', 2)
    }
    const watcher = openSharedCounters(memory)
    assert.equal(watcher.total('fetched'), 3)
    assert.equal(watcher.total('bytes'), 9_000_000_003)
    assert.equal(watcher.total('queued'), 60)
    assert.equal(watcher.total('skipped.robots'), 6)
    assert.equal(watcher.total('skipped.scope'), 0)
  })

  test('no two counters share memory', () => {
    const counters = openSharedCounters(createCounterMemory(2, null))
    const shards = [counters.shard(0), counters.shard(1)]
    for (const [n, name] of counterNames.entries()) {
      shards[0]!.set(name, n + 1)
      shards[1]!.set(name, 1000)
    }
    for (const [n, name] of counterNames.entries()) assert.equal(counters.total(name), n + 1001)
  })

  test('all shards share one outstanding count', () => {
    const memory = createCounterMemory(2, null)
    const [one, two] = [openSharedCounters(memory), openSharedCounters(memory)]
    one.addOutstanding(5)
    two.addOutstanding(2)
    one.addOutstanding(-7)
    assert.equal(two.outstanding(), 0)
  })

  test('all shards share one page budget, and returned pages can be taken again', () => {
    const memory = createCounterMemory(2, 3)
    const [one, two] = [openSharedCounters(memory), openSharedCounters(memory)]
    assert.deepEqual([one.takePage(), two.takePage(), one.takePage(), two.takePage()], [true, true, true, false])
    assert.ok(one.isBudgetSpent())
    two.returnPage()
    assert.equal(one.isBudgetSpent(), false)
    assert.ok(one.takePage())
    assert.equal(two.takePage(), false)
    assert.equal(two.takePage(), false)
    assert.ok(two.isBudgetSpent())
  })

  test('pages are never refused without a budget', () => {
    const counters = openSharedCounters(createCounterMemory(1, null))
    for (let n = 0; n < 100; n++) assert.ok(counters.takePage())
    for (let n = 0; n < 200; n++) counters.returnPage()
    assert.ok(counters.takePage())
    assert.equal(counters.isBudgetSpent(), false)
  })

  test('a budget of zero pages is spent from the start', () => {
    const counters = openSharedCounters(createCounterMemory(1, 0))
    assert.ok(counters.isBudgetSpent())
    assert.equal(counters.takePage(), false)
    assert.equal(counters.takePage(), false)
  })

  test('the connection limit of an address applies across all shards', () => {
    const memory = createCounterMemory(2, null)
    const [one, two] = [openSharedCounters(memory), openSharedCounters(memory)]
    assert.ok(one.takeAddress('192.0.2.1', 2))
    assert.ok(two.takeAddress('192.0.2.1', 2))
    assert.equal(one.takeAddress('192.0.2.1', 2), false)
    assert.ok(one.takeAddress('2001:db8::1', 2), 'another address has its own limit')
    two.returnAddress('192.0.2.1')
    assert.ok(one.takeAddress('192.0.2.1', 2))
  })

  test('browser pages are counted across all crawls of a process', () => {
    const [one, two] = [1, 2].map((shards) => openSharedCounters(createCounterMemory(shards, null)).browserPages)
    assert.ok(one!.take(2))
    assert.ok(two!.take(2))
    assert.equal(one!.take(2), false)
    assert.ok(one!.take(3), 'those that were refused do not count')
    for (const pages of [one, one, two]) pages!.giveBack()
    assert.ok(createBrowserPages().take(1))
    createBrowserPages().giveBack()
  })

  test('a stop is visible to all shards', () => {
    const memory = createCounterMemory(2, null)
    const [one, two] = [openSharedCounters(memory), openSharedCounters(memory)]
    assert.equal(two.isStopped(), false)
    one.stop()
    assert.ok(two.isStopped())
  })

  test('granted pages can be taken, and the remaining ones can be withdrawn', () => {
    const counters = openSharedCounters(createCounterMemory(1, 0))
    assert.equal(counters.wantsPages(), false)
    assert.equal(counters.takePage(), false)
    assert.deepEqual([counters.wantsPages(), counters.wantsPages()], [true, false])
    counters.grantPages(3)
    assert.equal(counters.takePage(), true)
    assert.equal(counters.pagesLeft(), 2)
    assert.deepEqual([counters.withdrawPages(), counters.withdrawPages()], [2, 0])
    counters.returnPage()
    assert.equal(counters.pagesLeft(), 1)
    assert.equal(openSharedCounters(createCounterMemory(1, null)).withdrawPages(), 0)
  })
})

test('a crawl is throttled as long as any reason remains', () => {
  const counters = openSharedCounters(createCounterMemory(1, null))
  const reasons = createThrottleReasons(counters)
  reasons.set('paused', true)
  reasons.set('behind', true)
  reasons.set('behind', false)
  assert.deepEqual([counters.isThrottled(), reasons.has('paused'), reasons.has('behind')], [true, true, false])
  reasons.set('paused', false)
  reasons.set('paused', false)
  assert.equal(counters.isThrottled(), false)
})
