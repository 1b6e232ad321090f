import { runCrawl } from '../../../../test/site/crawl-run.ts'
import { createSite, type Site } from '../../../../test/site/site.ts'
import { profileOf, sourceOf } from '../../../../test/watch/up-run.ts'
import type { configOf } from '../../../config/load-config.ts'
import type { Profile } from '../../../core/profile.ts'
import { createProfileKeys } from '../../../services/profiles/keyed-profile.ts'
import { draftOf, nothing } from '../../../store/conformance/annotations-suite.testkit.ts'
import { createTestServer, type TestServer, type TestServerOptions } from '../../server.testkit.ts'

export const ada = 'ada@example.org'
export const eve = 'eve@example.org'
export const root = 'root@example.org'

/** Two hosts, crawled twice. Ada's source is the whole first host; Eve, and Root, the administrator, have no sources. */
export type KeptArchive = {
  site: Site
  erace: TestServer
  folder: string
  /** URL of a path on the first host, or on the second. */
  url(path: string, host?: number): string
  idOf(url: string): number
  versionOf(url: string, n: number): number
  put(...profiles: Profile[]): Promise<void>
  /** Records the first check of all sources of a profile, as having reached all pages of their hosts. */
  visit(profile: string): Promise<void>
  /** Gives a user an annotation of a document. */
  annotate(owner: string, url: string): Promise<void>
  close(): Promise<void>
}

type Answers = Record<string, Parameters<Site['set']>[1]>

export type KeptOptions = {
  robots?: string
  /** Options of the crawl command. */
  options?: string[]
  /** Settings of the server. */
  settings?: Parameters<typeof configOf>[0]
  archiveLimits?: TestServerOptions['archiveLimits']
  /** Administrators see everything. */
  forAll?: boolean
  /** Further changes before the second crawl. */
  change?(site: Site): void
}

export async function createKeptArchive(
  first: Answers,
  second: Answers = {},
  { robots, options = [], settings = {}, archiveLimits = {}, change, forAll = false }: KeptOptions = {},
): Promise<KeptArchive> {
  const addresses = ['127.0.0.1', '127.0.0.2']
  const site = await createSite({ pages: 0, addresses, ...(robots === undefined ? {} : { robots }) })
  const links = (paths: string[]) => paths.map((path) => `<a href="${path}">·</a>`).join('')
  const body = (edition: number) =>
    `<title>Start ${edition}</title><p>Edition ${edition} of solar news</p>${links(Object.keys(first))}`
  for (const [path, answer] of Object.entries(first)) site.set(path, answer, 0)
  for (const [path, answer] of Object.entries(second)) site.set(path, answer, 1)
  site.set('/', { body: body(1) }, 0)
  site.set('/', { body: `<title>Other</title><p>wind news</p>${links(Object.keys(second))}` }, 1)
  const seeds = [`${site.origin(0)}/`, `${site.origin(1)}/`]
  const { data: folder } = await runCrawl(seeds, { options })
  site.set('/', { body: body(2) }, 0)
  change?.(site)
  await runCrawl(seeds, { data: folder, options })
  const allowed = { 'network.allow': ['127.0.0.0/8'], ...settings }
  const erace = await createTestServer({ folder, settings: allowed, archiveLimits })
  const { profiles, watches, annotations } = erace.stores
  // As if watches had fetched them, because administrators see everything that was crawled.
  if (!forAll) erace.db.exec('UPDATE documents SET for_all = 0')
  await erace.addUser(ada)
  await erace.addUser(eve)
  await erace.addUser(root, { role: 'administrator' })
  const keyed = createProfileKeys({})
  const number = (sql: string, ...values: (string | number)[]): number =>
    (erace.db.prepare(sql).get(...values) as { id: number }).id

  /** As if a check of the watch had reached all pages of its host. */
  function reach(watch: number, uri: string): void {
    erace.db
      .prepare(
        `INSERT OR IGNORE INTO reached (document, watch, hops)
         SELECT id, ?, iif(url = ?, 0, 1) FROM documents WHERE url LIKE ? || '/%'`,
      )
      .run(watch, uri, new URL(uri).origin)
  }

  const kept: KeptArchive = {
    site,
    erace,
    folder,
    url: (path, host = 0) => `${site.origin(host)}${path}`,
    idOf: (url) => number('SELECT id FROM documents WHERE url = ?', url),
    versionOf: (url, n) => number('SELECT id FROM versions WHERE document = ? AND n = ?', kept.idOf(url), n),
    put: async (...given) => void (await profiles.put(given.map(keyed))),
    async visit(profile) {
      const at = { checkedAt: 1, outcome: 'stored', status: 200, changes: 0, landed: null }
      const urds = await profiles.urdsOf(profile)
      await watches.finish(urds.map(({ id, watch }) => ({ ...at, watch, visited: [id] })))
      for (const { uri, id } of await watches.find(urds.map(({ watch }) => watch))) reach(id, uri)
    },
    async annotate(owner, url) {
      const documentId = kept.idOf(url)
      const versionId = number('SELECT version AS id FROM documents WHERE id = ?', documentId)
      await annotations.commit({ ...nothing, annotations: [draftOf(documentId, versionId, { owner })] })
    },
    async close() {
      await erace.close()
      await site.close()
    },
  }
  await kept.put(profileOf('ada-news', ada, [sourceOf(kept.url('/'), { depth: 2 })], { solar: 1 }))
  await kept.visit('ada-news')
  return kept
}
