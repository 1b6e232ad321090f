import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { profileOf, sourceOf } from '../../../../test/watch/up-run.ts'
import { paths } from '../../../store/sqlite/folder/folder.ts'
import { UrlExplanation } from '../../schemas/activity.ts'
import { Diff, Document, DocumentList, LinkList, SearchResult, Version, VersionList } from '../../schemas/documents.ts'
import { Preview } from '../../schemas/profiles.ts'
import { ada, createKeptArchive, eve, type KeptArchive, root } from './archive.testkit.ts'

const secret = 'Confidential figures of the second host'

/** Asserts that a response matches its schema. */
function assertIs(schema: TSchema, answer: unknown): void {
  const [error] = Value.Errors(schema, answer)
  assert.equal(error, undefined, JSON.stringify(error))
}

describe('documents over HTTP', () => {
  let kept: KeptArchive
  let own = 0
  let others = 0
  const as = (email: string) => kept.erace.as(email)

  before(async () => {
    kept = await createKeptArchive(
      {
        '/solar': { body: '<title>Solar power</title><p>The solar panels of Nicosia, in the sun</p>' },
        '/plain': { body: 'wind\nand solar', headers: { 'content-type': 'text/plain' } },
      },
      { '/secret': { body: `<title>Secret</title><p>${secret} solar</p><a href="/">back</a>` } },
    )
    own = kept.idOf(kept.url('/'))
    others = kept.idOf(kept.url('/secret', 1))
  })
  after(() => kept.close())

  test('a document is found by its id and by any spelling of its URL', async () => {
    const byId = await as(ada).get(`/documents/${own}`)
    assert.equal(byId.statusCode, 200, byId.body)
    assertIs(Document, byId.json())
    assert.equal(byId.json().current.n, 2)
    assert.equal(byId.json().title, 'Start 2')
    for (const url of [kept.url('/'), kept.url('/#part'), kept.url('').replace('http://', '')]) {
      const { items, next } = (await as(ada).get(`/documents?url=${encodeURIComponent(url)}`)).json()
      assert.deepEqual([items[0]?.id, next], [own, null], url)
    }
    const none = (await as(ada).get('/documents?url=http%3A%2F%2Fnothing.example%2F')).json()
    assert.deepEqual(none, { items: [], next: null })
  })

  test('documents that the caller has annotations of are listed, the last annotated first', async () => {
    for (const path of ['/', '/solar', '/plain']) await kept.annotate(ada, kept.url(path))
    const first = (await as(ada).get('/documents?limit=2')).json()
    assertIs(DocumentList, first)
    assert.deepEqual(
      first.items.map(({ url }: { url: string }) => url),
      [kept.url('/plain'), kept.url('/solar')],
    )
    const second = (await as(ada).get(`/documents?limit=2&cursor=${first.next}`)).json()
    assert.deepEqual([second.items[0].url, second.next], [kept.url('/'), null])
    assert.deepEqual((await as(eve).get('/documents')).json().items, [])
  })

  test('versions are listed page by page, newest first', async () => {
    const first = (await as(ada).get(`/documents/${own}/versions?limit=1`)).json()
    assertIs(VersionList, first)
    assert.equal(first.items[0].n, 2)
    const second = (await as(ada).get(`/documents/${own}/versions?limit=1&cursor=${first.next}`)).json()
    assert.deepEqual([second.items[0].n, second.next], [1, null])
    const version = (await as(ada).get(`/versions/${second.items[0].id}`)).json()
    assertIs(Version, version)
    assert.deepEqual(version, second.items[0])
  })

  test('a diff shows changes by lines, by words and as a patch', async () => {
    const lines = (await as(ada).get(`/documents/${own}/diff`)).json()
    assertIs(Diff, lines)
    assert.deepEqual([lines.from.n, lines.to.n, lines.compared, lines.equal], [1, 2, 'text', false])
    const words = (await as(ada).get(`/documents/${own}/diff?from=2&to=1&form=words&context=0`)).json()
    assert.deepEqual([words.from.n, words.to.n, words.form], [2, 1, 'words'])
    const before = (await as(ada).get(`/documents/${own}/diff?to=2`)).json()
    assert.deepEqual([before.from.n, before.to.n], [1, 2])
    const patch = await as(ada).get(`/documents/${own}/diff?format=patch`)
    assert.match(String(patch.headers['content-type']), /^text\/x-diff/)
    assert.match(String(patch.headers['content-disposition']), /^attachment; filename="127\.0\.0\.1_\d+ 1-2\.diff"$/)
    assert.match(patch.body, /^--- http.*@1\t.*\n\+\+\+ http.*@2\t.*\n@@ -1,?\d* \+1,?\d* @@\n/)
    assert.match(patch.body, /^-.*Start 1$/m)
    assert.match(patch.body, /^\+.*Start 2$/m)
    assert.equal((await as(ada).get(`/documents/${own}/diff?from=7`)).statusCode, 404)
  })

  test('a diff as a sandboxed page is the later version with the changes marked', async () => {
    const page = await as(ada).get(`/documents/${own}/diff?format=page`)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(
      String(page.headers['content-security-policy']),
      /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
    )
    assert.match(
      page.body,
      /^<title>Start 2<\/title><p>Edition <style>[^<]+<\/style><del [^>]+>1<\/del> <ins [^>]+>2<\/ins> of/,
    )
    const back = (await as(ada).get(`/documents/${own}/diff?from=2&to=1&format=page`)).body
    assert.match(back, /<del [^>]+>2<\/del> <ins [^>]+>1<\/ins> of solar news/)
    const plain = (await as(ada).get(`/documents/${kept.idOf(kept.url('/plain'))}/diff?from=1&to=1&format=page`)).body
    assert.match(
      plain,
      /^<!DOCTYPE html>[\s\S]+The visible text is the same/,
      'what is no page is compared by its text',
    )
  })

  test('a diff omits text that covering profiles of the caller ignore, unless asked to show it', async () => {
    const source = sourceOf(kept.url('/'), { depth: 2 })
    const elsewhere = sourceOf(kept.url('/', 1), { depth: 2 })
    await kept.put(
      profileOf('ada-news', ada, [source], { solar: 1 }, { ignore: ['Start \\d+', 'none'] }),
      profileOf('ada-other', ada, [source], {}, { ignore: ['none', 'Edition \\d+ of'] }),
      profileOf('ada-elsewhere', ada, [elsewhere], {}, { ignore: ['news'] }),
      profileOf('eve-all', eve, [source], {}, { ignore: ['solar'] }),
    )
    const ask = async (query: string) => (await as(ada).get(`/documents/${own}/diff${query}`)).json()
    const answer = await ask('')
    assertIs(Diff, answer)
    assert.deepEqual([answer.ignoring, answer.equal, answer.hunks], [3, true, []])
    assert.deepEqual(answer.profiles, [
      { id: 'ada-news', name: 'ada-news' },
      { id: 'ada-other', name: 'ada-other' },
    ])
    const shown = await ask('?ignored=show')
    assert.deepEqual([shown.ignoring, shown.equal, shown.words.added], [0, false, 2])
    const raw = await ask('?raw=true')
    assert.deepEqual([raw.ignoring, raw.equal, raw.compared], [0, false, 'source'])
    assert.equal((await as(ada).get(`/documents/${own}/diff?ignored=perhaps`)).statusCode, 400)
    assert.doesNotMatch((await as(ada).get(`/documents/${own}/diff?format=page`)).body, /<ins|<del/)
    const patch = (await as(ada).get(`/documents/${own}/diff?format=patch`)).body
    assert.doesNotMatch(patch, /^@@/m)
    await kept.put(profileOf('ada-news', ada, [source], { solar: 1 }, { ignore: ['Start \\d+'] }))
    await kept.erace.stores.profiles.remove(['ada-other', 'ada-elsewhere', 'eve-all'])
    const part = await ask('?form=words&context=0')
    assert.deepEqual([part.ignoring, part.words], [1, { added: 1, removed: 1 }])
    await kept.put(profileOf('ada-news', ada, [source], { solar: 1 }))
  })

  test('metadata is XML, and links come with the ids of archived documents', async () => {
    const meta = await as(ada).get(`/documents/${own}/meta`)
    assert.match(String(meta.headers['content-type']), /^application\/xml/)
    assert.match(meta.body, /<webrace:/)
    const links = (await as(ada).get(`/documents/${own}/links?limit=1`)).json()
    assertIs(LinkList, links)
    assert.deepEqual(links.items, [{ url: kept.url('/solar'), document: kept.idOf(kept.url('/solar')) }])
    const second = (await as(ada).get(`/documents/${own}/links?limit=5&cursor=${links.next}`)).json()
    assert.deepEqual([second.items.length, second.next], [1, null])
    const version = kept.versionOf(kept.url('/solar'), 1)
    assert.equal((await as(ada).get(`/documents/${own}/links?version=${version}`)).statusCode, 404)
  })

  test('a search finds documents visible to the caller, with highlights and facets', async () => {
    const found = (await as(ada).get('/search?q=solar')).json()
    assertIs(SearchResult, found)
    const urls = found.items.map(({ url }: { url: string }) => url).toSorted()
    assert.deepEqual(urls, [kept.url('/'), kept.url('/plain'), kept.url('/solar')].toSorted())
    const { text, marks } = found.items.find(({ title }: { title: string }) => title === 'Solar power').snippet
    assert.equal(text.slice(...marks[0]).toLowerCase(), 'solar')
    assert.deepEqual(found.facets.sources, [{ host: kept.url('').replace('http://', ''), count: 3 }])
    assert.equal(found.facets.times[0].count, 3)
    const tag = String((await as(ada).get('/search?q=solar')).headers.etag)
    const again = await as(ada).get('/search?q=solar', { headers: { 'if-none-match': tag } })
    assert.equal(again.statusCode, 304)
    const page = (await as(ada).get('/search?q=solar&limit=2')).json()
    const rest = (await as(ada).get(`/search?q=solar&limit=2&cursor=${page.next}`)).json()
    assert.deepEqual([...page.items, ...rest.items], found.items)
    assert.equal(rest.next, null)
    const wrong = await as(ada).get('/search?q=before%3Ayesterday')
    assert.deepEqual([wrong.statusCode, wrong.json().error.code], [400, 'request-invalid'])
  })

  test('a search works while another process writes to the index', async () => {
    const before = (await as(ada).get('/search?q=solar')).json()
    const writer = new DatabaseSync(paths.search(kept.folder))
    try {
      writer.exec(`UPDATE facts SET value = value - 1 WHERE name = 'watermark'; BEGIN IMMEDIATE`)
      const found = await as(ada).get('/search?q=solar')
      assert.equal(found.statusCode, 200, found.body)
      assert.deepEqual(found.json().items, before.items)
    } finally {
      writer.close()
    }
  })

  test('a preview tests a draft on documents its sources cover, or else on all visible ones', async () => {
    const interests = {
      keywords: [
        { key: 'solar', weight: 3 },
        { key: 'panels', weight: 2 },
      ],
      threshold: 4,
    }
    const source = { uri: kept.url('/'), depth: 2, scope: 'host' }
    const covered = (await as(ada).post('/profiles/preview', { sources: [source], interests })).json()
    assertIs(Preview, covered)
    // Three pages, one of which has changed since it was new.
    assert.deepEqual([covered.documents, covered.matched, covered.covered, covered.end], [4, 1, true, 'all'])
    assert.equal(covered.examples[0].document, kept.idOf(kept.url('/solar')))
    assert.equal(covered.nearMisses.length, 3)
    for (const sources of [undefined, [], [{ uri: 'http://not.yet.example/' }]]) {
      const all = (await as(ada).post('/profiles/preview', { ...(sources ? { sources } : {}), interests })).json()
      assert.deepEqual([all.documents, all.matched, all.covered], [4, 1, false])
    }
    const elsewhere = { uri: kept.url('/secret', 1), depth: 2 }
    const stranger = (await as(eve).post('/profiles/preview', { sources: [elsewhere], interests })).json()
    assert.deepEqual([stranger.documents, stranger.examples, stranger.nearMisses], [0, [], []])
    const invalid = await as(ada).post('/profiles/preview', { interests: { threshold: 'high', keyword: [] } })
    assert.equal(invalid.statusCode, 400)
    assert.ok(invalid.json().error.details.length >= 2)
  })

  test('a document that a user may not see is 404 on every route', async () => {
    const version = kept.versionOf(kept.url('/secret', 1), 1)
    const url = encodeURIComponent(kept.url('/secret', 1))
    for (const email of [ada, eve, root])
      for (const path of [
        `/documents/${others}`,
        `/documents/${others}/versions`,
        `/documents/${others}/diff`,
        `/documents/${others}/diff?format=patch`,
        `/documents/${others}/diff?format=page`,
        `/documents/${others}/meta`,
        `/documents/${others}/links`,
        `/documents/${own}/links?version=${version}`,
        `/versions/${version}`,
        `/versions/${version}/content`,
        `/versions/${version}/content?download=1`,
        `/versions/${version}/text`,
        `/versions/${version}/markdown`,
      ]) {
        const answer = await as(email).get(path)
        assert.equal(answer.statusCode, 404, `${email} ${path}`)
        assert.doesNotMatch(answer.body, /secret|127\.0\.0\.2|Confidential/)
        const absent = await as(email).get(path.replaceAll(/\d+/g, '999999'))
        assert.equal(answer.json().error.code, absent.json().error.code)
      }
    for (const email of [ada, eve, root]) {
      assert.deepEqual((await as(email).get(`/documents?url=${url}`)).json().items, [])
      const found = (await as(email).get('/search?q=confidential')).json()
      assert.deepEqual([found.items, found.facets.sources], [[], []])
    }
    for (const path of [`/documents/${own}`, `/versions/${kept.versionOf(kept.url('/'), 1)}/content`])
      assert.equal((await as(eve).get(path)).statusCode, 404)
    assert.deepEqual((await as(eve).get('/search?q=solar')).json().items, [])
  })

  test('an annotation makes its document visible, and no other document of that host', async () => {
    await kept.annotate(eve, kept.url('/solar'))
    assert.equal((await as(eve).get(`/documents/${kept.idOf(kept.url('/solar'))}`)).statusCode, 200)
    assert.equal((await as(eve).get(`/documents/${own}`)).statusCode, 404)
    assert.equal((await as(eve).get('/search?q=solar')).json().items.length, 1)
    const meta = await as(eve).get(`/documents/${kept.idOf(kept.url('/solar'))}/meta`)
    assert.doesNotMatch(meta.body, new RegExp(`>${kept.url('/')}<`))
  })

  test('a source makes its documents visible from its first visit until its profile is removed', async () => {
    const profile = profileOf('eve-other', eve, [sourceOf(kept.url('/', 1), { depth: 1 })], {})
    await kept.put(profile)
    assert.equal((await as(eve).get(`/documents/${others}`)).statusCode, 404)
    await kept.visit('eve-other')
    await kept.put(profile)
    assert.equal((await as(eve).get(`/documents/${others}`)).statusCode, 200)
    await kept.erace.stores.profiles.remove(['eve-other'])
    assert.equal((await as(eve).get(`/documents/${others}`)).statusCode, 404)
  })

  test('a URL is explained without revealing documents of others', async () => {
    const explain = async (email: string, url: string) => {
      const answer = await as(email).get(`/explain?url=${encodeURIComponent(url)}`)
      assert.equal(answer.statusCode, 200, answer.body)
      assertIs(UrlExplanation, answer.json())
      return answer.json()
    }
    const fetched = await explain(ada, kept.url('/#x'))
    assert.deepEqual([fetched.verdict, fetched.document, fetched.url], ['fetched', own, kept.url('/')])
    assert.match(fetched.steps[1].text, /in the profile "ada-news" \(scope host, depth 2\)/)
    const unknown = await explain(ada, kept.url('/not-linked'))
    assert.equal(unknown.verdict, 'unknown')
    assert.equal((await explain(ada, kept.url('/picture.png'))).verdict, 'refused')
    assert.equal((await explain(ada, 'ftp://a.example/')).verdict, 'refused')
    assert.equal((await explain(ada, 'no URL at all')).verdict, 'refused')
    const hidden = await explain(ada, kept.url('/secret', 1))
    const absent = await explain(ada, kept.url('/absent', 1))
    assert.deepEqual([hidden.verdict, hidden.document], ['not-covered', null])
    assert.deepEqual(
      hidden.steps.map(({ ok }: { ok: boolean }) => ok),
      absent.steps.map(({ ok }: { ok: boolean }) => ok),
    )
    const seen = await explain(root, kept.url('/secret', 1))
    assert.deepEqual([seen.verdict, seen.document], ['fetched', others])
    const refused = await explain(root, 'http://10.1.2.3/')
    assert.deepEqual([refused.verdict, refused.steps.at(-1).name], ['refused', 'address'])
    const token = kept.erace.asToken(root, ['read'])
    const asToken = (await token.get(`/explain?url=${encodeURIComponent(kept.url('/secret', 1))}`)).json()
    assert.equal(asToken.verdict, 'not-covered')
  })

  test('invalid ids, cursors, queries and bodies are refused with an error code', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    for (const path of [
      '/documents/x',
      '/documents/0',
      '/documents/1e99',
      '/documents?cursor=!!',
      `/documents/${own}/versions?cursor=${Buffer.from('-1').toString('base64url')}`,
      `/documents/${own}/links?cursor=${Buffer.from('"a"').toString('base64url')}`,
      `/documents/${own}/diff?from=0`,
      `/documents/${own}/diff?context=99999999`,
      `/documents/${own}/diff?form=letters`,
      '/search',
      '/search?q=',
      `/search?q=${'a'.repeat(1001)}`,
      `/search?q=${encodeURIComponent('(')}`,
      '/explain',
      '/explain?url=',
    ]) {
      const answer = await as(ada).get(path)
      assert.ok(answer.statusCode >= 400 && answer.statusCode < 500, `${path}: ${answer.statusCode} ${answer.body}`)
      assert.ok(answer.json().error.code)
    }
    const json = { headers: { 'content-type': 'application/json' } }
    for (const body of [
      '{',
      'null',
      '[]',
      deep,
      `{"sources":${deep}}`,
      `{"interests":{"exclude":${deep}}}`,
      '{"x":1}',
    ]) {
      const answer = await as(ada).post('/profiles/preview', body, json)
      assert.ok(answer.statusCode >= 400 && answer.statusCode < 500, `${body.slice(0, 40)}: ${answer.statusCode}`)
    }
    const long = await as(ada).get(`/explain?url=${encodeURIComponent(`http://a.example/${'a/'.repeat(5000)}`)}`)
    assert.equal(long.json().verdict, 'refused')
    assert.equal((await kept.erace.nobody().get(`/documents/${own}`)).statusCode, 401)
  })
})
