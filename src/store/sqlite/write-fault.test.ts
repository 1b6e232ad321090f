import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { filesOf, type OpenShard, openOne } from '../conformance/engine.testkit.ts'
import { recordsOf, textsOf } from '../conformance/objects-suite.testkit.ts'
import { offersOf, pageOf, queueOf } from '../conformance/samples.testkit.ts'
import { smallCrawl } from '../conformance/small-crawl.testkit.ts'
import { checkDatabases } from './folder/checks.ts'
import { paths } from './folder/folder.ts'
import { withFailingStatement } from './testkit/statement-fault.testkit.ts'
import { createSqliteSystem, type SqliteSystem } from './testkit/store.testkit.ts'

/** The catalogue points at existing records, and counters match the tables. */
async function assertConsistent({ frontier, objects, documents }: OpenShard, archive: string): Promise<void> {
  assert.equal(frontier.counts().queued, (await queueOf(frontier)).length)
  const records = await recordsOf(objects)
  assert.equal(records.length, (await documents.counts()).versions)
  const last = records.at(-1)
  if (last !== undefined) assert.ok((await objects.read(last)).toString().startsWith(`<${last.url}>`))
  const known = new Set((await filesOf(objects)).map(({ name }) => name))
  for (const name of readdirSync(archive)) assert.ok(known.has(name), `${name} is not in the catalogue`)
}

async function withSystem(maxFileBytes: number, work: (system: SqliteSystem) => Promise<void>): Promise<void> {
  const system = createSqliteSystem({ maxFileBytes })
  try {
    await work(system)
  } finally {
    await system.destroy()
  }
}

describe('failed writes', () => {
  test('if any statement of a small crawl fails, the store stays consistent and a retry succeeds', () =>
    withSystem(700, async (system) => {
      const shard = await openOne(system)
      const archive = paths.archive(system.folder)
      let failures = 0
      for (let nth = 1, reached = true; reached; nth++) {
        const answers: unknown[] = []
        const steps = smallCrawl(shard, `n${nth}`)
        // The failing statement is counted over all steps; a step that fails is retried and then succeeds.
        reached = await withFailingStatement(nth, async () => {
          for (const { act } of steps) {
            try {
              answers.push(await act())
            } catch (error) {
              assert.ok(isAppError(error, 'store-full'), String(error))
              failures++
              await assertConsistent(shard, archive)
              answers.push(await act())
            }
          }
        })
        assert.deepEqual(
          answers,
          steps.map(({ answer }) => answer),
          `statement ${nth}`,
        )
      }
      assert.ok(failures > 60, `${failures} statements failed`)
      await assertConsistent(shard, archive)
      const texts = await textsOf(shard.objects)
      const { seen } = shard.frontier.counts()
      await system.kill()
      const again = await openOne(system)
      assert.deepEqual(await textsOf(again.objects), texts)
      assert.equal(again.frontier.counts().seen, seen)
      assert.deepEqual(checkDatabases(system.folder), [])
    }))

  test('a full disk does not prevent closing, and the next process recovers the shard', () =>
    withSystem(1_000, async (system) => {
      const { frontier } = await openOne(system)
      await frontier.offer(offersOf(system.hostOf(0, 0), 3))
      assert.equal(await withFailingStatement(1, () => system.close()), true)
      const again = await openOne(system)
      assert.equal(again.frontier.recoveredOf(0), true)
      assert.equal(again.frontier.counts().queued, 3)
    }))

  test(
    'a full disk while archiving is a typed error, leaves no partial version, and a retry succeeds',
    { skip: missing('/dev/full') },
    () =>
      withSystem(1_000, async (system) => {
        const { documents, objects } = await openOne(system)
        const file = join(paths.archive(system.folder), 'erace-20260101000000-00-000001.warc')
        symlinkSync('/dev/full', file)
        const pages = [pageOf(system.hostOf(0, 0), '/a', 'a'), pageOf(system.hostOf(0, 0), '/b', 'b')]
        await assert.rejects(documents.record(pages), (error) => {
          assert.ok(isAppError(error, 'store-full'), String(error))
          assert.equal(error.retry, 'later')
          return true
        })
        assert.deepEqual({ ...(await documents.counts()) }, { documents: 0, versions: 0, bodies: 0 })
        assert.deepEqual(await filesOf(objects), [])
        const outcomes = await documents.record(pages)
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['stored', 'stored'],
        )
        assert.equal((await textsOf(objects)).size, 2)
      }),
  )

  test('a file at its size limit is a typed error, and everything stored before is kept', () =>
    withSystem(100_000_000, async (system) => {
      const child = runLimited(system.folder)
      assert.equal(child.status, 0, child.stderr)
      const { code, retry, stored } = JSON.parse(child.stdout) as { code: string; retry: string; stored: number }
      assert.match(code, /^store-(full|failed)$/)
      assert.equal(retry, 'later')
      assert.ok(stored > 0)
      const { documents, objects } = await openOne(system)
      assert.equal((await textsOf(objects)).size, stored)
      const { path, length } = (await filesOf(objects))[0]!
      assert.equal(statSync(path).size, length, 'what was half-written is cut off')
      const [outcome] = await documents.record([pageOf(system.hostOf(0, 0), `/${stored}`, `${stored}`.repeat(100_000))])
      assert.equal(outcome?.kind, 'stored')
      assert.deepEqual(checkDatabases(system.folder), [])
    }))
})

function missing(path: string): string | false {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? `there is no ${path}` : false
}

/** Stores pages of 100 KB in a process with a file size limit of a few MB, until that fails. */
function runLimited(folder: string) {
  const program = `
    import { createSqliteSystem } from '${new URL('./testkit/store.testkit.ts', import.meta.url).href}'
    import { pageOf } from '${new URL('../conformance/samples.testkit.ts', import.meta.url).href}'
    const system = createSqliteSystem({ maxFileBytes: 100_000_000 }, ${JSON.stringify(folder)})
    const [{ documents }] = await system.open(1)
    let stored = 0
    try {
      for (;;) {
        await documents.record([pageOf(system.hostOf(0, 0), '/' + stored, String(stored).repeat(100_000))])
        stored++
      }
    } catch ({ code, retry }) {
      const { versions } = await documents.counts()
      process.stdout.write(JSON.stringify({ code, retry, stored: versions === stored ? stored : -1 }))
    }
    process.kill(process.pid, 'SIGTERM')`
  const command = 'ulimit -f 4000; exec "$0" --input-type=module -e "$1" < /dev/null; exit 1'
  const child = spawnSync('sh', ['-c', command, process.execPath, program], { encoding: 'utf8' })
  return { ...child, status: child.signal === 'SIGTERM' ? 0 : child.status }
}
