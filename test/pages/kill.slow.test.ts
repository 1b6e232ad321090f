import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, type StartService, signIn, startCluster, startService } from '../kit/service.ts'
import { type ChangingPages, createChangingPages } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'

const account = { email: 'ada@example.org', password: 'a long enough password' }
const ROUNDS = 4

/** One page from the API; retried when the server was killed in the meantime. */
type Ask = (path: string, options?: { method?: string; body?: unknown }) => Promise<Response>

function killed(what: string, start: StartService): void {
  describe(`${what}, killed while in use`, () => {
    let service: Service
    let news: ChangingPages
    let cookie: string
    const ask: Ask = (path, options = {}) => service.api(path, { ...options, cookie })

    before(async () => {
      news = await createChangingPages({ '/': { words: 'edition 0' } })
      service = await start({ ERACE_ADMIN_EMAIL: account.email, ERACE_ADMIN_PASSWORD: account.password })
      cookie = await signIn(service.api, account)
    })
    after(async () => {
      await service?.destroy()
      await news?.close()
    })

    test('acknowledged sign-ins, profiles and marks survive each kill, and nothing is reported twice', async () => {
      const acknowledged = { profiles: new Set<string>(), marked: new Map<number, string>() }
      const body = { name: 'News', sources: [{ uri: `${news.origin}/`, every: '300ms', process: 'track' }] }
      const created = await ask('/profiles', { method: 'POST', body })
      acknowledged.profiles.add(((await created.json()) as { id: string }).id)
      await until('the baseline', async () => (await itemsOf(ask)).length === 1)

      for (let round = 1; round <= ROUNDS; round++) {
        news.pages['/'] = { words: `edition ${round}, USD ${round}` }
        await until(`edition ${round}`, async () => (await itemsOf(ask)).length > round)
        const done = (): number => acknowledged.marked.size + acknowledged.profiles.size
        const before = done()
        const use = useIt(ask, acknowledged, round)
        // Kill it in the middle of its use, a little later each time.
        await until('some use', () => done() >= before + round)
        await service.killAndStart()
        await use

        assert.equal((await ask('/session')).status, 200, 'the session is there')
        const profiles = (await (await ask('/profiles?limit=200')).json()) as { items: { id: string }[] }
        const there = new Set(profiles.items.map(({ id }) => id))
        for (const id of acknowledged.profiles) assert.ok(there.has(id), `profile ${id} is there`)
        for (const [id, mark] of acknowledged.marked) {
          const item = (await (await ask(`/annotations/${id}`)).json()) as Record<string, unknown>
          assert.equal(item[mark], true, `annotation ${id} is ${mark}`)
        }
      }
      const versions = (await itemsOf(ask)).map(({ version }) => version)
      assert.equal(new Set(versions).size, versions.length, 'each version is reported once')
      assert.equal(await service.stop(), 0)
    })
  })
}

killed('the service', startService)
killed('serve and two workers', startCluster)

type Item = { id: number; version: number; profile: { name: string } }

async function itemsOf(ask: Ask): Promise<Item[]> {
  const list = async (state: string): Promise<Item[]> =>
    ((await (await ask(`/annotations?state=${state}&limit=200`)).json()) as { items: Item[] }).items
  return [...(await list('all')), ...(await list('archived'))].filter(({ profile }) => profile.name === 'News')
}

/** Creates profiles and marks until the server is gone; only acknowledged ones are recorded. */
async function useIt(
  ask: Ask,
  acknowledged: { profiles: Set<string>; marked: Map<number, string> },
  round: number,
): Promise<void> {
  const items = await itemsOf(ask)
  try {
    for (const [at, { id }] of items.entries()) {
      const mark = ['read', 'starred', 'archived'][at % 3]!
      const marked = await ask(`/annotations/${id}`, { method: 'PATCH', body: { [mark]: true } })
      if (marked.ok) acknowledged.marked.set(id, mark)
      const body = { name: `Extra ${round}.${at}`, sources: [{ uri: 'http://127.0.0.1:9/', every: '1d' }] }
      const made = await ask('/profiles', { method: 'POST', body })
      if (made.status === 201) acknowledged.profiles.add(((await made.json()) as { id: string }).id)
    }
  } catch (error) {
    // The connection died with the process: nothing was acknowledged.
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error
  }
}
