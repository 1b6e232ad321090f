import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { filesOf, openOne } from '../../conformance/engine.testkit.ts'
import { recordsOf, textsOf } from '../../conformance/objects-suite.testkit.ts'
import { pageOf, recordText } from '../../conformance/samples.testkit.ts'
import type { Capture } from '../../contracts/documents.ts'
import { checkDatabases } from '../folder/checks.ts'
import { paths } from '../folder/folder.ts'
import { withFailingStatement } from '../testkit/statement-fault.testkit.ts'
import { createSqliteSystem, type SqliteSystem } from '../testkit/store.testkit.ts'

/** Enough of them to be written before the transaction. */
const bodyOf = (n: number): string => `body ${n} `.repeat(1000)
const PAGES = 60

async function withSystem(
  parts: Parameters<typeof createSqliteSystem>[0],
  work: (system: SqliteSystem, host: string, pages: Capture[]) => Promise<void>,
): Promise<void> {
  const system = createSqliteSystem(parts)
  const host = system.hostOf(0, 0)
  try {
    await work(
      system,
      host,
      Array.from({ length: PAGES }, (_, n) => pageOf(host, `/${n}`, bodyOf(n))),
    )
  } finally {
    await system.destroy()
  }
}

function expectedTexts(host: string, from = 0): Map<string, string> {
  return new Map(
    Array.from({ length: PAGES }, (_, n) => {
      const url = `http://${host}/${from + n}`
      return [url, recordText(url, bodyOf(from + n))]
    }),
  )
}

const archivedBytes = (system: SqliteSystem): number =>
  readdirSync(paths.archive(system.folder)).reduce(
    (sum, name) => sum + statSync(join(paths.archive(system.folder), name)).size,
    0,
  )

