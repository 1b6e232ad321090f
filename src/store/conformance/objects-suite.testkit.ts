import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CataloguedRecord, ObjectStore } from '../contracts/objects.ts'
import { openOne, openTwo, type StoreEngine, withSystem } from './engine.testkit.ts'
import { pageOf, recordText } from './samples.testkit.ts'

/** What every archive promises: a record exists if the catalogue points at it, and can then be read. */
export function objectsSuite(engine: StoreEngine): void {
  describe(`archived records (${engine.name})`, () => {
    test(
      'every record is read back as written, across several files',
      withSystem(engine, { maxFileBytes: 2_000 }, async (system) => {
        const { documents, objects } = await openOne(system)
        const host = system.hostOf(0, 0)
        const bodies = [1, 10, 500, 1_500, 5_000, 3, 999].map((length, n) => String(n).repeat(length))
        for (const [n, body] of bodies.entries()) await documents.record([pageOf(host, `/${n}`, body)])
        const expected = new Map(
          bodies.map((body, n) => [`http://${host}/${n}`, recordText(`http://${host}/${n}`, body)]),
        )
        assert.deepEqual(await textsOf(objects), expected)
      }),
    )

    test(
      'a repeated body is archived as a reference to the URL and time of the first one',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [first, second] = await openTwo(system)
        const original = pageOf(system.hostOf(0, 0), '/', 'same', { at: 4_321 })
        const copy = pageOf(system.hostOf(1, 0), '/', 'same', { at: 5_000 })
        await first.documents.record([original])
        await second.documents.record([copy])
        const texts = await textsOf(second.objects)
        assert.equal(texts.get(copy.url), recordText(copy.url, `see ${original.url} 4321`))
        const records = await recordsOf(first.objects)
        assert.deepEqual(
          records.map(({ url, revisit, digest, size }) => [url, revisit, digest.toString('hex'), size]).sort(),
          [
            [original.url, false, original.digest.toString('hex'), 4],
            [copy.url, true, original.digest.toString('hex'), 4],
          ].sort(),
        )
      }),
    )

    test(
      'half-written records of a killed process are ignored, and writing continues',
      withSystem(engine, {}, async (system) => {
        const host = system.hostOf(0, 0)
        const before = await openOne(system)
        await before.documents.record([pageOf(host, '/a', 'first')])
        await system.kill()
        await system.leaveHalfWritten()
        const after = await openOne(system)
        await after.documents.record([pageOf(host, '/b', 'second')])
        assert.deepEqual(
          await textsOf(after.objects),
          new Map([
            [`http://${host}/a`, recordText(`http://${host}/a`, 'first')],
            [`http://${host}/b`, recordText(`http://${host}/b`, 'second')],
          ]),
        )
      }),
    )

    test(
      'a failed batch leaves no records behind, even if it is larger than a file',
      withSystem(engine, { maxFileBytes: 600 }, async (system) => {
        const { documents, objects } = await openOne(system)
        const host = system.hostOf(0, 0)
        await documents.record([pageOf(host, '/kept', 'kept')])
        const large = Array.from({ length: 8 }, (_, n) => pageOf(host, `/${n}`, String(n).repeat(200)))
        const broken = pageOf(host, '/broken', 'x', { render: () => assert.fail('cannot be written') })
        await assert.rejects(documents.record([...large, broken]))
        assert.deepEqual([...(await textsOf(objects)).keys()], [`http://${host}/kept`])
        await documents.record(large)
        assert.equal((await textsOf(objects)).size, 9)
      }),
    )

    // The rest is only for engines with files.
    if (engine.hasNoFiles === true) return
    test(
      'records do not overlap, and lie within the valid length of their file',
      withSystem(engine, { shards: 2, maxFileBytes: 1_500 }, async (system) => {
        const shards = await openTwo(system)
        for (let n = 0; n < 10; n++) {
          await shards[0].documents.record([pageOf(system.hostOf(0, 0), `/${n}`, `left ${n}`.repeat(40))])
          await shards[1].documents.record([pageOf(system.hostOf(1, 0), `/${n}`, `right ${n}`.repeat(40))])
        }
        const { objects } = shards[0]
        let count = 0
        for (const { id, length } of await objects.volumes()) {
          let end = 0
          for (const record of await objects.records(id)) {
            assert.ok(record.offset >= end, 'records do not overlap')
            end = record.offset + record.length
            count++
          }
          assert.ok(end <= length)
        }
        assert.equal(count, 20)
      }),
    )
  })
}

export async function recordsOf(objects: ObjectStore): Promise<CataloguedRecord[]> {
  const records: CataloguedRecord[] = []
  for (const { id } of await objects.volumes()) records.push(...(await objects.records(id)))
  return records
}

/** All records by URL, as text; the latest version of each. */
export async function textsOf(objects: ObjectStore): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const record of await recordsOf(objects)) texts.set(record.url, (await objects.read(record)).toString())
  return texts
}
