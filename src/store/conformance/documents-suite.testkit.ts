import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Capture, KnownDocument } from '../contracts/documents.ts'
import { unpackLinks } from '../rules/link-text.ts'
import { type OpenShard, openOne, openTwo, type StoreEngine, withSystem } from './engine.testkit.ts'
import { noteOf, pageOf } from './samples.testkit.ts'

/** What every catalogue of documents promises. */
export function documentsSuite(engine: StoreEngine): void {
  describe(`documents (${engine.name})`, () => {
    test(
      'a new body is stored, the same body is unchanged, and a different one becomes the next version',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const host = system.hostOf(0, 0)
        const [first] = await shard.documents.record([pageOf(host, '/', 'one')])
        assert.equal(first?.kind, 'stored')
        assert.deepEqual(await shard.documents.record([pageOf(host, '/', 'one', { at: 2_000 })]), [
          { kind: 'unchanged', duplicate: false },
        ])
        const [second] = await shard.documents.record([pageOf(host, '/', 'two', { at: 3_000 })])
        assert.equal(second?.kind, 'stored')
        assert.notEqual(second.versionId, first.versionId)
        assert.equal((await knownOf(shard, pageOf(host, '/', '')))?.versionId, second.versionId)
        assert.deepEqual(await countsOf(shard), { documents: 1, versions: 2, bodies: 2 })
      }),
    )

    test(
      'a body already stored under another URL is a duplicate',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const host = system.hostOf(0, 0)
        await shard.documents.record([pageOf(host, '/a', 'same')])
        const [outcome] = await shard.documents.record([pageOf(host, '/b', 'same')])
        assert.equal(outcome?.kind, 'duplicate')
        assert.equal(outcome.of, `http://${host}/a`)
        assert.deepEqual(await shard.documents.record([pageOf(host, '/b', 'same')]), [
          { kind: 'unchanged', duplicate: true },
        ])
        assert.deepEqual(await shard.documents.record([pageOf(host, '/a', 'same')]), [
          { kind: 'unchanged', duplicate: false },
        ])
        const known = await Promise.all(['/a', '/b'].map((path) => knownOf(shard, pageOf(host, path, 'same'))))
        assert.deepEqual(
          known.map((each) => each?.isCopy),
          [false, true],
        )
        assert.deepEqual(await countsOf(shard), { documents: 2, versions: 2, bodies: 1 })
      }),
    )

    test(
      'equal bodies in one batch are stored once',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const host = system.hostOf(0, 0)
        const asked: (string | null)[] = []
        const watched = (path: string): Capture => {
          const page = pageOf(host, path, 'same')
          return {
            ...page,
            render(original) {
              asked.push(original === null ? null : original.url)
              return page.render(original)
            },
          }
        }
        const outcomes = await shard.documents.record([watched('/a'), watched('/b'), watched('/a'), watched('/c')])
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['stored', 'duplicate', 'unchanged', 'duplicate'],
        )
        assert.deepEqual(asked, [null, `http://${host}/a`, `http://${host}/a`])
        assert.deepEqual(await countsOf(shard), { documents: 3, versions: 3, bodies: 1 })
      }),
    )

    test(
      'equal bodies from shards that write concurrently are stored once',
      withSystem(engine, { shards: 2 }, async (system) => {
        const shards = await openTwo(system)
        const bodies = Array.from({ length: 20 }, (_, n) => `body ${n % 7}`)
        await Promise.all(
          shards.map(({ documents }, shard) =>
            documents.record(bodies.map((body, n) => pageOf(system.hostOf(shard, 0), `/${n}`, body))),
          ),
        )
        const counts = await countsOf(shards[0])
        assert.deepEqual(counts, { documents: 40, versions: 40, bodies: 7 })
        assert.deepEqual(await countsOf(shards[1]), counts)
        const [outcome] = await shards[1].documents.record([pageOf(system.hostOf(1, 1), '/', 'body 3')])
        assert.equal(outcome?.kind, 'duplicate')
      }),
    )

    test(
      'repeating a batch creates no new versions',
      withSystem(engine, {}, async (system) => {
        const host = system.hostOf(0, 0)
        const batch = [
          pageOf(host, '/a', 'x'),
          pageOf(host, '/b', 'x'),
          pageOf(host, '/c', 'z'),
          noteOf(host, '/d', 'failed'),
        ]
        const shard = await openOne(system)
        await shard.documents.record(batch)
        await system.kill()
        const again = await openOne(system)
        const outcomes = await again.documents.record(batch)
        assert.deepEqual(outcomes, [
          { kind: 'unchanged', duplicate: false },
          { kind: 'unchanged', duplicate: true },
          { kind: 'unchanged', duplicate: false },
          { kind: 'noted' },
        ])
        assert.deepEqual(await countsOf(again), { documents: 4, versions: 3, bodies: 2 })
      }),
    )

    test(
      'a body that comes back becomes a new version, and is stored once',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const host = system.hostOf(0, 0)
        for (const body of ['a', 'b', 'a']) await shard.documents.record([pageOf(host, '/', body)])
        assert.deepEqual(await countsOf(shard), { documents: 1, versions: 3, bodies: 2 })
      }),
    )

    test(
      'a note keeps the current version and updates the time of the check',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const host = system.hostOf(0, 0)
        const page = pageOf(host, '/', 'one', { etag: '"e"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' })
        const [stored] = await shard.documents.record([page])
        assert.equal(stored?.kind, 'stored')
        assert.deepEqual(await shard.documents.record([noteOf(host, '/', 'unchanged', { run: 2, status: 304 })]), [
          { kind: 'noted' },
        ])
        assert.deepEqual(await knownOf(shard, page), {
          url: page.url,
          firstAt: 1_000,
          versions: 1,
          run: 2,
          checkedAt: 2_000,
          status: 304,
          versionId: stored.versionId,
          etag: '"e"',
          lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT',
          digest: new Uint8Array(page.digest),
          text: null,
          textRules: 0,
          truncated: '',
          body: 'kept',
          isCopy: false,
          notModified: 1,
          linkKeys: new Uint8Array(),
          linkNaming: 0,
        })
        assert.deepEqual(await countsOf(shard), { documents: 1, versions: 1, bodies: 1 })
      }),
    )

    test(
      'a note about an unknown document creates it without a version, until there is a body',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const host = system.hostOf(0, 0)
        const note = noteOf(host, '/', 'redirect', { status: 301 })
        await shard.documents.record([note])
        assert.deepEqual(await knownOf(shard, note), {
          url: note.url,
          firstAt: 2_000,
          versions: 0,
          run: 1,
          checkedAt: 2_000,
          status: 301,
          versionId: 0,
          etag: '',
          lastModified: '',
          digest: new Uint8Array(),
          text: null,
          textRules: 0,
          truncated: '',
          body: 'none',
          isCopy: false,
          notModified: 0,
          linkKeys: new Uint8Array(),
          linkNaming: 0,
        })
        const [stored] = await shard.documents.record([pageOf(host, '/', 'now', { run: 2 })])
        assert.equal(stored?.kind, 'stored')
        const known = await knownOf(shard, note)
        assert.equal(known?.versionId, stored.versionId)
        assert.equal(known.run, 2)
      }),
    )

    test(
      'documents are found by host and fingerprint, in the order requested, with null for missing ones',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [first, second] = await openTwo(system)
        const [one, two] = [pageOf(system.hostOf(0, 0), '/', '1'), pageOf(system.hostOf(1, 0), '/', '2')]
        await first.documents.record([one])
        await second.documents.record([two])
        const missing = { host: one.host, fp: two.fp }
        const found = await first.documents.find([two, missing, one])
        assert.deepEqual(
          found.map((known) => known?.url ?? null),
          [two.url, null, one.url],
        )
        assert.deepEqual(await first.documents.find([]), [])
      }),
    )

    test(
      'links are returned in page order, including those to other origins',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const host = system.hostOf(0, 0)
        const links = [
          `http://${host}/b`,
          'https://other.example/x?y=1',
          `http://${host}/a`,
          `https://${host}/tls`,
          `http://${host}:8080/port`,
          `http://${host}/`,
          `http://${host}.evil.example/`,
        ]
        const outcomes = await shard.documents.record([
          pageOf(host, '/', 'links', { links }),
          pageOf(host, '/none', 'no links'),
          pageOf(host, '/copy', 'links', { links }),
        ])
        const versions = outcomes.map((outcome) => ('versionId' in outcome ? outcome.versionId : 0))
        assert.deepEqual(await shard.versions.links(versions[0]!), links)
        const [known, bare] = await shard.documents.find([pageOf(host, '/', ''), pageOf(host, '/none', '')])
        const absent = { versionId: 0, url: `http://${host}/absent` }
        assert.deepEqual(await shard.documents.links([bare!, known!, absent, known!]), [[], links, [], links])
        if (known!.linkText !== undefined) assert.deepEqual(unpackLinks(known!.linkText, known!.url), links)
        assert.deepEqual(await shard.versions.links(versions[1]!), [])
        assert.deepEqual(await shard.versions.links(versions[2]!), links)
        assert.deepEqual(await shard.versions.links(999_999), [])
      }),
    )

    test(
      'a capture that cannot be rendered discards its whole batch',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const host = system.hostOf(0, 0)
        await shard.documents.record([pageOf(host, '/kept', 'kept')])
        const broken = pageOf(host, '/bad', 'bad', {
          render: () => {
            throw new Error('cannot be written')
          },
        })
        const batch = [
          pageOf(host, '/new', 'new'),
          pageOf(host, '/kept', 'changed'),
          broken,
          pageOf(host, '/last', 'last'),
        ]
        await assert.rejects(shard.documents.record(batch), /cannot be written/)
        assert.deepEqual(await countsOf(shard), { documents: 1, versions: 1, bodies: 1 })
        assert.equal(await knownOf(shard, batch[0]!), null)
        const outcomes = await shard.documents.record([...batch.slice(0, 2), batch[3]!])
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['stored', 'stored', 'stored'],
        )
      }),
    )
  })
}

export async function countsOf({ documents }: OpenShard) {
  return { ...(await documents.counts()) }
}

async function knownOf({ documents }: OpenShard, key: { host: string; fp: bigint }): Promise<KnownDocument | null> {
  const [known] = await documents.find([key])
  return known === null || known === undefined ? null : { ...known }
}
