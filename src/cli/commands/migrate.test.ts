import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import type { ImportReport } from '../../core/reports/import-report.ts'
import { createRecordingIo, engineWith, useCliFolder } from '../cli.testkit.ts'
import type { Engine, SchemaReport } from '../engine.ts'
import { runCli } from '../run-cli.ts'

const address = 'postgres://x@127.0.0.1/x'
const store = ['--store', address]

/** A store whose second step is missing until it is migrated. */
function storeOf() {
  let appliedAt: string | null = null
  const asked: string[] = []
  const engine: Partial<Engine> = {
    async schema(): Promise<SchemaReport> {
      asked.push('schema')
      const steps = [
        { id: 1, name: 'partitions', appliedAt: '2026-01-01T00:00:00Z' },
        { id: 2, name: 'documents and more', appliedAt },
      ]
      return { steps, server: 'PostgreSQL 18.1', citus: true }
    },
    async migrate() {
      asked.push('migrate')
      if (appliedAt !== null) return []
      appliedAt = '2026-01-02T00:00:00Z'
      return [2]
    },
    async distribute() {
      asked.push('distribute')
      return ['queue', 'seen']
    },
  }
  return { engine, asked }
}

const moved: ImportReport = {
  counts: [
    { what: 'documents', here: 12_345, there: 12_345 },
    { what: 'versions', here: 7, there: 7 },
  ],
  bodiesChecked: 7,
  bytes: 1_500_000,
  seconds: 61,
  faults: [],
  interrupted: false,
}

describe('erace migrate', () => {
  const folder = useCliFolder()

  test('lists the schema steps and applies missing ones once', async () => {
    const { engine } = storeOf()
    const first = await folder.run(['migrate', ...store], { engine })
    assert.equal(first.code, 0)
    assert.deepEqual(first.out.split('\n'), [
      'PostgreSQL 18.1 with Citus',
      '    1  partitions          applied 2026-01-01T00:00:00Z',
      '    2  documents and more  applied now',
      'the schema is up to date, 1 applied',
      '',
    ])
    const second = await folder.run(['migrate', ...store], { engine })
    assert.match(second.out, /2 {2}documents and more {2}applied 2026-01-02T00:00:00Z\nthe schema is up to date\n$/)
    const { applied, steps } = JSON.parse((await folder.run(['migrate', ...store, '--json'], { engine })).out)
    assert.deepEqual([applied, steps.length], [[], 2])
  })

  test('applies nothing with --dry-run', async () => {
    const { engine, asked } = storeOf()
    const { code, out } = await folder.run(['migrate', ...store, '--dry-run', '--citus'], { engine })
    assert.equal(code, 0)
    assert.match(out, /2 {2}documents and more {2}missing\n1 missing: run erace migrate to apply them\n$/)
    assert.deepEqual(asked, ['schema'])
  })

  test('distributes the tables with --citus', async () => {
    const { engine } = storeOf()
    assert.match(
      (await folder.run(['migrate', ...store, '--citus'], { engine })).out,
      /distributed by partition: queue, seen\n$/,
    )
    const { distributed } = JSON.parse((await folder.run(['migrate', ...store, '--citus', '--json'], { engine })).out)
    assert.deepEqual(distributed, ['queue', 'seen'])
  })

  test('imports a data folder and compares the counts', async () => {
    const given: unknown[] = []
    const engine: Partial<Engine> = {
      async importFolder(from, to, { onProgress }) {
        given.push(from, to)
        onProgress({ what: 'documents', done: 100, total: 12_345 })
        onProgress({ what: 'documents', done: 12_345, total: 12_345 })
        onProgress({ what: 'versions', done: 7, total: 7 })
        return moved
      },
    }
    const line = ['migrate', '--from', 'old', '--to', address]
    const { code, out, err, listening } = await folder.run(line, { engine })
    assert.deepEqual([code, given, listening], [0, [join(folder.cwd, 'old'), address], 0])
    assert.equal(err, 'documents: 12,345 of 12,345\nversions: 7 of 7\n')
    assert.deepEqual(out.split('\n'), [
      'import complete (1m01s)',
      '             folder   store',
      '  documents  12,345  12,345',
      '  versions        7       7',
      '  7 bodies verified by digest, 1.5 MB copied',
      '',
    ])
    const json = await folder.run([...line, '--json', '--quiet'], { engine })
    assert.deepEqual([JSON.parse(json.out), json.err], [moved, ''])
    assert.equal((await folder.run(['migrate', '--from', 'old', ...store], { engine })).code, 0)
  })

  test('lists differences and exits with 1', async () => {
    const counts = [{ what: 'documents', here: 2, there: 1 }]
    const engine = { importFolder: async () => ({ ...moved, counts, faults: ['version 3: another digest\u001b[2J'] }) }
    const { code, out } = await folder.run(['migrate', '--from', 'old', '--to', address], { engine })
    assert.equal(code, 1)
    assert.match(out, /^import differs/)
    assert.match(out, /documents +2 +1 {2}differs/)
    assert.match(out, /version 3: another digest\?\[2J/)
  })

  for (const way of ['a report', 'a failure'] as const)
    test(`an interrupted import ending in ${way} says how to continue and exits with 130`, async () => {
      const world = createRecordingIo()
      const engine = engineWith({
        async importFolder(_from, _to, { signal }) {
          world.raise('SIGINT')
          assert.ok(signal.aborted)
          if (way === 'a failure') throw new AppError('store-failed', 'cut off')
          return { ...moved, interrupted: true }
        },
      })
      const argv = ['migrate', '--from', 'old', '--to', address]
      const code = await runCli({ argv, env: {}, cwd: folder.cwd, io: world.io, engine })
      assert.equal(code, 130)
      assert.match(world.err(), /interrupted: nothing is lost; run the same command to continue\n$/)
      assert.equal(world.listening(), 0)
    })

  for (const [argv, expected] of [
    [[], /--store: migrate needs the address of the shared store/],
    [['--store', 'mysql://x'], /--store: must be the address of a PostgreSQL database/],
    [['--to', address], /--to: needs --from DIR/],
    [['--from', 'old'], /--to: needs the address of the shared store/],
    [['--from', 'old', '--to', 'file:///x'], /--to: must be the address of a PostgreSQL database/],
    [['--from', '', '--to', address], /^erace migrate: --from: needs a value: DIR\n {2}see/],
    [['--from', 'old', '--to', address, '--citus'], /--citus: can't be combined with --from/],
    [[...store, 'word'], /word: migrate takes no arguments/],
  ] as const)
    test(`rejects "${argv.join(' ')}" with the reason`, async () => {
      const { code, err } = await folder.run(['migrate', ...argv])
      assert.equal(code, 2)
      assert.match(err, expected)
      assert.equal(err.match(/^erace migrate: /gm)!.length, 1, err)
    })
})
