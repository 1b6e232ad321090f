import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import type { Change } from '../../core/change/change.ts'
import type { Interests } from '../../core/profile.ts'
import { createOwnerBudgets, createWorkBudget } from '../../core/work/work-budget.ts'
import { type CompiledInterests, compileInterests } from '../../matching/interests/compile-interests.ts'
import { createMatchIndex, type Match } from '../../matching/match/match-index.ts'
import { matchNaively, noInterests } from '../../matching/match/naive-match.testkit.ts'
import { readDocument } from '../../matching/terms/document-terms.ts'
import { versionOf } from '../../store/conformance/samples.testkit.ts'
import type { AnnotationChange } from '../../store/contracts/annotations.ts'
import { createDescribing, type Description } from './change-summary.ts'
import { createChangeViews, type Viewer } from './change-view.ts'
import { createMatchedDocuments } from './matched-document.ts'
import { createItems } from './version-items.ts'

/** A heading with lines below. Every line has a unique word, so that it can be traced. */
type Section = { heading: string; lines: string[] }
type Pair = { before: Section[]; after: Section[] }

const words = 'recall kettle solar panel price größe 東京 over done blue'.split(' ')
const anyWords = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '))
const headings = ['Kettle', 'Solar panel', 'Recall', 'News']

const pair: fc.Arbitrary<Pair> = fc
  .uniqueArray(fc.constantFrom(...headings), { minLength: 1, maxLength: 4 })
  .chain((names) =>
    fc.tuple(
      ...names.map((heading, section) =>
        fc
          .array(fc.record({ old: fc.option(anyWords), next: fc.option(anyWords), isSame: fc.boolean() }), {
            maxLength: 4,
          })
          .map((lines) => {
            const tagged = lines.map(({ old, next, isSame }, n) => {
              const line = (text: string | null): string[] => (text === null ? [] : [`${text} line${section}x${n}.`])
              return { before: line(old), after: line(isSame ? old : next) }
            })
            return {
              before: { heading, lines: tagged.flatMap(({ before }) => before) },
              after: { heading, lines: tagged.flatMap(({ after }) => after) },
            }
          }),
      ),
    ),
  )
  .map((sections) => ({ before: sections.map(({ before }) => before), after: sections.map(({ after }) => after) }))

const html = (sections: readonly Section[]): string =>
  sections.map(({ heading, lines }) => `<h2>${heading}</h2>${lines.map((line) => `<p>${line}</p>`).join('')}`).join('')

/** Reference implementation: new lines below their headings, each heading once. */
function changedText({ before, after }: Pair): string {
  const known = new Set(before.flatMap(({ lines }) => lines))
  const shown: string[] = []
  for (const { heading, lines } of after) {
    const changed = lines.filter((line) => !known.has(line))
    if (changed.length > 0) shown.push(heading, ...changed)
  }
  return shown.join('\n')
}

const term = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: anyWords })
const expressions = [
  '',
  '',
  'recall AND kettle',
  'NOT solar',
  'intitle:shop AND price',
  '"solar panel" OR blue',
  '/l[ai]ne/',
]
const interests: fc.Arbitrary<Interests> = fc
  .record({
    keywords: fc.array(fc.record({ key: term, weight: fc.integer({ min: 1, max: 3 }) }), { maxLength: 3 }),
    exclude: fc.array(term, { maxLength: 1 }),
    expression: fc.constantFrom(...expressions),
    share: fc.constantFrom(0, 0.4, 0.7, 1),
    stemming: fc.constantFrom('', 'en'),
  })
  .map(({ share, ...rest }) => {
    const total = rest.keywords.reduce((sum, { weight }) => sum + weight, 0)
    return { ...noInterests, ...rest, threshold: Math.floor(total * share) }
  })

const source = sourceOf('http://shop.example/')
const viewer: Viewer = { source, profile: profileOf('p', 'ann@example.org', [source], {}) }
const viewsOf = createChangeViews<Viewer>()
const contentOf = (sections: readonly Section[]) => ({
  body: Buffer.from(html(sections)),
  contentType: 'text/html',
  omit: null,
})
const sorted = (matches: readonly Match[]): Match[] => matches.toSorted((a, b) => a.id - b.id)

