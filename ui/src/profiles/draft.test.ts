import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Profile } from '../api/types.ts'
import { bodyOf, draftOf, emptyDraft, isSameDraft, mapErrors, newSource, newTerm, triedBodyOf } from './draft.ts'

const part: Pick<
  Profile['sources'][number],
  'select' | 'omit' | 'conditions' | 'aspects' | 'render' | 'credentials' | 'method'
> = {
  select: ['.price'],
  omit: ['.ad', 'nav'],
  conditions: ['below 30'],
  aspects: ['text', 'status'],
  render: 'browser',
  credentials: 'shop',
  method: 'pull',
}

const profile: Profile = {
  id: 'p1',
  name: 'Java research',
  paused: false,
  sources: [
    { uri: 'https://example.org/', every: '10m', depth: 2, scope: 'host', process: 'filter', ...part },
    {
      uri: 'https://example.com/',
      every: '1h',
      everyMax: '1d',
      depth: 0,
      scope: { pattern: 'page' },
      process: 'track',
      ...part,
    },
    {
      uri: 'https://example.net/',
      every: '1h',
      depth: 1,
      scope: 'https?://example\\.net/.*',
      process: 'archive',
      ...part,
    },
  ],
  interests: {
    keywords: [{ key: 'ibm', weight: 1 }],
    exclude: ['job advert'],
    expression: 'a OR b',
    threshold: 1,
    stemming: 'en',
    scorer: 'keywords',
    ignore: ['Visitors: \\d+'],
    match: 'page',
  },
  urgency: 2,
  amount: 'full',
  delivery: {
    channels: ['inbox'],
    cadence: 'daily',
    quiet: { zone: '', from: '22:00', to: '07:00' },
    perHour: 5,
    urgentFrom: null,
    escalation: null,
  },
}

describe('a profile being edited', () => {
  test('is sent back as it was read, with patterns marked as such', () => {
    const { id: _, ...rest } = profile
    const third = { ...profile.sources[2], scope: { pattern: 'https?://example\\.net/.*' } }
    assert.deepEqual(bodyOf(draftOf(profile)).body, { ...rest, sources: [...profile.sources.slice(0, 2), third] })
  })

  test('needs only one address, and a bare host is completed to a URL', () => {
    const { body } = bodyOf({ ...emptyDraft(), sources: [newSource('example.org/news')] })
    assert.deepEqual(
      (body.sources as { uri: string }[]).map(({ uri }) => uri),
      ['https://example.org/news'],
    )
    assert.equal('name' in body, false)
  })

  test('a source is tried with the keywords of its profile if its address contains {keywords}', () => {
    const terms = [newTerm(' tea '), newTerm(''), newTerm('cup')]
    const tried = triedBodyOf(newSource('query+https://example.org/?q={keywords}#rows=li'), terms)
    assert.ok('keywords' in tried)
    assert.deepEqual(tried.keywords, ['tea', 'cup'])
    assert.equal('keywords' in triedBodyOf(newSource('https://example.org/'), terms), false)
  })

  test('errors are mapped to their rows even though empty rows are not sent', () => {
    const draft = {
      ...emptyDraft(),
      sources: [newSource(''), { ...newSource('x:y'), select: ['', 'a', '', '((', ''] }],
      terms: [newTerm(''), newTerm('a', 0), newTerm('b')],
      ignore: ['', 'a', ' ', '(b'],
    }
    const errors = [
      { place: 'sources[0].uri', message: 'no' },
      { place: 'sources[0].select[1]', message: 'no' },
      { place: 'interests.keywords[0].weight', message: 'no' },
      { place: 'interests.expression', message: 'no' },
      { place: 'interests.ignore[1]', message: 'no' },
      { place: 'interests.ignore', message: 'no' },
    ]
    assert.deepEqual(
      mapErrors(errors, bodyOf(draft)).map(({ place }) => place),
      ['sources[1].uri', 'sources[1].select[3]', 'terms[1].weight', 'expression', 'ignore[3]', 'ignore'],
    )
  })

  test('drafts with the same content are equal, regardless of row keys', () => {
    assert.equal(isSameDraft(draftOf(profile), draftOf(profile)), true)
    assert.equal(isSameDraft(draftOf(profile), { ...draftOf(profile), urgency: 3 }), false)
  })
})
