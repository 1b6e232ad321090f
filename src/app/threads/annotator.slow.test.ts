import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { watchedPage } from '../../../test/cluster/stored-pages.ts'
import type { Fault } from '../../../test/kit/processing-faults.ts'
import { profileOf, sourceOf, until } from '../../../test/watch/up-run.ts'
import { readConfig } from '../../config/load-config.ts'
import { createNearDuplicateMemory, freeNearDuplicates } from '../../services/annotating/near-duplicate-lock.ts'
import { startProcessors } from '../../services/annotating/processor-threads.ts'
import { createProfileKeys } from '../../services/profiles/keyed-profile.ts'
import { createSqliteSystem, sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'

const { config } = await readConfig({ cwd: '/', env: {} })
const entry = new URL('./faulty-annotator-thread.testkit.ts', import.meta.url)

/** A data folder with pages that wait to be matched, in this order. */
async function withPages(
  names: readonly string[],
  work: (place: { folder: string; stores: ReturnType<typeof sqliteEngine.openStores> }) => Promise<void>,
): Promise<void> {
  const system = createSqliteSystem()
  const [shard] = await system.open(1)
  const stores = sqliteEngine.openStores(system)
  try {
    const source = sourceOf('http://source.example/', { depth: 3, scope: { kind: 'pattern', source: '.' } })
    await stores.profiles.put([createProfileKeys({})(profileOf('p', 'ann@example.org', [source], { java: 4 }))])
    const [urd] = await stores.profiles.urdsOf('p')
    const host = system.hostOf(0, 0)
    for (const name of names)
      await shard!.documents.record([watchedPage(host, `/${name}`, `java at ${name} ${name}`, urd!.watch)])
    await work({ folder: system.folder, stores })
  } finally {
    stores.close()
    await system.destroy()
  }
}

function start(folder: string, fault: Fault, problems: string[]) {
  const nearDuplicateMemory = createNearDuplicateMemory()
  return startProcessors({
    entry,
    parts: 1,
    events: {
      onAnnotated() {},
      onWaiting() {},
      onProblem: (message, fields) => problems.push(`${message} ${JSON.stringify(fields)}`),
    },
    dataOf: (place) => ({ ...place, folder, config, nearDuplicateMemory, fault }),
    onDeath: (part) => freeNearDuplicates(nearDuplicateMemory, part),
    // With a small young generation, survivors of a collection always fit into the memory reserved for ending the thread.
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 },
    maxStuckMs: fault === 'is stuck' ? 2_400 : 120_000,
  })
}

const faults: [Fault, reason: RegExp][] = [
  ['throws', /^TypeError: it is not a function$/],
  ['runs out of memory', /abruptly 3 times: .*memory/],
  ['is stuck', /abruptly 3 times: no answer for 2.4 s/],
  ['exits', /abruptly 3 times: .*code 3/],
]

describe('annotator thread', () => {
  for (const [fault, reason] of faults)
    test(`sets aside a document whose processing ${fault} three times, and processes all others`, () =>
      withPages(['a', 'bad', 'b', 'c'], async ({ folder, stores: { annotations } }) => {
        const problems: string[] = []
        const annotator = start(folder, fault, problems)
        let failure: Error | null = null
        annotator.failed.catch((error: Error) => {
          failure = error
        })
        try {
          await until(
            'all to be settled',
            async () => failure !== null || (await annotations.countTasks()) === 0,
            300_000,
          )
          assert.equal(failure, null)
          const made = await annotations.list({ after: 0, limit: 9 })
          assert.deepEqual(made.map(({ url }) => new URL(url).pathname).sort(), ['/a', '/b', '/c'])
          const { count, latest } = await annotations.setAside(9)
          assert.equal(count, 1)
          assert.match(latest[0]!.url, /\/bad$/)
          assert.match(latest[0]!.reason, reason)
          const isTold = (text: string): boolean =>
            text.startsWith('a version could not be processed and was set aside')
          await until('the problem to be told', () => problems.some(isTold))
        } finally {
          await annotator.end()
        }
      }))

  test('does not count a clean shutdown as a failed attempt', () =>
    withPages(['a', 'b', 'bad'], async ({ folder, stores: { annotations } }) => {
      for (let n = 0; n < 4; n++) await start(folder, 'throws', []).end()
      const tasks = await annotations.tasks({ limit: 9, part: 0, parts: 1 })
      assert.ok(tasks.every(({ attempts }) => attempts === 0))
    }))
})
