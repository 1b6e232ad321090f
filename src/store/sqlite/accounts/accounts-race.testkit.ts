import { parentPort, workerData } from 'node:worker_threads'
import { accountDraft } from '../../conformance/accounts/accounts-suite.testkit.ts'
import { openDatabase } from '../folder/database.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { createSqliteAccounts } from './accounts.ts'

/** Each worker waits at the gate and then tries to add the first account. */
export type RaceOrder = { path: string; gate: SharedArrayBuffer; rounds: number; name: string }

const { path, gate, rounds, name } = workerData as RaceOrder
const [waiting, open] = [0, 1]
const state = new Int32Array(gate)
const db = openDatabase(path, { migrations: catalogMigrations, mustExist: true })
const accounts = createSqliteAccounts(db)
Atomics.add(state, waiting, 1)
Atomics.notify(state, waiting)
Atomics.wait(state, open, 0)
const won: string[] = []
for (let round = 0; round < rounds; round++) {
  const account = await accounts.add(accountDraft(`${name}-${round}@x.example`), { onlyFirst: true })
  if (account !== null) won.push(account.email)
}
db.close()
parentPort!.postMessage(won)
