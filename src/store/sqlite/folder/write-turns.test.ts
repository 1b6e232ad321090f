import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createWriteTurnMemory, openWriteTurns } from './write-turns.ts'

const takeAndNever = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData.module).then(({ openWriteTurns }) =>
    openWriteTurns(workerData.memory, 1).take(() => {
      parentPort.postMessage('taken')
      if (workerData.dies) process.exit(0)
      // Until the other thread says so.
      Atomics.wait(workerData.gate, 0, 0)
    }))`

/** A thread that has its turn. */
async function holder(memory: Int32Array<SharedArrayBuffer>, dies = false) {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const module = new URL('./write-turns.ts', import.meta.url).href
  const worker = new Worker(takeAndNever, { eval: true, workerData: { memory, gate, module, dies } })
  await once(worker, 'message')
  return {
    worker,
    letGo() {
      Atomics.store(gate, 0, 1)
      Atomics.notify(gate, 0)
    },
  }
}

describe('turns to write', () => {
  // To wait for a turn alone does not keep a process alive.
  const alive = setInterval(() => {}, 1000)
  after(() => clearInterval(alive))

  test('a turn that is free is taken at once', () => {
    const turns = openWriteTurns(createWriteTurnMemory(), 0)
    let isDone = false
    void turns.take(() => {
      isDone = true
    })
    assert.equal(isDone, true)
  })

  test('a thread goes on with other work while another has its turn, and keeps its own order', async () => {
    const memory = createWriteTurnMemory()
    const other = await holder(memory)
    const turns = openWriteTurns(memory, 0)
    const done: string[] = []
    const writes = ['first', 'second', 'third'].map((name) => turns.take(() => done.push(name)))
    await new Promise((resolve) => setImmediate(resolve))
    done.push('other work')
    other.letGo()
    await Promise.all(writes)
    assert.deepEqual(done, ['other work', 'first', 'second', 'third'])
    await other.worker.terminate()
  })

  test('what fails gives the turn back', async () => {
    const memory = createWriteTurnMemory()
    const turns = openWriteTurns(memory, 0)
    const failing = turns.take(() => {
      throw new Error('the disk is full')
    })
    await assert.rejects(failing, /the disk is full/)
    assert.equal(await openWriteTurns(memory, 1).take(() => 7), 7)
  })

  test('a thread that ended in its turn is not waited for', async () => {
    const memory = createWriteTurnMemory()
    const { worker } = await holder(memory, true)
    await once(worker, 'exit')
    const turns = openWriteTurns(memory, 0)
    assert.equal(await turns.take(() => 'written'), 'written')
    assert.equal(await turns.take(() => 'again'), 'again')
    assert.equal(Atomics.load(memory, 0), 0)
  })

  test('of many threads one writes at a time', async () => {
    const memory = createWriteTurnMemory()
    const counts = new Int32Array(new SharedArrayBuffer(8))
    const module = new URL('./write-turns.ts', import.meta.url).href
    const code = `
      const { workerData } = require('node:worker_threads')
      import(workerData.module).then(async ({ openWriteTurns }) => {
        const turns = openWriteTurns(workerData.memory, workerData.thread)
        const alive = setInterval(() => {}, 1000)
        // Not atomic: two at a time would lose some.
        for (let round = 0; round < 2000; round++) await turns.take(() => { workerData.counts[0] = workerData.counts[0] + 1 })
        clearInterval(alive)
      })`
    const workers = [1, 2, 3].map(
      (thread) => new Worker(code, { eval: true, workerData: { memory, counts, module, thread } }),
    )
    const exits = await Promise.all(workers.map((worker) => once(worker, 'exit')))
    assert.deepEqual(
      exits.map(([code]) => code),
      [0, 0, 0],
    )
    assert.equal(counts[0], 6000)
  })
})