/** The document that the engine matches; null if nothing changed. */
function documentOf({ before, after }: Pair) {
  const tellApart = (changes: readonly Change[]) => ({
    told: changes,
    noise: [],
  })
  const budgets = createOwnerBudgets(() => createWorkBudget())
  const views = viewsOf({ before: contentOf(before), after: contentOf(after), tellApart }, budgets)
  const version = versionOf(1, { reason: 'changed', url: 'http://shop.example/', title: 'Shop' })
  const [item] = createItems(version)(views.of(viewer), { isNew: false, isMet: false })
  return item === undefined ? null : createMatchedDocuments(version, () => {})(item, 'change')
}

describe('interests matched against a change', () => {
  test('find no phrases across block boundaries', () => {
    const meets = (expression: string, lines: string[]): boolean => {
      const document = documentOf({
        before: [{ heading: 'Solar', lines: ['x'] }],
        after: [{ heading: 'Solar', lines }],
      })
      const index = createMatchIndex()
      index.set(1, compileInterests({ ...noInterests, expression }))
      return index.match(document!.terms).length > 0
    }
    assert.equal(meets('"blue kettle"', ['x', 'one blue kettle']), true)
    assert.equal(meets('"blue kettle"', ['x', 'one blue', 'kettle two']), false)
    assert.equal(meets('"solar panel"', ['x', 'panel']), false, 'nor from a heading to what is below it')
  })

  test('find phrases across line breaks in plain text', () => {
    const content = (body: string) => ({ body: Buffer.from(body), contentType: 'text/plain', omit: null })
    const version = versionOf(1, { reason: 'new', url: 'http://shop.example/', title: '' })
    const tellApart = (told: readonly Change[]) => ({ told, noise: [] })
    const after = content('one blue\nkettle two')
    const view = viewsOf(
      { before: null, after, tellApart },
      createOwnerBudgets(() => createWorkBudget()),
    ).of(viewer)
    const [item] = createItems(version)(view, { isNew: true, isMet: false })
    const index = createMatchIndex()
    index.set(1, compileInterests({ ...noInterests, expression: '"blue kettle"' }))
    assert.equal(index.match(createMatchedDocuments(version, () => {})(item!, 'change').terms).length, 1)
  })

  test('agree with a naive evaluation, and the explanation shows where they match', () => {
    fc.assert(
      fc.property(pair, fc.array(interests, { minLength: 1, maxLength: 12 }), (versions, given) => {
        const document = documentOf(versions)
        const naive = readDocument({
          url: 'http://shop.example/',
          title: 'Shop',
          text: changedText(versions),
          hasBlocks: true,
        })
        if (document === null) return assert.equal(naive.text, '')
        const index = createMatchIndex()
        const profiles = new Map<number, CompiledInterests>(given.map((each, id) => [id, compileInterests(each)]))
        for (const [id, each] of profiles) index.set(id, each)
        const matches = sorted(index.match(document.terms))
        assert.deepEqual(matches, sorted(matchNaively(profiles, naive)))
        for (const { id, relevance } of matches) {
          const described: Description = createDescribing(document)(profiles.get(id)!, relevance, createWorkBudget())
          const { changes, explanation, summary } = described
          const { terms } = explanation as { terms: { key: string; worth: number; places: ShownPlace[] }[] }
          assert.equal(
            terms.reduce((sum, { worth }) => sum + worth, 0),
            profiles.get(id)!.keywords.length === 0 ? 0 : relevance,
          )
          for (const { key, places } of terms)
            for (const { where, change = 0, start, end } of places) {
              const listed: AnnotationChange | undefined = changes.list[change]
              const text = (where === 'change' ? listed?.after : where === 'path' ? listed?.path : 'Shop') ?? ''
              const found = readDocument({ url: '', title: '', text: text.slice(start, end) })
              const wanted = compileInterests({ ...noInterests, keywords: [{ key, weight: 1 }], stemming: 'en' })
              assert.equal(matchNaively([[0, wanted]], found).length, 1, `${key} in ${text.slice(start, end)}`)
            }
          for (const [from, to] of summary.marks) assert.ok(from < to && to <= summary.text.length)
        }
      }),
      { numRuns: 300 },
    )
  })
})

type ShownPlace = { where: string; change?: number; start: number; end: number }
