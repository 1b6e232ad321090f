import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { createProfileKeys } from '../../../services/profiles/keyed-profile.ts'
import { readProfilesXml } from '../../../services/profiles/profile-file.ts'
import { defaultProfileId } from '../../../services/sources/source-import.ts'
import { profileWith, sourceAt } from '../../../services/watching/watching.testkit.ts'
import type { WatchOutcome } from '../../../store/contracts/watches.ts'
import { createTestServer, type TestServer, type TestServerOptions } from '../../server.testkit.ts'

const ann = 'ann@example.org'
const eve = 'eve@example.org'
const a = 'http://a.example/'
const b = 'http://b.example/'

type Item = {
  id: number
  uri: string
  state: string
  paused: boolean
  muted: boolean
  message: string
  why: string
  failing: boolean
  outcome: string
  lastChangedAt: string | null
}
type Part = { items: Item[]; next: string | null; counts: Record<string, number> }

async function withServer(work: (server: TestServer) => Promise<void>, options: TestServerOptions = {}): Promise<void> {
  const server = await createTestServer({ clock: createManualClock(), ...options })
  try {
    await server.addUser(ann)
    await server.addUser(eve)
    await work(server)
  } finally {
    await server.close()
  }
}

const keyed = createProfileKeys({})

function put({ stores }: TestServer, ...profiles: Parameters<typeof keyed>[0][]) {
  return stores.profiles.put(profiles.map(keyed))
}

