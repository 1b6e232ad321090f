import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type ParsedTarEntryWithData, packTar, unpackTar } from 'modern-tar'
import { type ErrorCode, isAppError } from '../../../core/errors.ts'
import { type BackedUp, withSystem } from './backup.testkit.ts'

type Entries = ParsedTarEntryWithData[]

const fails = (code: ErrorCode, text: RegExp) => (error: unknown) => {
  assert.ok(isAppError(error, code), String(error))
  assert.match(error.message, text)
  return true
}

/** A modified backup is refused and leaves nothing behind. */
async function refuses(
  { backup, restore, place }: BackedUp,
  change: (entries: Entries) => unknown,
  text: RegExp,
  code: ErrorCode = 'file-invalid',
): Promise<void> {
  if (!existsSync(join(place, 'b.tar'))) await backup('b.tar')
  const entries = await unpackTar(readFileSync(join(place, 'b.tar')))
  const changed = change(entries)
  writeFileSync(join(place, 'bad.tar'), await packTar(Array.isArray(changed) ? changed : entries))
  await assert.rejects(restore('bad.tar', 'back'), fails(code, text))
  assert.deepEqual(readdirSync(place).sort(), ['b.tar', 'bad.tar'])
}

const named = (entries: Entries, name: string) => entries.find(({ header }) => header.name === name)!
const at = (entries: Entries, name: string) => entries.findIndex(({ header }) => header.name === name)

function setData(entry: ParsedTarEntryWithData, data: Uint8Array): void {
  entry.data = new Uint8Array(data)
  entry.header.size = data.length
}

function changeManifest(
  entries: Entries,
  change: (manifest: Record<string, unknown> & { entries: { name: string; bytes: number }[] }) => unknown,
): void {
  const entry = named(entries, 'backup.json')
  const manifest = JSON.parse(Buffer.from(entry.data!).toString())
  change(manifest)
  setData(entry, Buffer.from(JSON.stringify(manifest)))
}

/** Replaces a valid entry and updates the manifest accordingly. */
function replaceFile(entries: Entries, name: string, data: Uint8Array): void {
  setData(named(entries, name), data)
  changeManifest(entries, (manifest) => {
    manifest.entries.find((entry) => entry.name === name)!.bytes = data.length
  })
  const sums = entries
    .slice(0, -1)
    .map(({ header, data: bytes }) => `${createHash('sha256').update(bytes!).digest('hex')}  ${header.name}\n`)
  setData(entries.at(-1)!, Buffer.from(sums.join('')))
}

