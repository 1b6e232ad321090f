import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultAccountSettings } from '../../core/account.ts'
import { deliveryDefaults, type ProfileDelivery } from '../../core/profile.ts'
import type { DueEntry } from '../../store/contracts/deliveries.ts'
import { type Choice, type ChoiceInput, chooseMessage } from './choice.ts'
import { policyOf } from './policies.ts'

const HOUR_MS = 3_600_000
const now = Date.UTC(2026, 5, 1, 12)

/** A recent entry, due at once. */
const entry = (annotation: number, parts: Partial<DueEntry> = {}): DueEntry => ({
  ...{ annotation, profile: 'p', documentId: annotation, dueAt: now - 100, createdAt: now - 100 },
  ...{ urgency: 1, relevance: 1, cluster: 0, isRead: false },
  ...parts,
})
const entries = (count: number, parts: Partial<DueEntry> = {}): DueEntry[] =>
  Array.from({ length: count }, (_, n) => entry(n + 1, parts))

/** Parts of an entry that had to wait. */
const waited: Partial<DueEntry> = { createdAt: now - 5 * HOUR_MS, dueAt: now - 100 }

const policy = (delivery: Partial<ProfileDelivery> = {}) =>
  policyOf(
    { name: 'P', amount: 'change', delivery: { ...deliveryDefaults, channels: ['inbox', 'c'], ...delivery } },
    { settings: defaultAccountSettings },
  )

function choose(list: readonly DueEntry[], parts: Partial<ChoiceInput> = {}): Choice {
  return chooseMessage({
    ...{ channel: 'c', entries: list, digest: { maxItems: 10, rest: 'count' }, sent: [], afterFailure: false, now },
    policyOf: new Map(['p', 'q', 'r'].map((id) => [id, policy()])),
    ...parts,
  })
}

/** All consecutive messages, and what is left. */
function messages(list: readonly DueEntry[], parts: Partial<ChoiceInput> = {}) {
  const told: number[][] = []
  let rest = list
  for (;;) {
    const { message, drop, postpone } = choose(rest, parts)
    if (message === null) return { told, drop, postpone }
    told.push(message.annotations)
    rest = rest.filter(({ annotation }) => !message.annotations.includes(annotation))
  }
}

describe('next message of a channel', () => {
  test('is a single change, oldest first, if only a few are due', () => {
    assert.deepEqual(choose(entries(5)).message, { kind: 'single', annotations: [1], profiles: ['p'], leftOut: 0 })
    assert.deepEqual(messages(entries(5)).told, [[1], [2], [3], [4], [5]])
    assert.deepEqual(choose([]), { message: null, drop: [], postpone: new Map() })
  })

  test('is a digest of all if more than five are due', () => {
    const { message } = choose(entries(6))
    assert.equal(message!.kind, 'digest')
    assert.deepEqual(message!.annotations, [1, 2, 3, 4, 5, 6])
  })

  test('is a digest of delayed changes, and new changes follow one by one', () => {
    const list = [entry(1), entry(2, waited), entry(3), entry(4, waited)]
    assert.deepEqual(messages(list).told, [[2, 4], [1], [3]])
    assert.equal(choose(list).message!.kind, 'digest')
    assert.equal(choose([entry(1, waited)]).message!.kind, 'single', 'one alone is no digest')
  })

  test('is a digest of everything after a failure', () => {
    assert.deepEqual(messages([entry(1), entry(2), entry(3, waited)], { afterFailure: true }).told, [[1, 2, 3]])
    assert.equal(choose([entry(1)], { afterFailure: true }).message!.kind, 'single')
  })

  test('drops changes that were read, or whose profile is gone or no longer uses the channel', () => {
    const list = [
      entry(1, { isRead: true }),
      entry(2, { profile: 'gone' }),
      entry(3, { profile: 'nobody' }),
      entry(4, { profile: 'elsewhere' }),
      entry(5),
    ]
    const policies = new Map([
      ['p', policy()],
      ['nobody', null],
      ['elsewhere', policy({ channels: ['inbox', 'd'] })],
    ])
    const { message, drop, postpone } = choose(list, { policyOf: policies })
    assert.deepEqual(message!.annotations, [5])
    assert.deepEqual(drop, [1, 2, 3, 4])
    assert.equal(postpone.size, 0)
    assert.equal(choose(list.slice(0, 4), { policyOf: policies }).message, null)
  })

  test('includes escalated changes only if they are urgent enough', () => {
    const escalation = { channel: 'c', after: '30m', urgency: 5 }
    const policies = new Map([['p', policy({ channels: ['inbox'], escalation })]])
    const list = [entry(1, { urgency: 5, ...waited }), entry(2, { urgency: 4.9, ...waited })]
    const { message, drop } = choose(list, { policyOf: policies })
    assert.deepEqual([message!.annotations, drop], [[1], [2]])
  })
})