async function listOf(server: TestServer, query = '', who = ann): Promise<Part> {
  const answer = await server.as(who).get(`/sources${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

/** Records a check with this outcome for the watch of the URI. */
async function finish({ stores }: TestServer, uri: string, parts: Partial<WatchOutcome>): Promise<void> {
  const row = (await stores.watches.all()).find((each) => each.uri === uri)!
  const at = Date.UTC(2026, 0, 1)
  const profiles = await stores.profiles.list({ after: '', limit: 1000 })
  const urds = (await Promise.all(profiles.map(({ id }) => stores.profiles.urdsOf(id)))).flat()
  const visited = urds.filter(({ watch }) => watch === row.id).map(({ id }) => id)
  const usual = { outcome: 'unchanged', status: 200, changes: 0, landed: null, visited }
  await stores.watches.begin([{ watch: row.id, round: at }])
  await stores.watches.finish([{ watch: row.id, checkedAt: at + 1000, ...usual, ...parts }])
}

describe('list of sources', () => {
  test('shows only the caller’s sources, page by page, newest first', () =>
    withServer(async (server) => {
      const uris = Array.from({ length: 5 }, (_, n) => `http://h${n}.example/`)
      await put(server, ...uris.map((uri, n) => profileWith(`p${n}`, ann, [sourceAt(uri)])))
      await put(server, profileWith('hers', eve, [sourceAt(b)]))
      const first = await listOf(server, '?limit=2')
      const second = await listOf(server, `?limit=2&cursor=${first.next}`)
      const third = await listOf(server, `?limit=2&cursor=${second.next}`)
      assert.deepEqual(
        [...first.items, ...second.items, ...third.items].map(({ uri }) => uri),
        uris.toReversed(),
      )
      assert.equal(third.next, null)
      assert.deepEqual(first.counts, { all: 5, unread: 0, failing: 0, paused: 0, matching: 5 })
      assert.equal((await server.as(ann).get('/sources?cursor=xx')).statusCode, 400)
      assert.equal((await server.as(ann).get('/sources?state=odd')).statusCode, 400)
      assert.equal((await server.nobody().get('/sources')).statusCode, 401)
      const other = (await listOf(server, '', eve)).items[0]!
      for (const answer of [
        await server.as(ann).get(`/sources/${other.id}`),
        await server.as(ann).patch(`/sources/${other.id}`, { paused: true }),
        await server.as(ann).delete(`/sources/${other.id}`),
        await server.as(ann).post(`/sources/${other.id}/check`),
      ])
        assert.equal(answer.statusCode, 404)
      const bulk = await server.as(ann).patch('/sources', { ids: [other.id], paused: true })
      assert.deepEqual(bulk.json(), { changed: 0, ids: [] })
    }))

  test('can be filtered by state, profile and words', () =>
    withServer(async (server) => {
      await put(
        server,
        profileWith('java', ann, [sourceAt(a), sourceAt(b)], { name: 'Java research' }),
        profileWith('tea', ann, [sourceAt('http://c.example/Tea')], { paused: true }),
      )
      await finish(server, a, { outcome: 'failed: dns-not-found', status: 0 })
      const uris = async (query: string) => (await listOf(server, query)).items.map(({ uri }) => uri)
      assert.deepEqual(await uris('?state=failing'), [a])
      assert.deepEqual(await uris('?state=paused'), ['http://c.example/Tea'])
      assert.deepEqual(await uris('?profile=java'), [b, a])
      assert.deepEqual(await uris('?q=JAVA'), [b, a])
      assert.deepEqual(await uris('?q=tea'), ['http://c.example/Tea'])
      assert.deepEqual(await uris('?state=unread'), [])
      const { counts } = await listOf(server, '?q=tea')
      assert.deepEqual(counts, { all: 3, unread: 0, failing: 1, paused: 1, matching: 1 })
    }))

  test('gives the state of each source with a message', () =>
    withServer(async (server) => {
      const cases: [Partial<WatchOutcome>, string, RegExp][] = [
        [
          { outcome: 'skipped: robots', status: 0 },
          'blocked-by-robots',
          /^The robots\.txt of h0\.example doesn't allow fetching this page\. Ask/,
        ],
        [{ outcome: 'skipped: robots', status: 200 }, 'blocked-by-robots', /noindex/],
        [{ outcome: 'failed: http-client-error', status: 403 }, 'blocked-by-site', /status 403/],
        [{ outcome: 'failed: http-client-error', status: 429 }, 'blocked-by-site', /longer interval/],
        [{ outcome: 'failed: http-client-error', status: 401 }, 'sign-in-failed', /signing in/],
        [{ outcome: 'changed', status: 410, changes: 1 }, 'not-found', /no longer exists/],
        [{ outcome: 'failed: http-server-error', status: 503 }, 'failing', /status 503/],
        [{ outcome: 'failed: http-server-error', status: 0 }, 'failing', /robots\.txt of h7\.example can't be read/],
        [{ outcome: 'failed: dns-not-found', status: 0 }, 'failing', /^h8\.example doesn't exist or isn't public\./],
        [{ outcome: 'failed: host-given-up', status: 0 }, 'failing', /the host kept failing/],
        [{ outcome: 'failed', status: 0 }, 'failing', /Couldn't fetch it/],
        [{ outcome: 'redirect', status: 302 }, 'failing', /redirects to itself/],
        [{ outcome: 'skipped: address', status: 0 }, 'failing', /^h12\.example doesn't exist or isn't public\./],
        [{ outcome: 'skipped: type', status: 200 }, 'unsupported', /isn't supported/],
        [{}, 'unchanged', /^The last check found no change\.$/],
        [{ outcome: 'changed', changes: 1 }, 'changed', /found a change/],
      ]
      const uriOf = (n: number): string => `http://h${n}.example/`
      await put(server, ...cases.map((_, n) => profileWith(`p${n}`, ann, [sourceAt(uriOf(n), { process: 'track' })])))
      await put(
        server,
        profileWith('new', ann, [sourceAt('http://new.example/')]),
        profileWith('mail', ann, [sourceAt('telnet://host.example/')]),
        profileWith('filter', ann, [sourceAt('http://filter.example/')]),
      )
      for (const [n, [outcome]] of cases.entries()) {
        // The first check is the baseline; the reported state is that of the second.
        await finish(server, uriOf(n), {})
        await finish(server, uriOf(n), { checkedAt: Date.UTC(2026, 0, 1) + 2000, visited: [], ...outcome })
      }
      await finish(server, 'http://filter.example/', {})
      const { items } = await listOf(server, '?limit=200')
      for (const [n, [, state, message]] of cases.entries()) {
        const item = items.find(({ uri }) => uri === uriOf(n))!
        assert.equal(item.state, state, item.uri)
        assert.match(item.message, message)
        // The time is reported separately, because a sentence has no time zone.
        assert.doesNotMatch(item.message, /[{}]|\bsince\b|UTC/)
      }
      // The first check isn't a change, so an unchanged source has none unless a later one found one.
      for (const { state, lastChangedAt } of items)
        if (state === 'unchanged') assert.equal(lastChangedAt, null)
        else if (state === 'changed') assert.notEqual(lastChangedAt, null)
      const stateOf = (part: string) => items.find(({ uri }) => uri.includes(part))!.state
      assert.deepEqual(['new.', 'host.', 'filter.'].map(stateOf), ['not-yet', 'unsupported', 'nothing-matched'])
    }))

  test('names the expression that is too expensive and the page, until the profile is saved again', () =>
    withServer(async (server) => {
      const uri = 'http://slow.example/'
      const scope = { kind: 'pattern', source: '.*a[ab]{450}c' } as const
      const slow = profileWith('slow', ann, [sourceAt(uri, { process: 'track', depth: 1, scope })])
      await put(server, slow)
      await finish(server, uri, {})
      const { profiles } = server.stores
      const [urd] = await profiles.urdsOf('slow')
      const item = async () => (await listOf(server, '?limit=200')).items[0]!
      assert.equal((await item()).state, 'unchanged')
      for (const [aside, message] of [
        ['scope', /^Skipped: the expression of its scope takes too much work on http:\/\/slow\.example\/long/],
        ['ignore', /^The expressions to ignore .* whole change/],
        ['interests', /^The interests .* wasn't matched/],
      ] as const) {
        await profiles.setUrds([urd!.id], { aside, asideUrl: `${uri}long` })
        const shown = await item()
        assert.deepEqual([shown.state, shown.failing], ['too-expensive', true])
        assert.match(shown.message, message)
        assert.equal(shown.outcome, aside === 'scope' ? 'skipped: expression-too-expensive' : 'unchanged')
      }
      await put(server, slow)
      assert.equal((await item()).state, 'unchanged')
    }))

  test('tells only administrators whether a host is private or does not exist', () =>
    withServer(async (server) => {
      const root = 'root@example.org'
      await server.addUser(root, { role: 'administrator' })
      const outcomes = ['failed: dns-not-found', 'skipped: address']
      for (const [n, who] of [ann, root].entries())
        await put(server, profileWith(`p${n}`, who, [sourceAt(a), sourceAt(b)]))
      for (const [n, outcome] of outcomes.entries()) await finish(server, [a, b][n]!, { outcome, status: 0 })
      const seenBy = async (who: string) => {
        const { items } = await listOf(server, '', who)
        const details = items.map(async ({ id }) => (await server.as(who).get(`/sources/${id}`)).json())
        return (await Promise.all(details)).map(({ host: _, id: __, uri: ___, ...rest }) =>
          JSON.stringify(rest)
            .replaceAll(/[ab]\.example/g, 'x')
            .replaceAll(/"(?:profile|document|why)":[^,]*,/g, ''),
        )
      }
      const [one, other] = await seenBy(ann)
      assert.equal(one, other)
      assert.match(one!, /"outcome":"failed: host-not-found"/)
      assert.match((await seenBy(root)).join(), /skipped: address.*dns-not-found/s)
    }))

  test('shows queued and running checks, and when and why the next check is due', () =>
    withServer(async (server) => {
      await put(server, profileWith('p', ann, [sourceAt(a, { process: 'track' })]))
      const watch = (await server.stores.watches.all())[0]!.id
      const { scheduler } = server.needs
      const rest = {
        level: 'silver',
        host: 'a.example',
        payers: [ann],
        urgency: 1,
        windows: null,
        paused: false,
      } as const
      scheduler.set({ id: watch, ...rest, everyMs: 600_000, everyMaxMs: 600_000 })
      const now = async () => (await listOf(server)).items[0]!
      const { id } = await now()
      assert.deepEqual((await server.as(ann).post(`/sources/${id}/check`)).json(), { result: 'asked' })
      assert.equal((await now()).state, 'queued')
      scheduler.take(1)
      assert.equal((await now()).state, 'checking')
      await finish(server, a, {})
      scheduler.done(watch, { changed: false, failed: false, at: Date.UTC(2026, 0, 1) })
      const item = (await server.as(ann).get(`/sources/${id}`)).json()
      assert.deepEqual([item.state, item.why], ['unchanged', 'checked every 10 minutes'])
      assert.match(item.nextCheckAt, /^2026-01-01T00:\d\d/)
      assert.deepEqual(item.checks, [
        { at: '2026-01-01T00:00:01.000Z', outcome: 'unchanged', status: 200, changed: 0, tookMs: 1000 },
      ])
      // It was paused and has been resumed, which the scheduler doesn't know yet.
      scheduler.set({ id: watch, ...rest, paused: true, everyMs: 600_000, everyMaxMs: 600_000 })
      assert.equal((await now()).why, 'just resumed')
    }))
})

describe('pausing, muting and removing sources', () => {
  test('works for one source, several, or all that match a query', () =>
    withServer(async (server) => {
      const client = server.as(ann)
      await put(
        server,
        profileWith('two', ann, [sourceAt(a), sourceAt(b)]),
        profileWith('one', ann, [sourceAt('http://c.example/')]),
        profileWith('hers', eve, [sourceAt(a)]),
      )
      const ids = (await listOf(server)).items.map(({ id }) => id)
      const paused = await client.patch(`/sources/${ids[0]}`, { paused: true })
      assert.deepEqual([paused.statusCode, paused.json().state, paused.json().paused], [200, 'paused', true])
      assert.deepEqual((await client.patch('/sources', { muted: true })).json().changed, 3)
      assert.deepEqual((await client.patch('/sources', { muted: true })).json().changed, 0)
      assert.deepEqual((await client.patch('/sources?state=paused', { paused: false })).json().ids, [ids[0]])
      assert.equal((await client.patch('/sources', {})).statusCode, 400)
      assert.equal((await client.patch(`/sources/${ids[0]}`, {})).statusCode, 400)
      assert.equal((await client.patch('/sources', { ids: ['x'], paused: true })).statusCode, 400)
      const { items } = await listOf(server)
      assert.ok(items.every((item) => item.muted && !item.paused))
      const ofB = items.find(({ uri }) => uri === b)!
      assert.equal((await client.delete(`/sources/${ofB.id}`)).statusCode, 204)
      assert.deepEqual(
        (await server.stores.profiles.find('two'))!.sources.map(({ uri }) => uri),
        [a],
      )
      assert.equal((await client.delete('/sources', { ids: items.map(({ id }) => id) })).json().changed, 2)
      assert.deepEqual(
        (await server.stores.profiles.list({ after: '', limit: 10 })).map(({ id }) => id),
        ['hers'],
      )
    }))

  test('resuming one source of a paused profile leaves the others paused', () =>
    withServer(async (server) => {
      await put(server, profileWith('two', ann, [sourceAt(a), sourceAt(b)], { paused: true }))
      const [first, second] = (await listOf(server)).items
      assert.match(first!.message, /The profile “two” is paused/)
      await server.as(ann).patch(`/sources/${first!.id}`, { paused: false })
      const after = (await listOf(server)).items
      assert.deepEqual(
        after.map(({ id, paused }) => [id, paused]),
        [
          [first!.id, false],
          [second!.id, true],
        ],
      )
    }))

  test('concurrent requests lose no change of a profile', () =>
    withServer(async (server) => {
      const user = server.as(ann)
      const uris = [0, 1, 2, 3, 4].map((n) => `http://a.example/${n}`)
      await put(
        server,
        profileWith(
          'p',
          ann,
          uris.map((uri) => sourceAt(uri)),
        ),
      )
      const { items } = await listOf(server)
      const [kept, ...removed] = items.toReversed()
      const answers = await Promise.all(removed.map(({ id }) => user.delete(`/sources/${id}`)))
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [204, 204, 204, 204],
      )
      assert.deepEqual(
        (await listOf(server)).items.map(({ uri }) => uri),
        [kept!.uri],
      )
      await user.post('/sources/import', { text: `${a}one\n${a}two`, into: 'default' })
      const two = (await listOf(server)).items[0]!
      await Promise.all([
        user.post('/sources/import', { text: `${a}three`, into: 'default' }),
        user.delete(`/sources/${two.id}`),
      ])
      const { sources } = (await user.get(`/profiles/${defaultProfileId(ann)}`)).json()
      assert.deepEqual(
        sources.map(({ uri }: { uri: string }) => uri),
        [`${a}one`, `${a}three`],
      )
    }))
})

describe('import and export', () => {
  test('URLs imported into "default" are added to one profile, which is created if missing', () =>
    withServer(async (server) => {
      const client = server.as(ann)
      const add = async (text: string) => (await client.post('/sources/import', { text, into: 'default' })).json()
      const first = await add(a)
      const second = await add(`${b}\n${a}`)
      const [profile] = first.profiles
      assert.equal(profile.name, 'My pages')
      assert.deepEqual(second, {
        added: 1,
        profiles: [profile],
        sources: [{ uri: b, profile: profile.id }],
        skipped: [{ line: 2, text: a, why: 'Already watched' }],
      })
      const stored = (await server.stores.profiles.find(profile.id))!
      assert.deepEqual(
        stored.sources.map(({ uri, process, depth }) => [uri, process, depth]),
        [
          [a, 'track', 0],
          [b, 'track', 0],
        ],
      )
      const renamed = (await client.get(`/profiles/${profile.id}`)).json() as Record<string, unknown>
      await client.put(`/profiles/${profile.id}`, { ...renamed, name: 'Mine' })
      const both = await Promise.all([add('http://c.example/'), add('http://d.example/')])
      for (const { profiles } of both) assert.deepEqual(profiles, [{ id: profile.id, name: 'Mine' }])
      assert.equal((await listOf(server)).items.length, 4, 'of two at once none is lost')
      await client.delete(`/profiles/${profile.id}`)
      assert.deepEqual((await add(a)).profiles, [profile], 'a removed one is made again')
      assert.equal((await add('words')).added, 0)
      assert.notEqual(defaultProfileId(ann), defaultProfileId('bob'))
    }))

  const why = (scheme: string): string =>
    `unknown protocol "${scheme}"; use http, https, file, ftp, gopher, imap, pop3, nntp, postgres, mysql, sqlite, or query+https`

  test('a list creates a profile for each new URL, and says why the others were skipped', () =>
    withServer(
      async (server) => {
        const client = server.as(ann)
        await put(server, profileWith('old', ann, [sourceAt(a)]))
        const text = `${a}#x\n# note\n${b}\n${b}\ntelnet://f.example/\nwords\nhttp://c.example/\nhttp://d.example/\n`
        const { added, profiles, skipped } = (await client.post('/sources/import', { text, every: '2h' })).json()
        assert.deepEqual([added, profiles.map(({ name }: { name: string }) => name)], [2, ['b.example', 'c.example']])
        assert.deepEqual(
          skipped.map(({ line, why }: { line: number; why: string }) => [line, why]),
          [
            [1, 'Already watched'],
            [4, 'Already watched'],
            [5, why('telnet')],
            [6, "That isn't a web address (http or https)"],
            [8, 'Limit of 3 sources reached'],
          ],
        )
        const [made] = (await server.stores.profiles.find(profiles[0].id))!.sources
        const { everyMs, depth, scope, process } = made!
        assert.deepEqual([everyMs, depth, scope.kind, process], [7_200_000, 0, 'page', 'track'])
        for (const wrong of [
          { text: 'x', every: 'often' },
          { text: '' },
          { text: '<rss/>', format: 'opml' },
          { format: 'list' },
        ])
          assert.equal((await client.post('/sources/import', wrong)).statusCode, 400)
      },
      { settings: { 'server.maxSources': 3 } },
    ))

  test('private addresses are skipped, or saved with a warning, naming the setting that allows them', () =>
    withServer(
      async (server) => {
        const text = 'http://127.0.0.1:8080/\nhttp://localhost/\nhttp://[::1]/\nhttp://10.1.2.3/\nhttp://e.example/\n'
        const { added, skipped } = (await server.as(ann).post('/sources/import', { text })).json()
        assert.equal(added, 2)
        assert.deepEqual(
          skipped.map(({ line }: { line: number }) => line),
          [1, 2, 3],
        )
        assert.match(
          skipped[0].why,
          /^127\.0\.0\.1 is in a private network \(.*loopback.*\).*network\.allow.*--allow-net$/,
        )
        const profile = { name: 'x', sources: [{ uri: 'http://192.168.1.1/' }, { uri: 'http://10.0.0.1/' }] }
        const saved = (await server.as(ann).post('/profiles', profile)).json()
        assert.deepEqual(
          saved.warnings.map((warning: string) => warning.split(' ')[0]),
          ['192.168.1.1'],
        )
        assert.equal((await server.as(ann).get(`/profiles/${saved.id}`)).json().warnings, undefined)
      },
      { settings: { 'network.allow': ['10.0.0.0/8'] } },
    ))

  test('a long list does not block the event loop', () =>
    withServer(async (server) => {
      let turns = 0
      let isDone = false
      const count = (): void => {
        turns++
        if (!isDone) setImmediate(count)
      }
      count()
      const text = Array.from({ length: 20_000 }, (_, n) => `telnet://h${n}.example/`).join('\n')
      const answer = await server.as(ann).post('/sources/import', { text })
      isDone = true
      assert.equal(answer.json().added, 0)
      assert.ok(turns > 100, String(turns))
    }))

  test('profile names never contain credentials from URLs', () =>
    withServer(async (server) => {
      const opml = `<opml><body>
        <outline text="https://eve:secret@named.example/" url="https://named.example/a"/>
        <outline text="eve:secret@bare.example/x" url="https://bare.example/"/>
        <outline url="https://eve:secret@none.example/feed"/></body></opml>`
      for (const text of [opml, 'https://eve:secret@list.example/page\nhttps://eve@list.example/other'])
        await server.as(ann).post('/sources/import', { text })
      const profiles = (await server.as(ann).get('/profiles')).json().items as { name: string }[]
      assert.ok(profiles.length >= 2)
      for (const { name } of profiles) assert.doesNotMatch(name, /eve|secret|@/)
    }))

  test('exported sources can be imported by another user', () =>
    withServer(async (server) => {
      await put(server, profileWith('p', ann, [sourceAt(a), sourceAt(b)], { name: 'A & B' }))
      const client = server.as(ann)
      const opml = await client.get('/sources/export')
      assert.match(String(opml.headers['content-type']), /^text\/x-opml/)
      assert.match(String(opml.headers['content-disposition']), /attachment; filename="sources\.opml"/)
      const list = await client.get('/sources/export?format=list')
      assert.equal(list.body, `${a}\n${b}\n`)
      const xml = await client.get('/sources/export?format=xml')
      const read = readProfilesXml(xml.body, server.parts.profileRules)
      assert.ok(read.kind === 'read' && read.items.length === 1)
      const imported = (await server.as(eve).post('/sources/import', { text: opml.body })).json()
      assert.deepEqual([imported.added, imported.skipped], [2, []])
      assert.deepEqual(
        (await listOf(server, '', eve)).items.map(({ uri }) => uri),
        [b, a],
      )
    }))
})