function changedDatabase(place: string, data: Uint8Array, sql: string): Uint8Array {
  const path = join(place, 'changed.db')
  writeFileSync(path, data)
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = DELETE; ${sql}`)
  db.close()
  const bytes = readFileSync(path)
  for (const name of readdirSync(place).filter((each) => each.startsWith('changed.db'))) rmSync(join(place, name))
  return bytes
}

describe('restore', () => {
  test('requires a missing or empty folder', () =>
    withSystem(async ({ backup, restore, place }) => {
      await backup('b.tar')
      mkdirSync(join(place, 'full'))
      writeFileSync(join(place, 'full', 'x'), 'mine')
      await assert.rejects(restore('b.tar', 'full'), fails('usage-wrong', /not empty/))
      writeFileSync(join(place, 'file'), '')
      await assert.rejects(restore('b.tar', 'file'), fails('usage-wrong', /not empty/))
      mkdirSync(join(place, 'empty'))
      await restore('b.tar', 'empty')
      await restore('b.tar', 'deep/down')
      assert.deepEqual(readdirSync(join(place, 'empty')).sort(), ['archive', 'catalog.db', 'frontier'])
      assert.deepEqual(readdirSync(place).sort(), ['b.tar', 'deep', 'empty', 'file', 'full'])
    }))

  test('rejects files that are not backups', () =>
    withSystem(async ({ restore, place }) => {
      const samples: [name: string, bytes: Uint8Array, text: RegExp][] = [
        ['empty', new Uint8Array(), /truncated|missing/],
        ['words', Buffer.from('nothing like a tar file'), /truncated/i],
        ['noise', Buffer.alloc(4096, 'x'), /checksum|number/i],
        ['zeros', Buffer.alloc(10_240), /backup\.json is missing/],
        ['half-gzip', gzipSync(Buffer.alloc(10_240)).subarray(0, 20), /unexpected end/],
        ['other.tar', await packTar([{ header: { name: 'x', size: 1 }, body: 'x' }]), /"x" stands where backup\.json/],
      ]
      for (const [name, bytes, text] of samples) {
        writeFileSync(join(place, name), bytes)
        await assert.rejects(restore(name, 'back'), fails('file-invalid', text), name)
      }
      await assert.rejects(restore('none.tar', 'back'), fails('file-unreadable', /none\.tar/))
      assert.equal(existsSync(join(place, 'back')), false)
      assert.equal(existsSync(join(place, 'back.restoring')), false)
    }))

  test('rejects a backup that is truncated or has a changed byte', () =>
    withSystem(async ({ backup, restore, place }) => {
      await backup('b.tar')
      const bytes = readFileSync(join(place, 'b.tar'))
      for (let part = 0; part < 12; part++) {
        const end = Math.floor(((bytes.length - 1024) / 12) * part) + 1
        writeFileSync(join(place, 'cut.tar'), bytes.subarray(0, end))
        await assert.rejects(restore('cut.tar', 'back'), fails('file-invalid', /refused/), `cut at ${end}`)
        const changed = Buffer.from(bytes)
        changed[end] = changed[end]! ^ 1
        // Changes in the padding of a block have no effect; all others are detected.
        writeFileSync(join(place, 'changed.tar'), changed)
        await restore('changed.tar', `back-${part}`).then(
          () => assert.equal(bytes[end], 0),
          (error) => assert.ok(isAppError(error, 'file-invalid'), String(error)),
        )
      }
      assert.equal(existsSync(join(place, 'back')), false)
    }))

  test('rejects path traversal, links, devices and unknown files', () =>
    withSystem(async (parts) => {
      for (const name of [
        '../x',
        '/etc/passwd',
        'archive/../../x.warc',
        'archive/a/b.warc',
        'search.db',
        'frontier/00.db-wal',
        'archive/x.warc\u0000',
      ]) {
        await refuses(
          parts,
          (entries) => {
            const catalog = named(entries, 'catalog.db')
            catalog.header.name = name
          },
          /stands where catalog\.db is expected/,
        )
        await refuses(
          parts,
          (entries) =>
            changeManifest(entries, (manifest) => {
              manifest.entries.push({ name, bytes: 1 })
            }),
          /a data folder has no file/,
        )
      }
      for (const type of ['symlink', 'link', 'character-device', 'block-device', 'fifo', 'directory'] as const) {
        await refuses(
          parts,
          (entries) => {
            const entry = named(entries, 'frontier/00.db')
            entry.header = { ...entry.header, type, linkname: '/etc/passwd', size: 0 }
            delete entry.data
          },
          /is no file but a/,
        )
      }
      await refuses(
        parts,
        (entries) =>
          entries.toSpliced(2, 0, { header: { name: 'archive/extra.warc', size: 1 }, data: new Uint8Array(1) }),
        /"archive\/extra\.warc" stands where/,
      )
      await refuses(parts, (entries) => [...entries, entries[1]!], /it goes on with "catalog\.db"/)
      await refuses(
        parts,
        (entries) => entries.toSpliced(at(entries, 'frontier/00.db'), 1),
        /stands where frontier\/00\.db/,
      )
      await refuses(parts, (entries) => entries.slice(0, -1), /SHA256SUMS is missing/)
    }))

  test('rejects wrong sizes, digests and manifests', () =>
    withSystem(async (parts) => {
      const inManifest = (change: Parameters<typeof changeManifest>[1]) => (entries: Entries) =>
        changeManifest(entries, change)
      const withSize = (bytes: number) =>
        inManifest((manifest) => manifest.entries.splice(0, 1, { name: 'catalog.db', bytes }))
      const withFormat = (format: unknown) => inManifest((manifest) => Object.assign(manifest, { format }))
      const cases: [change: (entries: Entries) => void, text: RegExp, code?: ErrorCode][] = [
        [(entries) => setData(named(entries, 'catalog.db'), new Uint8Array(10)), /10 bytes, \d+ are announced/],
        [(entries) => named(entries, 'catalog.db').data!.fill(1, 5000, 5010), /catalog\.db does not match its digest/],
        [(entries) => setData(entries.at(-1)!, Buffer.from('none')), /does not match its digest/],
        [inManifest((manifest) => manifest.entries.push(manifest.entries[0]!)), /twice/],
        [inManifest((manifest) => manifest.entries.splice(0, 1)), /no catalogue/],
        [withSize(-1), /without name or size/],
        [withSize(2 ** 52), /needs \d+ bytes/, 'store-full'],
        [withFormat(2), /format 2/, 'store-too-new'],
        [withFormat('x'), /no backup/],
        [(entries) => setData(entries[0]!, Buffer.from('[')), /no JSON/],
      ]
      for (const [change, text, code] of cases) await refuses(parts, change, text, code)
    }))

  test('stops a decompression bomb at its announced size', () =>
    withSystem(async ({ backup, restore, place }) => {
      await backup('b.tar')
      const bytes = readFileSync(join(place, 'b.tar'))
      writeFileSync(join(place, 'bomb.tgz'), gzipSync(Buffer.concat([bytes, Buffer.alloc(64 << 20)])))
      await assert.rejects(restore('bomb.tgz', 'back'), fails('file-invalid', /unfolds to more/))
      const start = (await packTar([{ header: { name: 'backup.json', size: 0 } }])).subarray(0, 512)
      start.set(Buffer.from('10000000000\0'), 124)
      fixChecksum(start)
      writeFileSync(join(place, 'bomb2.tgz'), gzipSync(Buffer.concat([start, Buffer.alloc(200 << 20)])))
      await assert.rejects(restore('bomb2.tgz', 'back'), fails('file-invalid', /backup\.json has 1073741824 bytes/))
    }))

  test('rejects a catalogue with unexpected triggers, outside paths or a newer schema', () =>
    withSystem(async (parts) => {
      const changes: [sql: string, text: RegExp, code?: ErrorCode][] = [
        ['CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM documents; END', /more than tables/],
        ['CREATE VIEW v AS SELECT 1', /more than tables/],
        ['CREATE VIRTUAL TABLE x USING fts5 (a)', /more than tables/],
        [
          'DROP TRIGGER annotations_added; CREATE TRIGGER annotations_added AFTER INSERT ON annotations BEGIN DELETE FROM files; END',
          /more than tables/,
        ],
        ['DROP TRIGGER annotations_removed', /lacks the trigger annotations_removed/],
        [`UPDATE files SET name = '../../outside.warc' WHERE id = 2`, /names an archive file/],
        [`INSERT INTO facts (name, value) VALUES ('leftover:../../outside', 1)`, /names an archive file/],
        ['PRAGMA user_version = 99', /schema 99/, 'store-too-new'],
        [`UPDATE facts SET value = 7 WHERE name = 'shards'`, /7 shards/],
        ['DROP TABLE files', /no such table/],
      ]
      for (const [sql, text, code] of changes) {
        await refuses(
          parts,
          (entries) =>
            replaceFile(entries, 'catalog.db', changedDatabase(parts.place, named(entries, 'catalog.db').data!, sql)),
          text,
          code,
        )
      }
      await refuses(parts, (entries) => replaceFile(entries, 'catalog.db', Buffer.alloc(8192, 1)), /not a database/)
    }))

  test('clears leftovers of a killed restore', () =>
    withSystem(async ({ backup, restore, place }) => {
      await backup('b.tar')
      const left = join(place, 'back.restoring')
      mkdirSync(join(left, 'data'), { recursive: true })
      writeFileSync(join(left, 'lock.db'), '')
      writeFileSync(join(left, 'data', 'catalog.db'), 'half')
      await restore('b.tar', 'back')
      assert.deepEqual(readdirSync(place).sort(), ['b.tar', 'back'])
    }))

  test('leaves nothing when interrupted', () =>
    withSystem(async ({ backup, restore, place }) => {
      await backup('b.tar')
      const stop = new AbortController()
      await assert.rejects(restore('b.tar', 'back', { signal: stop.signal, onProgress: () => stop.abort() }), {
        name: 'AbortError',
      })
      assert.deepEqual(readdirSync(place), ['b.tar'])
    }))
})

function fixChecksum(header: Uint8Array): void {
  header.fill(32, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.set(Buffer.from(`${sum.toString(8).padStart(6, '0')}\0 `), 148)
}