describe('postponed change', () => {
  test('waits until quiet hours end, unless it is urgent enough', () => {
    const quiet = { zone: 'UTC', from: '11:00', to: '13:30' }
    const policies = new Map([
      ['p', policy({ quiet, urgentFrom: 5 })],
      ['q', policy()],
    ])
    const list = [entry(1), entry(2, { urgency: 5 }), entry(3, { profile: 'q' }), entry(4)]
    const { told, postpone } = messages(list, { policyOf: policies })
    assert.deepEqual(told, [[2], [3]])
    assert.deepEqual(postpone, new Map([[now + 1.5 * HOUR_MS, [1, 4]]]))
  })

  test('waits if its profile reached the hourly limit, and is then sent in one digest', () => {
    const policies = new Map([
      ['p', policy({ perHour: 2 })],
      ['q', policy()],
    ])
    const sent = [
      { at: now - 60_000, profiles: ['p', 'q'] },
      { at: now - 120_000, profiles: ['q'] },
      { at: now - 40 * 60_000, profiles: ['p'] },
      { at: now - HOUR_MS, profiles: ['p'] },
    ]
    const list = [entry(1), entry(2, { profile: 'q' }), entry(3)]
    const { told, postpone } = messages(list, { policyOf: policies, sent })
    assert.deepEqual(told, [[2]])
    const freeAt = now + 20 * 60_000
    assert.deepEqual(postpone, new Map([[freeAt, [1, 3]]]), 'until the first of the last two is an hour old')
    const later = list.filter(({ profile }) => profile === 'p').map((each) => ({ ...each, dueAt: freeAt }))
    const { message } = choose(later, { policyOf: policies, sent, now: freeAt })
    assert.deepEqual([message!.kind, message!.annotations], ['digest', [1, 3]])
  })

  test('does not wait because of messages from before the clock was set back', () => {
    const policies = new Map([['p', policy({ perHour: 1 })]])
    const sent = [{ at: now + 365 * 24 * HOUR_MS, profiles: ['p'] }]
    assert.deepEqual(choose([entry(1)], { policyOf: policies, sent }).message!.annotations, [1])
  })
})

describe('digest', () => {
  test('is sorted by urgency, then relevance, with the entries of a profile together', () => {
    const list = [
      entry(1, { profile: 'p', relevance: 3 }),
      entry(2, { profile: 'q', relevance: 9 }),
      entry(3, { profile: 'r', urgency: 5, relevance: 1 }),
      entry(4, { profile: 'p', relevance: 8 }),
      entry(5, { profile: 'q', relevance: 2 }),
      entry(6, { profile: 'r', relevance: 0.1 }),
      entry(7, { profile: 'q', relevance: 2 }),
    ]
    const { message } = choose(list)
    assert.deepEqual(message!.annotations, [3, 6, 2, 5, 7, 4, 1])
    assert.deepEqual(message!.profiles, ['r', 'q', 'p'])
  })

  test('counts entries beyond the limit, the least important ones', () => {
    const list = Array.from({ length: 14 }, (_, n) => entry(n + 1, { relevance: n }))
    const { message } = choose(list)
    assert.equal(message!.leftOut, 4)
    assert.deepEqual(message!.annotations, [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  test('counts near-duplicates of a profile as one entry', () => {
    const near = { cluster: 77 }
    const list = [...entries(10), entry(11, near), entry(12, near), entry(13, near)]
    const { message } = choose(list, { digest: { maxItems: 11, rest: 'count' } })
    assert.equal(message!.leftOut, 0)
    assert.equal(choose(list).message!.leftOut, 3, 'there is room for ten')
    const ofOthers = [...entries(10), entry(11, near), entry(12, { ...near, profile: 'q' })]
    assert.equal(choose(ofOthers, { digest: { maxItems: 11, rest: 'count' } }).message!.leftOut, 1)
  })

  test('keeps near-duplicate changes of one page apart', () => {
    const near = { cluster: 77 }
    const page = { ...near, documentId: 500 }
    const list = [...entries(4), entry(5, page), entry(6, page), entry(7, { ...near, documentId: 501 })]
    const room = (maxItems: number) => choose(list, { digest: { maxItems, rest: 'count' } }).message!.leftOut
    assert.deepEqual([room(6), room(5)], [0, 1])
  })

  test('for a program takes the oldest entries up to the limit, and the next digest has the rest', () => {
    const digest = { maxItems: 4, rest: 'next' } as const
    const list = Array.from({ length: 10 }, (_, n) => entry(n + 1, { relevance: n }))
    assert.deepEqual(messages(list, { digest, afterFailure: true }).told, [
      [4, 3, 2, 1],
      [8, 7, 6, 5],
      [10, 9],
    ])
    const near = list.map((each) => ({ ...each, cluster: 77 }))
    assert.equal(messages(near, { digest, afterFailure: true }).told.flat().length, 10)
    for (const message of [choose(list, { digest }).message!, choose(list.slice(0, 4), { digest }).message!])
      assert.equal(message.leftOut, 0)
  })
})
