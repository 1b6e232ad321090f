import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TokenScope } from '../../../core/account.ts'
import type { NoiseState } from '../../../core/change/noise/learned-block.ts'
import { nothing } from '../../../store/conformance/annotations-suite.testkit.ts'
import { ada, createKeptArchive, eve, type KeptArchive, root } from './archive.testkit.ts'

const block = { where: 'w', text: '', marks: [], frame: null, path: 'Ferry', since: 1_000, muted: 4 }
const state: NoiseState = {
  n: 2,
  check: 2,
  blocks: [
    { ...block, id: 'flipping', seen: ['a', 'b', 'c'], why: 'flips', sample: 'Try our soup' },
    { ...block, id: 'counting', seen: [], why: 'counter', sample: '12 views', since: 2_000 },
    { ...block, id: 'calm', seen: [], why: '', sample: 'not muted' },
  ],
  decided: [],
}

describe('muted blocks of a document', () => {
  let kept: KeptArchive
  let at: string
  before(async () => {
    kept = await createKeptArchive({ '/ferry': { body: '<title>Ferry</title><p>Boats</p>' } })
    for (const owner of [ada, root]) await kept.annotate(owner, kept.url('/ferry'))
    const documentId = kept.idOf(kept.url('/ferry'))
    at = `/documents/${documentId}/muted`
    await kept.erace.stores.annotations.commit({ ...nothing, noise: { documentId, state } })
    await kept.erace.stores.annotations.commit({
      ...nothing,
      notices: [{ versionId: kept.versionOf(kept.url('/ferry'), 1), notice: 'noise' }],
    })
  })
  after(() => kept.close())

  const undone = async (owner: string): Promise<unknown[]> =>
    (await kept.erace.as(owner).get(at)).json().items.map((each: { undone: unknown }) => each.undone)

  test('are listed with a readable reason, for users who see the document', async () => {
    const { items } = (await kept.erace.as(ada).get(at)).json()
    const common = { path: 'Ferry', changes: 4, undone: null }
    assert.deepEqual(items, [
      {
        ...{ block: 'counting', reason: 'counter', why: 'a counter of views or users', text: '12 views' },
        ...{ since: new Date(2_000).toISOString(), ...common },
      },
      {
        ...{ block: 'flipping', reason: 'flips', why: 'flips between 3 texts', text: 'Try our soup' },
        ...{ since: new Date(1_000).toISOString(), ...common },
      },
    ])
    assert.equal((await kept.erace.as(eve).get(at)).statusCode, 404)
  })

  test('can be unmuted by users for themselves, and by administrators for everyone', async () => {
    const change = (owner: string, of: string, value: unknown) =>
      kept.erace.as(owner).patch(`${at}/${of}`, { undone: value })
    assert.equal((await change(ada, 'flipping', 'you')).json().undone, 'you')
    assert.deepEqual(await undone(ada), [null, 'you'])
    assert.deepEqual(await undone(root), [null, null])
    assert.equal((await change(ada, 'flipping', null)).json().undone, null)
    assert.equal((await change(ada, 'counting', 'everyone')).statusCode, 403)
    assert.equal((await change(root, 'counting', 'everyone')).json().undone, 'everyone')
    assert.deepEqual(await undone(ada), ['everyone', null])
    assert.equal((await change(ada, 'counting', null)).statusCode, 403)
    assert.equal((await change(root, 'counting', null)).json().undone, null)
    for (const [owner, of, status] of [
      [eve, 'flipping', 404],
      [ada, 'calm', 404],
      [ada, 'nothing', 404],
    ] as const)
      assert.equal((await change(owner, of, 'you')).statusCode, status)
    assert.equal((await change(ada, 'flipping', 'me')).statusCode, 400)
  })

  test('can be unmuted for everyone by a token of an administrator only if it has the scope admin', async () => {
    const change = (scopes: readonly TokenScope[]) =>
      kept.erace.asToken(root, scopes).patch(`${at}/counting`, { undone: 'everyone' })
    assert.equal((await change(['read', 'write'])).statusCode, 403)
    assert.deepEqual(await undone(ada), [null, null])
    assert.equal((await change(['admin'])).statusCode, 200)
    await kept.erace.as(root).patch(`${at}/counting`, { undone: null })
  })

  test('versions show whether they were noise', async () => {
    const { document } = (await kept.erace.as(ada).get(`/versions/${kept.versionOf(kept.url('/ferry'), 1)}`)).json()
    const { items } = (await kept.erace.as(ada).get(`/documents/${document}/versions`)).json()
    assert.deepEqual(
      items.map(({ notice }: { notice: unknown }) => notice),
      ['noise'],
    )
  })
})
