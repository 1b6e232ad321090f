import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { listChanges } from '../../archive/diff/change-list.ts'
import { learn, noNoise } from '../../core/change/noise/learning.ts'
import type { Source } from '../../core/profile.ts'
import { readBlocks } from '../../core/text/blocks.ts'
import { compileInterests } from '../../matching/interests/compile-interests.ts'
import { versionOf } from '../../store/conformance/samples.testkit.ts'
import type { KeptNoise } from '../../store/contracts/versions.ts'
import { createVersionMatch } from './version-match.ts'

const contentType = 'text/html; charset=utf-8'
const page = (quokkas: number, notice = 'All paths are open to visitors.', file = 'a') =>
  `<h1>Wood</h1><p>${notice}</p><p><a href="/${file}.pdf">Plan</a></p><footer>Juniper ${quokkas} quokkas</footer>`
const contentOf = (body: string) => ({
  body: Buffer.from(body),
  contentType,
  omit: null,
  answer: { url: 'http://a.example/', status: 200, header: '' },
})

/** The noise learned from a document whose number changes with each version. */
function learned(versions: number): KeptNoise['state'] {
  let state = noNoise
  for (let n = 2; n <= versions; n++) {
    const [old, next] = [n - 1, n].map((each) => readBlocks(Buffer.from(page(each)), { contentType })!)
    const { changes } = listChanges(old!, next!)
    state = learn(state, { n, at: n, wasStable: false, changes, undone: new Set() })
  }
  return state
}

describe('past version matched against a draft', () => {
  const state = learned(6)
  const [muted] = state.blocks.filter(({ why }) => why !== '')
  type Asked = { n?: number; undone?: KeptNoise['undone']; parts?: Partial<Source>; keywords?: Record<string, number> }
  function found(before: string, after: string, { n = 3, undone = [], parts = {}, keywords }: Asked = {}): string {
    const source = sourceOf('http://a.example/', { process: keywords === undefined ? 'track' : 'filter', ...parts })
    const { interests } = profileOf('p', 'ann', [source], keywords ?? {})
    const judged = { compiled: compileInterests(interests), owner: 'ann', learn() {} }
    const version = versionOf(n, { n, reason: 'changed' })
    const read = {
      version,
      content: contentOf(after),
      before: contentOf(before),
      previous: versionOf(n - 1, { n: n - 1 }),
    }
    return createVersionMatch({ interests }, judged)({ ...read, noise: { state, undone } }, [source]).kind
  }

  test('does not match if only muted text changed, and matches if anything else did', () => {
    assert.equal(muted?.why, 'numbers')
    for (const n of [2, 3, 6]) assert.equal(found(page(n - 1), page(n), { n }), 'none', `version ${n}`)
    assert.equal(found(page(2), page(3, 'The northern path is closed.')), 'match')
    assert.equal(found(page(2), page(2, 'Some paths are open to visitors.')), 'match', 'what was never muted')
  })

  test('matches muted text for an owner who unmuted it, and for terms of the profile', () => {
    assert.equal(found(page(2), page(3), { undone: [{ block: muted!.id, owner: 'ann', at: 1 }] }), 'match')
    assert.equal(found(page(2), page(3), { undone: [{ block: muted!.id, owner: 'bob', at: 1 }] }), 'none')
    assert.equal(found(page(2), page(3), { keywords: { quokkas: 1 } }), 'match')
    assert.equal(found(page(2), page(3), { keywords: { wombats: 1 } }), 'none')
  })

  test('matches a changed link only if links are watched', () => {
    assert.equal(found(page(2), page(2, undefined, 'b')), 'match')
    assert.equal(found(page(2), page(2, undefined, 'b'), { parts: { aspects: ['text'] } }), 'none')
  })
})
