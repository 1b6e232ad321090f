import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import type { Profile } from '../../core/profile.ts'
import { createOwnerBudgets, createWorkBudget } from '../../core/work/work-budget.ts'
import { createBuiltInScorers } from '../../matching/score/scorers.ts'
import { readDocument } from '../../matching/terms/document-terms.ts'
import type { UrdRow } from '../../store/contracts/profiles.ts'
import { createRecipients, type Recipient } from './recipients.ts'

const url = 'http://a.example/'
const document = readDocument({ url, title: '', text: 'java' })

function mirrored(profile: Profile) {
  const urd = { id: 1, profile: profile.id, place: 0, watch: 7, paused: false, muted: false } as UrdRow
  return { profile, urds: [urd] }
}

const good = (id: string): Profile => profileOf(id, 'ann@example.org', [sourceOf(url)], { java: 4 })

/** An invalid profile, as another release may have stored it. */
function strange(id: string): Profile {
  const profile = good(id)
  return { ...profile, interests: { ...profile.interests, keywords: null as never } }
}

const budgets = (steps = 1_000_000) => createOwnerBudgets(() => createWorkBudget(steps))

describe('recipients of a watch', () => {
  test('exclude and report sources with a too expensive scope, but keep others and their start pages', () => {
    const recipients = createRecipients(createBuiltInScorers().scorers, assert.fail)
    const scoped = (id: string, owner: string, pattern: string): Profile =>
      profileOf(id, owner, [sourceOf(url, { depth: 1, scope: { kind: 'pattern', source: pattern } })], { java: 4 })
    const evil = [1, 2, 3].map((n) => scoped(`evil ${n}`, 'eve@example.org', `.*a[ab]{45${n}}c`))
    const all = [...evil, scoped('good', 'ann@example.org', 'ab')]
    recipients.apply({ changed: all.map(mirrored), removed: [] })
    const page = { url: `${url}${'abb'.repeat(600)}`, hops: 1 }
    const { covering, tooExpensive } = recipients.covering(7, page, budgets(50_000))
    const names = (found: readonly Recipient[]) => found.map(({ profile }) => profile.id)
    assert.deepEqual([names(covering), names(tooExpensive)], [['good'], ['evil 1', 'evil 2', 'evil 3']])
    const aside = evil.map((profile) => {
      const { urds } = mirrored(profile)
      return { profile, urds: urds.map((urd): UrdRow => ({ ...urd, aside: 'scope', asideUrl: page.url })) }
    })
    recipients.apply({ changed: aside, removed: [] })
    assert.deepEqual(recipients.covering(7, page, budgets(50_000)).tooExpensive, [])
    assert.equal(recipients.covering(7, { url, hops: 0 }, budgets()).covering.length, 4)
  })

  test('report a profile that fails to compile, and match the others', () => {
    const problems: string[] = []
    const recipients = createRecipients(createBuiltInScorers().scorers, ({ id }, message) =>
      problems.push(`${id}: ${message}`),
    )
    recipients.apply({ changed: [good('a'), strange('bad'), good('b')].map(mirrored), removed: [] })
    assert.equal(problems.length, 1)
    assert.match(problems[0]!, /^bad: TypeError: /)
    const matched = (): string[] => {
      const ids = new Set(recipients.index.match(document).map(({ id }) => id))
      const { covering } = recipients.covering(7, { url, hops: 0 }, budgets())
      return covering
        .filter(({ slot, interests }) => ids.has(slot) && interests !== null)
        .map(({ profile }) => profile.id)
    }
    assert.deepEqual(matched(), ['a', 'b'])
    assert.equal(recipients.covering(7, { url, hops: 0 }, budgets()).covering.length, 3)
    // A repaired profile is matched again; one that becomes invalid is not.
    recipients.apply({ changed: [good('bad'), strange('a')].map(mirrored), removed: [] })
    assert.deepEqual(matched(), ['b', 'bad'])
    assert.match(problems[1]!, /^a: TypeError: /)
  })
})
