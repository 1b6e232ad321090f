import { type ChangingPages, createChangingPages } from '../../site/handler-site.ts'
import { until } from '../../watch/up-run.ts'
import { createCallers, type Secret } from './callers.ts'
import { createFuzzChannels } from './channels.ts'
import { operationsOf, type World } from './operations.ts'

const SETUP_MS = 120_000
const BOB_PATH = '/bobs-path-e3b0'
const ANNS_PROFILE = 'anns-profile-9afb'
const BOBS_PROFILE = 'bobs-profile-98fc'
const BOBS_WORDS = 'bobs-keyword-1c14 bobs-text-c442'

const secrets: readonly Secret[] = [
  { owner: 'ann', text: ANNS_PROFILE },
  { owner: 'bob', text: BOBS_PROFILE },
  { owner: 'bob', text: BOB_PATH },
  ...BOBS_WORDS.split(' ').map((text): Secret => ({ owner: 'bob', text })),
]

type Annotation = { id: number; document: { id: number }; version: { id: number } }
type List<T> = { items: T[] }

/** The site, the accounts and their watches, set up through the API, as users do. */
export async function createWorld(url: string) {
  const site = await createSite()
  const callers = await createCallers(url)
  const { json } = callers
  const channels = await createFuzzChannels(json, site.origin)

  const annotationsOf = async (name: string) =>
    (await json<List<Annotation>>(name, 'GET', '/annotations?state=all&limit=100')).items
  const sessionsOf = async (name: string) =>
    (await json<List<{ id: number }>>(name, 'GET', '/sessions')).items.map(({ id }) => id)
  const sourcesOf = async (name: string) =>
    (await json<List<{ id: number }>>(name, 'GET', '/sources')).items.map(({ id }) => id)

  async function watch(owner: 'ann' | 'bob'): Promise<string> {
    const [name, key, path] =
      owner === 'ann' ? [ANNS_PROFILE, 'java', '/'] : [BOBS_PROFILE, BOBS_WORDS.split(' ')[0], BOB_PATH]
    const { id } = await json<{ id: string }>(owner, 'POST', '/profiles', {
      name,
      sources: [{ uri: `${site.origin}${path}`, every: '1h', depth: owner === 'ann' ? 1 : 0, scope: 'path' }],
      interests: { keywords: [{ key, weight: 2 }], threshold: 1 },
      ...(owner === 'ann' && { delivery: { channels: ['inbox', channels.refused] } }),
    })
    return id
  }

  const annotated = (anns: number, bobs: number) => () =>
    Promise.all([annotationsOf('ann'), annotationsOf('bob')]).then(
      ([ofAnn, ofBob]) => ofAnn.length >= anns && ofBob.length >= bobs,
    )
  const profiles = [await watch('ann'), await watch('bob'), 'nothing', '1']
  await until('the first annotations', annotated(3, 1), SETUP_MS)
  site.change()
  for (const name of ['ann', 'bob'])
    for (const id of await sourcesOf(name)) await json(name, 'POST', `/sources/${id}/check`)
  await until('the second annotations', annotated(4, 2), SETUP_MS)

  const annotations = [...(await annotationsOf('ann')), ...(await annotationsOf('bob'))]
  /** Ann's come first. */
  const ids: ReadonlyMap<string, (number | string)[]> = new Map<string, (number | string)[]>([
    ['profiles', profiles],
    ['sources', [...(await sourcesOf('ann')), ...(await sourcesOf('bob'))]],
    ['annotations', annotations.map(({ id }) => id)],
    ['documents', [...new Set(annotations.map(({ document }) => document.id))]],
    ['versions', [...new Set(annotations.map(({ version }) => version.id))]],
    ['users', [...callers.users, 5, 6, 7]],
    ['tokens', [1, 2, 3, 7, 8, 9]],
    ['sessions', [...(await sessionsOf('ann')), ...(await sessionsOf('bob'))]],
    ['channels', channels.ids],
    ['deliveries', [...(await channels.failed()), 'nothing']],
    ['crawl', [1, 2, 3]],
  ])

  const world: World = {
    operations: operationsOf(await json('root', 'GET', '/openapi.json')),
    urls: [
      ...['/', '/page-1', '/page-2', '/huge', '/gone'].map((path) => `${site.origin}${path}`),
      'http://nothing.invalid/',
      'http://127.0.0.1:9/',
    ],
    secretUrl: `${site.origin}${BOB_PATH}`,
    profiles,
    accounts: callers.users,
    idFor(path, random) {
      const known = ids.get(/\/v1\/(\w+)\/\{/.exec(path)?.[1] ?? '')
      if (known === undefined || random.below(5) === 0) return undefined
      return random.below(3) === 0 ? known[0] : random.pick(known)
    },
  }

  /** Bob's data, which no one else can change. */
  async function snapshot(): Promise<string> {
    const first = (await annotationsOf('bob')).filter(({ id }) => ids.get('annotations')!.includes(id))
    const bobs = { profiles: await json('bob', 'GET', '/profiles'), channels: await channels.snapshot() }
    return JSON.stringify({ ...bobs, annotations: first })
  }
  const before = await snapshot()

  return {
    world,
    restoreCallers: callers.restore,
    credentialsOf: callers.credentialsOf,
    secrets: (): Secret[] => [...secrets, ...channels.secrets, ...callers.secrets()],
    /** Undoes the effects of requests, so that the service's data stays the same for hours. Returns faults. */
    async tidy(): Promise<string[]> {
      await callers.tidy()
      for (const name of ['ann', 'root']) await json(name, 'DELETE', '/sources', {})
      await channels.restore()
      profiles[0] = await watch('ann')
      ids.get('sessions')![0] = (await sessionsOf('ann'))[0]!
      ids.get('sources')![0] = (await sourcesOf('ann'))[0]!
      await json('root', 'PATCH', '/crawl', { paused: false })
      const faults: string[] = []
      const readiness = await fetch(`${url}/readyz`)
      if (!readiness.ok) faults.push(`not ready: ${readiness.status} ${(await readiness.text()).slice(0, 300)}`)
      const after = await snapshot()
      if (after !== before) faults.push(`what bob has was changed: ${after} instead of ${before}`)
      return faults
    },
    close: site.close,
  }
}

async function createSite(): Promise<ChangingPages & { change(): void }> {
  const pages: ChangingPages['pages'] = {
    '/': { words: 'java research edition 1', links: ['/page-1', '/page-2', '/gone'] },
    '/page-1': { words: 'java one' },
    '/page-2': { words: `java two ${'and more words of it '.repeat(300)}` },
    '/huge': { words: 'java research '.repeat(100_000) },
    [BOB_PATH]: { words: `${BOBS_WORDS} edition 1` },
  }
  const site = await createChangingPages(pages)
  return {
    ...site,
    change() {
      for (const path of ['/', BOB_PATH]) pages[path]!.words = pages[path]!.words!.replace('edition 1', 'edition 2')
    },
  }
}
