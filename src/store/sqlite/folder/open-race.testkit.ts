import { parentPort, workerData } from 'node:worker_threads'
import { type Migration, openDatabase } from './database.ts'

/** For each path, all workers wait for each other and then open the file, which doesn't exist yet. */
export type OpenRace = { paths: readonly string[]; migrations: readonly Migration[]; workers: number; gate: Int32Array }

const { paths, migrations, workers, gate } = workerData as OpenRace

function meet(at: number): void {
  Atomics.add(gate, at, 1)
  Atomics.notify(gate, at)
  for (let here = Atomics.load(gate, at); here < workers; here = Atomics.load(gate, at)) Atomics.wait(gate, at, here)
}

const failures: string[] = []
paths.forEach((path, at) => {
  meet(at)
  try {
    openDatabase(path, { migrations }).close()
  } catch (error) {
    failures.push(String(error))
  }
})
parentPort!.postMessage(failures)