describe('batches written ahead of their transaction', () => {
  test('are stored completely, over many files', () =>
    withSystem({ maxFileBytes: 100_000 }, async (system, host, pages) => {
      const { documents, objects } = await openOne(system)
      await documents.record(pages)
      await documents.record(Array.from({ length: PAGES }, (_, n) => pageOf(host, `/${PAGES + n}`, bodyOf(PAGES + n))))
      const texts = new Map(await textsOf(objects))
      for (const [url, text] of [...expectedTexts(host), ...expectedTexts(host, PAGES)])
        assert.equal(texts.get(url), text, url)
      assert.ok((await filesOf(objects)).length > 3)
      assert.deepEqual(checkDatabases(system.folder), [])
    }))

  test('begin the next file if they do not fit, and the first one of a folder', () =>
    withSystem({ maxFileBytes: 600_000 }, async (system, host) => {
      const { documents, objects } = await openOne(system)
      for (const from of [0, PAGES, 2 * PAGES]) {
        const pages = Array.from({ length: PAGES }, (_, n) => pageOf(host, `/${from + n}`, bodyOf(from + n)))
        const files = (await filesOf(objects)).length
        for (const nth of [1, 2, 61, 62, 63, 64, 65, 66, 67, 68, 90]) {
          const failed = await withFailingStatement(nth, async () => {
            await assert.rejects(documents.record(pages), { code: 'store-full' })
          })
          assert.ok(failed)
          assert.equal((await documents.counts()).versions, from)
        }
        // Begun by the last attempt, ahead of the transaction that failed.
        assert.equal((await filesOf(objects)).length, files + 1)
        await documents.record(pages)
        assert.equal((await filesOf(objects)).length, files + 1)
      }
      const texts = new Map(await textsOf(objects))
      for (const [url, text] of [...expectedTexts(host), ...expectedTexts(host, PAGES)])
        assert.equal(texts.get(url), text, url)
      for (const { path, length } of await filesOf(objects)) assert.equal(statSync(path).size, length)
      assert.deepEqual(checkDatabases(system.folder), [])
    }))

  test('that fill a file except for its first record leave no empty files when they fail', () => {
    const { length } = Array.from({ length: PAGES }, (_, n) => recordText(`http://h/${n}`, bodyOf(n))).join('')
    return withSystem({ maxFileBytes: length + 1 }, async (system, _, pages) => {
      const { documents, objects } = await openOne(system)
      const own = pages.map((_page, n) => pageOf('h', `/${n}`, bodyOf(n)))
      for (let n = 0; n < 5; n++)
        await withFailingStatement(100, async () => {
          await assert.rejects(documents.record(own), { code: 'store-full' })
        })
      assert.ok((await filesOf(objects)).length <= 1)
      await documents.record(own)
      const texts = new Map(await textsOf(objects))
      for (let n = 0; n < PAGES; n++) assert.equal(texts.get(`http://h/${n}`), recordText(`http://h/${n}`, bodyOf(n)))
      assert.deepEqual(checkDatabases(system.folder), [])
    })
  })

  test('store equal bodies once: of one batch, of earlier ones, and of documents that are known', () =>
    withSystem({}, async (system, host, pages) => {
      const { documents, objects } = await openOne(system)
      await documents.record(pages)
      const before = archivedBytes(system)
      const copies = Array.from({ length: PAGES }, (_, n) => pageOf(host, `/copy/${n}`, bodyOf(n)))
      const outcomes = await documents.record([...copies, ...pages])
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        [...copies.map(() => 'duplicate'), ...pages.map(() => 'unchanged')],
      )
      assert.ok(archivedBytes(system) - before < before / 10)
      const twice = Array.from({ length: PAGES }, (_, n) => pageOf(host, `/new/${n}`, bodyOf(100 + (n % 30))))
      await documents.record(twice)
      assert.equal((await documents.counts()).bodies, PAGES + 30)
      assert.equal((await recordsOf(objects)).length, 3 * PAGES)
      assert.deepEqual(checkDatabases(system.folder), [])
    }))

  test('are also those of pages that changed, but not of pages whose text stayed the same, nor of parts of pages', () =>
    withSystem({}, async (system, host, pages) => {
      const { documents, objects } = await openOne(system)
      await documents.record(pages)
      const before = archivedBytes(system)
      const changed = (parts: Parameters<typeof pageOf>[3] = {}): Capture[] =>
        Array.from({ length: PAGES }, (_, n) => pageOf(host, `/${n}`, bodyOf(200 + n), { at: 2_000, ...parts }))
      const writtenAhead = async (captures: Capture[]): Promise<number> => {
        await withFailingStatement(200, async () => {
          await assert.rejects(documents.record(captures))
        })
        return archivedBytes(system) - before
      }
      assert.equal(await writtenAhead(changed({ sameTextAs: 1 })), 0)
      assert.equal(await writtenAhead(changed({ truncated: 'time' })), 0)
      const watched = { watch: 1, round: 1, freshFrom: 0, since: 0, first: false }
      assert.equal(await writtenAhead(changed({ check: watched })), 0)
      assert.ok((await writtenAhead(changed())) > PAGES * bodyOf(200).length)
      await documents.record(changed())
      assert.equal((await recordsOf(objects)).length, 2 * PAGES)
      assert.deepEqual(checkDatabases(system.folder), [])
    }))

  test('belong to the file that they are in, even if records appended before them fill it', () => {
    const records = Array.from({ length: PAGES }, (_, n) => `<http://h/${n}>${bodyOf(n)}</>`.length)
    const maxFileBytes = records.reduce((sum, length) => sum + length, 0) + 3_000
    return withSystem({ maxFileBytes }, async (system, host, pages) => {
      const { documents, objects } = await openOne(system)
      await documents.record([pageOf(host, '/first', 'first')])
      const copies = Array.from({ length: PAGES }, (_, n) => pageOf(host, `/copy/${n}`, 'first'))
      await documents.record([...copies, ...pages])
      assert.equal((await filesOf(objects)).length, 2)
      const texts = await textsOf(objects)
      for (const [url, text] of expectedTexts(host)) assert.equal(texts.get(url), text, url)
      assert.deepEqual(checkDatabases(system.folder), [])
    })
  })

  test('of shards that find the same bodies at the same time store one, and all stay readable', () =>
    withSystem({ shards: 2 }, async (system) => {
      const [first, second] = await system.open(1)
      const hosts = [system.hostOf(0, 0), system.hostOf(1, 0)]
      const [a, b] = hosts.map((host) => Array.from({ length: PAGES }, (_, n) => pageOf(host, `/${n}`, bodyOf(n))))
      // Both have an open file, so both write ahead.
      await first!.documents.record([pageOf(hosts[0]!, '/first', 'first')])
      await second!.documents.record([pageOf(hosts[1]!, '/first', 'second')])
      await Promise.all([first!.documents.record(a!), second!.documents.record(b!)])
      assert.ok(archivedBytes(system) > 2 * PAGES * bodyOf(0).length)
      assert.deepEqual(
        { ...(await first!.documents.counts()) },
        { documents: 2 * PAGES + 2, versions: 2 * PAGES + 2, bodies: PAGES + 2 },
      )
      const texts = await textsOf(first!.objects)
      for (let n = 0; n < PAGES; n++) {
        const urls = hosts.map((host) => `http://${host}/${n}`)
        const kept = urls.filter((url) => texts.get(url) === recordText(url, bodyOf(n)))
        assert.equal(kept.length, 1, `page ${n}`)
        const other = texts.get(urls.find((url) => url !== kept[0])!)
        assert.ok(other?.includes(kept[0]!), `page ${n} refers to ${kept[0]}: ${other?.slice(0, 100)}`)
      }
      assert.deepEqual(checkDatabases(system.folder), [])
    }))

  test('of shards that write at the same time do not mix', () =>
    withSystem({ shards: 2, maxFileBytes: 100_000_000 }, async (system) => {
      const shards = await system.open(1)
      const hosts = [system.hostOf(0, 0), system.hostOf(1, 0)]
      for (const shard of shards)
        await shard.documents.record([
          pageOf(hosts[shards.indexOf(shard)]!, '/first', `first ${shards.indexOf(shard)}`),
        ])
      await Promise.all(
        shards.map((shard, at) =>
          shard.documents.record(
            Array.from({ length: PAGES }, (_, n) => pageOf(hosts[at]!, `/${n}`, `shard ${at} ${bodyOf(n).repeat(14)}`)),
          ),
        ),
      )
      const texts = await textsOf(shards[0]!.objects)
      for (const [at, host] of hosts.entries())
        for (let n = 0; n < PAGES; n++) {
          const url = `http://${host}/${n}`
          assert.equal(texts.get(url), recordText(url, `shard ${at} ${bodyOf(n).repeat(14)}`), url)
        }
    }))

  test('leave nothing behind when any statement of their transaction fails, and are stored when repeated', () =>
    withSystem({ maxFileBytes: 1_000_000 }, async (system, host, pages) => {
      const { documents, objects } = await openOne(system)
      await documents.record([pageOf(host, '/first', 'first')])
      for (const nth of [1, 2, 61, 62, 63, 64, 70, 150, 240]) {
        const failed = await withFailingStatement(nth, async () => {
          await assert.rejects(documents.record(pages), { code: 'store-full' })
        })
        assert.ok(failed)
        assert.equal((await documents.counts()).versions, 1)
      }
      await documents.record(pages)
      const texts = new Map(await textsOf(objects))
      for (const [url, text] of expectedTexts(host)) assert.equal(texts.get(url), text, url)
      const [file] = await filesOf(objects)
      assert.equal(statSync(file!.path).size, file!.length)
    }))

  test('are truncated when the process was killed before their transaction', () =>
    withSystem({}, async (system, host, pages) => {
      const { documents } = await openOne(system)
      await documents.record([pageOf(host, '/first', 'first')])
      const before = archivedBytes(system)
      await withFailingStatement(70, async () => {
        await assert.rejects(documents.record(pages))
      })
      assert.ok(archivedBytes(system) > before + PAGES * bodyOf(0).length)
      await system.kill()
      const again = await openOne(system)
      assert.equal(archivedBytes(system), before)
      assert.match(system.warnings.join(), /cut off \d+ bytes at the end that were written and never stored/)
      await again.documents.record(pages)
      const texts = new Map(await textsOf(again.objects))
      for (const [url, text] of expectedTexts(host)) assert.equal(texts.get(url), text, url)
    }))
})
