import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { openOne } from '../../conformance/engine.testkit.ts'
import { textsOf } from '../../conformance/objects-suite.testkit.ts'
import { offersOf, pageOf, queuedUrls } from '../../conformance/samples.testkit.ts'
import { createSqliteSystem } from '../testkit/store.testkit.ts'

const testkit = new URL('../testkit/store.testkit.ts', import.meta.url).href
const samples = new URL('../../conformance/samples.testkit.ts', import.meta.url).href

/** Another process that holds the folder, has written to it, and waits to be killed. */
async function startHolder(folder: string) {
  const program = `
    import { createSqliteSystem } from '${testkit}'
    import { offersOf, pageOf } from '${samples}'
    const system = createSqliteSystem({}, ${JSON.stringify(folder)})
    const [{ frontier, documents }] = await system.open(1)
    const host = system.hostOf(0, 0)
    await frontier.offer(offersOf(host, 50))
    await documents.record([pageOf(host, '/', 'kept')])
    process.stdout.write('ready')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

describe('data folder lock', () => {
  test('keeps out a second process, which recovers everything once the first is killed', async () => {
    const system = createSqliteSystem()
    const holder = await startHolder(system.folder)
    try {
      await assert.rejects(system.open(1), (error) => {
        assert.ok(isAppError(error, 'store-locked'), String(error))
        assert.equal(error.retry, 'later')
        assert.ok(error.message.includes(system.folder))
        return true
      })
      holder.kill('SIGKILL')
      await once(holder, 'exit')
      const { frontier, objects } = await openOne(system)
      const host = system.hostOf(0, 0)
      assert.equal(frontier.recoveredOf(0), true)
      assert.deepEqual(
        await queuedUrls(frontier),
        offersOf(host, 50).map(({ url }) => url),
      )
      assert.deepEqual([...(await textsOf(objects)).keys()], [pageOf(host, '/', '').url])
    } finally {
      holder.kill('SIGKILL')
      await system.destroy()
    }
  })
})
